import { type Command, Option } from 'commander';
import type { UpgradesApplyFlags } from '../commands/upgrades/apply.ts';
import type { DecideFlags } from '../commands/upgrades/decide.ts';
import type { UpgradesPlanFlags } from '../commands/upgrades/plan.ts';
import type { SimulateFlags } from '../commands/upgrades/simulate.ts';
import { EXIT_HELP } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type Finish, wholeNumber, withCommon, withPolicies, withSources } from './options.ts';
import { addUpgradePeople } from './upgrade-people-commands.ts';

export function addUpgrades(program: Command, io: Io, finish: Finish, whole: boolean): void {
  const upgrades = program
    .command('upgrades')
    .summary('schedule cluster upgrades')
    .description('Schedules upgrades of OpenShift clusters.');
  if (!whole) return;
  withPolicies(withSources(withCommon(upgrades.command('plan'))))
    .summary('show what would be scheduled, and what everything else waits for')
    .description(
      'Looks at the organizations of OCM and shows for every cluster what would be done now, or which gate it waits at and why. ' +
        'Nothing is written anywhere.',
    )
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .action(async (flags: UpgradesPlanFlags) => {
      const { plan } = await import('../commands/upgrades/plan.ts');
      finish(await plan(io, flags));
    });
  withSources(withCommon(upgrades.command('apply')))
    .summary('schedule what is due')
    .description(
      'Schedules what is due, tells users what is wrong with their labels, and writes down what was observed. On a terminal it asks ' +
        'first; --yes or the variable CI answers.',
    )
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'write nothing: requests that would are refused before they are sent')
    .action(async (flags: UpgradesApplyFlags) => {
      const { apply } = await import('../commands/upgrades/apply.ts');
      finish(await apply(io, flags));
    });
  upgrades
    .command('decide')
    .summary('run the engine on a file of facts')
    .description(
      'Decides what would be scheduled for one organization at one time, from a file of facts; nothing is asked or written.',
    )
    .requiredOption('-f, --filename <file>', 'the facts as JSON; - is standard input')
    .option(
      '--rules <list>',
      'qontract: exactly as the existing service; NAME,…: only these differences; default,-NAME: all but these (default: all)',
    )
    .option('--explain', 'add every verdict of every gate')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']).default('json'))
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP)
    .action(async (flags: DecideFlags) => {
      const { decide } = await import('../commands/upgrades/decide.ts');
      finish(await decide(io, flags));
    });
  addUpgradePeople(upgrades, io, finish);
  withCommon(upgrades.command('simulate'))
    .summary('let a simulated fleet live for some days under the scheduler')
    .description(
      'Lets a simulated fleet live for some days under the scheduler, on a virtual clock, and tells what upgraded when, who waited ' +
        'and why, and what users were told.',
    )
    .requiredOption('--fleet <file>', 'the fleet, as YAML')
    .option('--days <n>', 'how long', wholeNumber, 30)
    .option('--every <hours>', 'hours between two passes', wholeNumber, 1)
    .option('--seed <n>', 'for whatever is left to chance', wholeNumber)
    .action(async (flags: SimulateFlags) => {
      const { simulate } = await import('../commands/upgrades/simulate.ts');
      finish(await simulate(io, flags));
    });
}
