import {
  type AnyCommand,
  argument,
  command,
  type FlagsOf,
  flag,
  list,
  option,
  parsed,
  required,
  unless,
  usually,
} from '../../command.ts';
import {
  DEBUG,
  format,
  NO_COLOR,
  POLICIES,
  PRINTED,
  printed,
  SOURCES,
  watchUntil,
  wholeNumber,
} from '../../options.ts';
import { simulate } from '../sim/commands.ts';

const PLAN = {
  ...PRINTED,
  ...SOURCES,
  ...POLICIES,
  ...watchUntil('no cluster is due or waits', { interval: 60 }),
  detailedExitcode: flag('--detailed-exitcode', 'exit 2 when there are changes'),
};
const APPLY = {
  ...PRINTED,
  ...SOURCES,
  yes: flag('-y, --yes', 'skip confirmation'),
  dryRun: flag('--dry-run', 'write nothing: write requests are rejected before they are sent'),
};
const DECIDE = {
  filename: required(option('-f, --filename <file>', 'facts as JSON; - is standard input')),
  rules: option(
    '--rules <list>',
    'qontract: as the existing service; NAME,…: only these differences; default,-NAME: all but these (default: all)',
  ),
  explain: flag('--explain', 'include every verdict of every gate'),
  ...format(['json', 'yaml']),
  ...DEBUG,
};
const EXPLAIN = { ...printed(['table', 'wide', 'json', 'yaml', 'markdown']), ...SOURCES, ...POLICIES };
const FORECAST = {
  ...SOURCES,
  ...POLICIES,
  days: usually(parsed('--days <n>', 'days to forecast', wholeNumber), 90),
  every: usually(parsed('--every <minutes>', 'minutes between two passes of the scheduler', wholeNumber), 10),
  org: list('--org <name>', 'show only this organization, by id or name (repeatable)'),
  whatIf: option('--what-if <file>', 'YAML with changed labels, blocks and releases; shows what would move'),
  ...format(['table', 'json', 'yaml', 'markdown', 'ics', 'svg']),
  ...NO_COLOR,
  ...DEBUG,
};
const REPORT = { ...EXPLAIN, sort: unless('--no-sort', 'keep the order in which clusters are processed') };
const HISTORY = { ...PRINTED, ...SOURCES, ...POLICIES };

export type UpgradesPlanFlags = FlagsOf<typeof PLAN>;
export type UpgradesApplyFlags = FlagsOf<typeof APPLY>;
export type DecideFlags = FlagsOf<typeof DECIDE>;
export type ExplainFlags = FlagsOf<typeof EXPLAIN>;
export type ForecastFlags = FlagsOf<typeof FORECAST>;
export type ReportFlags = FlagsOf<typeof REPORT>;
export type HistoryFlags = FlagsOf<typeof HISTORY>;

export const upgrades = command({
  name: 'upgrades',
  summary: 'schedule cluster upgrades',
  description: 'Schedule upgrades of OpenShift clusters.',
  commands: [
    command({
      name: 'plan',
      summary: 'show what would be scheduled, and what every other cluster waits for',
      description:
        'Read the organizations from OCM and show for every cluster what would be scheduled now, or which gate it waits for and why. ' +
        'Read-only.',
      options: PLAN,
      examples: [
        'echelon upgrades plan --config-file upgrades.yml',
        'echelon upgrades plan --config-file upgrades.yml --watch',
      ],
      exits: {
        2: 'changes, with --detailed-exitcode',
        130: 'interrupted, with --watch while something was waited for',
      },
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./apply.ts')).plan(ctx, flags),
    }),
    command({
      name: 'apply',
      summary: 'schedule due upgrades',
      description:
        'Schedule due upgrades, notify users of errors in their labels, and record the observed state. Asks for confirmation on a ' +
        'terminal; elsewhere, such as in CI, --yes is required.',
      options: APPLY,
      examples: ['echelon upgrades apply --config-file upgrades.yml --dry-run'],
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./apply.ts')).apply(ctx, flags),
    }),
    command({
      name: 'decide',
      summary: 'run the engine on a file with facts',
      description:
        'Decide what to schedule for one organization at one time, from a file with facts and without any requests.',
      options: DECIDE,
      examples: ['echelon upgrades decide -f facts.json --explain'],
      run: async (ctx, flags) => (await import('./decide.ts')).decide(ctx, flags),
    }),
    command({
      name: 'explain',
      summary: 'show why a cluster is or is not upgraded',
      description:
        'Show every version available to a cluster, the verdict of every gate with its numbers, and when each gate can open ' +
        'at the earliest. Read-only.',
      arguments: [argument('<cluster>', 'cluster name, id or UUID')],
      options: EXPLAIN,
      examples: ['echelon upgrades explain prod-01 --config-file upgrades.yml'],
      simulatedClock: true,
      run: async (ctx, flags, cluster) => (await import('./views.ts')).explain(ctx, cluster, flags),
    }),
    command({
      name: 'forecast',
      summary: 'forecast which cluster gets which version when, if nothing else changes',
      description:
        'Read the organizations from OCM and run the engine on a virtual clock. The result includes its ' +
        'assumptions. Read-only.',
      options: FORECAST,
      examples: ['echelon upgrades forecast --days 30 --what-if changes.yml'],
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./views.ts')).forecast(ctx, flags),
    }),
    command({
      name: 'report',
      summary: 'show the fleet report',
      description:
        'Show the policy of every cluster, and how long its available versions have soaked; -o markdown prints a wiki ' +
        'page. Read-only.',
      options: REPORT,
      examples: ['echelon upgrades report -o markdown'],
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./views.ts')).report(ctx, flags),
    }),
    command({
      name: 'history',
      summary: 'show version changes that were observed, and upgrades that were scheduled',
      description:
        'Show when the scheduler saw a cluster change its version, and which upgrades it scheduled, newest first. A change is as ' +
        'precise as the time between two passes. Read-only.',
      arguments: [argument('[cluster]', 'only this cluster, by name or UUID')],
      options: HISTORY,
      examples: ['echelon upgrades history --config-file upgrades.yml'],
      simulatedClock: true,
      run: async (ctx, flags, cluster) => (await import('./views.ts')).history(ctx, cluster, flags),
    }),
    simulate,
  ],
});

export const COMMANDS: readonly AnyCommand[] = [upgrades];
