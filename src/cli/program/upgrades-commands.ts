import { type Command, Option } from 'commander';
import type { UpgradesApplyFlags } from '../commands/upgrades/apply.ts';
import type { DecideFlags } from '../commands/upgrades/decide.ts';
import type { UpgradesPlanFlags } from '../commands/upgrades/plan.ts';
import type { SimulateFlags } from '../commands/upgrades/simulate.ts';
import type { Io } from '../io.ts';
import { type Finish, wholeNumber, withCommon, withPolicies, withSources, withWatch } from './options.ts';
import { addUpgradeViews } from './upgrade-view-commands.ts';

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
      const { plan } = await import('../commands/upgrades/plan.ts');
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
      const { apply } = await import('../commands/upgrades/apply.ts');
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
      const { decide } = await import('../commands/upgrades/decide.ts');
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
      const { simulate } = await import('../commands/upgrades/simulate.ts');
      finish(await simulate(io, flags));
    });
}
