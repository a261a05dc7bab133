import { type Command, Option } from 'commander';
import type { ExplainFlags } from '../commands/upgrades/explain.ts';
import type { ForecastFlags } from '../commands/upgrades/forecast.ts';
import type { HistoryFlags } from '../commands/upgrades/history.ts';
import type { ReportFlags } from '../commands/upgrades/report.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, wholeNumber, withCommon, withPolicies, withSources } from './options.ts';

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
      const { explain } = await import('../commands/upgrades/explain.ts');
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
      const { forecast } = await import('../commands/upgrades/forecast.ts');
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
      const { report } = await import('../commands/upgrades/report.ts');
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
      const { history } = await import('../commands/upgrades/history.ts');
      finish(await history(io, cluster, flags));
    });
}
