import { type Command, Option } from 'commander';
import type { ExplainFlags } from '../commands/upgrades/explain.ts';
import type { ForecastFlags } from '../commands/upgrades/forecast.ts';
import type { ReportFlags } from '../commands/upgrades/report.ts';
import { EXIT_HELP } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, wholeNumber, withCommon, withPolicies, withSources } from './options.ts';

/** Written out here so that help needs none of what makes them. */
const FORECAST_FORMATS: readonly ForecastFlags['output'][] = ['table', 'json', 'yaml', 'markdown', 'ics', 'svg'];

/** Commands that tell people about upgrades and change nothing. */
export function addUpgradePeople(upgrades: Command, io: Io, finish: Finish): void {
  withPolicies(withSources(withCommon(upgrades.command('explain'))))
    .summary('show why a cluster is, or is not, upgraded')
    .description(
      'Shows every version that a cluster could go to, what every gate says about it with its numbers, and when each gate can open ' +
        'at the earliest. Nothing is written anywhere.',
    )
    .argument('<cluster>', 'its name, id or UUID')
    .action(async (cluster: string, flags: ExplainFlags) => {
      const { explain } = await import('../commands/upgrades/explain.ts');
      finish(await explain(io, cluster, flags));
    });
  withPolicies(withSources(upgrades.command('forecast')))
    .summary('show which cluster gets which version when, if nothing else changes')
    .description(
      'Looks at the organizations of OCM as they are now and lets the engine decide on a virtual clock. What is assumed is told with ' +
        'the result. Nothing is written anywhere.',
    )
    .option('--days <n>', 'how far ahead', wholeNumber, 90)
    .option('--every <minutes>', 'minutes between two passes of the scheduler', wholeNumber, 10)
    .option('--org <name>', 'show only this organization, by id or name (repeatable)', collect)
    .option('--what-if <file>', 'YAML with labels, blocks and releases that would be different; shows what moves')
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORECAST_FORMATS).default('table'))
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP)
    .action(async (flags: ForecastFlags) => {
      const { forecast } = await import('../commands/upgrades/forecast.ts');
      finish(await forecast(io, flags));
    });
  withPolicies(withSources(withCommon(upgrades.command('report'))))
    .summary('show the page of the fleet')
    .description(
      'Shows for every cluster its policy, and how long the versions that it could go to have soaked; -o markdown is a page for a ' +
        'wiki. Nothing is written anywhere.',
    )
    .option('--no-sort', 'rows in the order in which clusters have their turn')
    .action(async (flags: ReportFlags) => {
      const { report } = await import('../commands/upgrades/report.ts');
      finish(await report(io, flags));
    });
}
