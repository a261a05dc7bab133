import { type Command, Option } from 'commander';
import type { Io } from '../../io.ts';
import { collect, type Finish, wholeNumber, withCommon, withPolicies, withSources, withWatch } from '../../options.ts';
import type { SimulateFlags } from '../sim/sim.ts';
import type { UpgradesApplyFlags, UpgradesPlanFlags } from './apply.ts';
import type { DecideFlags } from './decide.ts';
import type { ExplainFlags, ForecastFlags, HistoryFlags, ReportFlags } from './views.ts';

export function addUpgrades(upgrades: Command, io: Io, finish: Finish): void {
  upgrades.description('Schedule upgrades of OpenShift clusters.');
  const SLOWLY = { interval: 60 };
  withWatch(withPolicies(withSources(withCommon(upgrades.command('plan')))), 'no cluster is due or waits', SLOWLY)
    .summary('show what would be scheduled, and what every other cluster waits for')
    .description(
      'Read the organizations from OCM and show for every cluster what would be scheduled now, or which gate it waits for and why. ' +
        'Read-only.',
    )
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .action(async (flags: UpgradesPlanFlags) => {
      const { plan } = await import('./apply.ts');
      finish(await plan(io, flags));
    });
  withSources(withCommon(upgrades.command('apply')))
    .summary('schedule due upgrades')
    .description(
      'Schedule due upgrades, notify users of errors in their labels, and record the observed state. Asks for confirmation on a ' +
        'terminal; elsewhere, such as in CI, --yes is required.',
    )
    .option('-y, --yes', 'skip confirmation')
    .option('--dry-run', 'write nothing: write requests are rejected before they are sent')
    .action(async (flags: UpgradesApplyFlags) => {
      const { apply } = await import('./apply.ts');
      finish(await apply(io, flags));
    });
  upgrades
    .command('decide')
    .summary('run the engine on a file with facts')
    .description(
      'Decide what to schedule for one organization at one time, from a file with facts and without any requests.',
    )
    .requiredOption('-f, --filename <file>', 'facts as JSON; - is standard input')
    .option(
      '--rules <list>',
      'qontract: as the existing service; NAME,…: only these differences; default,-NAME: all but these (default: all)',
    )
    .option('--explain', 'include every verdict of every gate')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']).default('json'))
    .option('--debug', 'print the stack of an error')
    .action(async (flags: DecideFlags) => {
      const { decide } = await import('./decide.ts');
      finish(await decide(io, flags));
    });
  addUpgradeViews(upgrades, io, finish);
  withCommon(upgrades.command('simulate'))
    .summary('run the scheduler on a simulated fleet for some days')
    .description(
      'Run the scheduler on a simulated fleet for some days, on a virtual clock, and show what upgraded when, what waited ' +
        'and why, and the notifications to users.',
    )
    .requiredOption('--fleet <file>', 'fleet definition, as YAML')
    .option('--days <n>', 'days to simulate', wholeNumber, 30)
    .option('--every <hours>', 'hours between two passes', wholeNumber, 1)
    .option('--seed <n>', 'random seed', wholeNumber)
    .action(async (flags: SimulateFlags) => {
      const { simulate } = await import('../sim/sim.ts');
      finish(await simulate(io, flags));
    });
}

/** Repeated here so that help does not load the renderers. */
const FORECAST_FORMATS: readonly ForecastFlags['output'][] = ['table', 'json', 'yaml', 'markdown', 'ics', 'svg'];

/** Read-only commands that explain upgrades. */
export function addUpgradeViews(upgrades: Command, io: Io, finish: Finish): void {
  withPolicies(withSources(withCommon(upgrades.command('explain'))))
    .summary('show why a cluster is or is not upgraded')
    .description(
      'Show every version available to a cluster, the verdict of every gate with its numbers, and when each gate can open ' +
        'at the earliest. Read-only.',
    )
    .argument('<cluster>', 'cluster name, id or UUID')
    .action(async (cluster: string, flags: ExplainFlags) => {
      const { explain } = await import('./views.ts');
      finish(await explain(io, cluster, flags));
    });
  withPolicies(withSources(upgrades.command('forecast')))
    .summary('forecast which cluster gets which version when, if nothing else changes')
    .description(
      'Read the organizations from OCM and run the engine on a virtual clock. The result includes its ' +
        'assumptions. Read-only.',
    )
    .option('--days <n>', 'days to forecast', wholeNumber, 90)
    .option('--every <minutes>', 'minutes between two passes of the scheduler', wholeNumber, 10)
    .option('--org <name>', 'show only this organization, by id or name (repeatable)', collect)
    .option('--what-if <file>', 'YAML with changed labels, blocks and releases; shows what would move')
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORECAST_FORMATS).default('table'))
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error')
    .action(async (flags: ForecastFlags) => {
      const { forecast } = await import('./views.ts');
      finish(await forecast(io, flags));
    });
  withPolicies(withSources(withCommon(upgrades.command('report'))))
    .summary('show the fleet report')
    .description(
      'Show the policy of every cluster, and how long its available versions have soaked; -o markdown prints a wiki ' +
        'page. Read-only.',
    )
    .option('--no-sort', 'keep the order in which clusters are processed')
    .action(async (flags: ReportFlags) => {
      const { report } = await import('./views.ts');
      finish(await report(io, flags));
    });
  withPolicies(withSources(withCommon(upgrades.command('history'))))
    .summary('show version changes that were observed, and upgrades that were scheduled')
    .description(
      'Show when the scheduler saw a cluster change its version, and which upgrades it scheduled, newest first. A change is as ' +
        'precise as the time between two passes. Read-only.',
    )
    .argument('[cluster]', 'only this cluster, by name or UUID')
    .action(async (cluster: string | undefined, flags: HistoryFlags) => {
      const { history } = await import('./views.ts');
      finish(await history(io, cluster, flags));
    });
}
