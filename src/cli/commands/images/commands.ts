import { InvalidArgumentError } from 'commander';
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
  usually,
  valued,
} from '../../command.ts';
import {
  CAPABILITIES,
  CHART,
  CLUSTERS,
  environments,
  FLEET,
  IMAGES,
  INSTANCE,
  integrations,
  PRINTED,
  printed,
  ROLLOUT_RECORD,
  ROLLOUTS,
  ROLLOUTS_FILE,
  runner,
  SCOPE,
  seconds,
  selection,
  watchUntil,
  wholeNumber,
} from '../../options.ts';

/** Commands for shards that stay on their own image while the others are promoted. */
const CHOICE = {
  ...INSTANCE,
  ...PRINTED,
  shard: valued<readonly string[]>(
    '--shard <shards...>',
    'only these shards, by name, key or path of their file (repeatable)',
    { completes: 'shards' },
  ),
  except: valued<readonly string[]>('--except <shards...>', 'all shards except these (repeatable)', {
    completes: 'shards',
  }),
  ...environments('only in this environment (repeatable)'),
  ...selection({
    namespace: list('-n, --namespace <name>', 'only in this NAMESPACE or CLUSTER/NAMESPACE (repeatable)'),
  }),
  allEnvironments: flag('--all-environments', 'in all environments, when it runs in several'),
  dryRun: flag('--dry-run', 'show the diff without writing it'),
};
const PIN = {
  ...CHOICE,
  image: option('--image <ref>', 'image tag; current: the current declared image of the shard (default)'),
  reason: option('--reason <text>', 'why, added as a comment to the image'),
  until: option('--until <date>', 'last day of the pin, added to the comment, such as 2026-12-01'),
};
const UNPIN = { ...CHOICE, all: flag('--all', 'all pinned shards') };
const PINS = {
  ...INSTANCE,
  ...CHART,
  ...IMAGES,
  ...CLUSTERS,
  ...PRINTED,
  ...integrations('only pins of this integration (repeatable)'),
  ...environments('only pins in this environment (repeatable)'),
  olderThan: parsed('--older-than <age>', 'only pins older than this, such as 12h, 30d or 8w', age),
  expired: flag('--expired', 'only pins whose last day has passed'),
  live: flag('--live', 'check in the clusters that shards run their pinned image'),
  ...CAPABILITIES,
};
export type PinFlags = FlagsOf<typeof PIN>;
export type UnpinFlags = FlagsOf<typeof UNPIN>;
export type PinsFlags = FlagsOf<typeof PINS>;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds. */
function age(text: string): number {
  const [, number, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('it must be an age such as 12h, 30d or 8w');
  return Number(number) * (UNITS[unit ?? 'd'] ?? 0);
}

const INTEGRATION = argument('<integration>', 'integration name', { completes: 'integrations' });

const pin = command({
  name: 'pin',
  summary: 'pin shards of an integration to an image',
  description:
    'Write shardSpecOverrides with imageRef to an integration file, for the given shards or for all except those. Comments, ' +
    'order and other overrides are kept. Without --image each shard is pinned to its current declared image.',
  arguments: [INTEGRATION],
  options: PIN,
  examples: ["echelon pin terraform-resources --except payments-ci -e production --reason 'INC-123'"],
  run: async (ctx, flags, integration) => (await import('./pins.ts')).pin(ctx, integration, flags),
});

const unpin = command({
  name: 'unpin',
  summary: 'unpin shards of an integration',
  description:
    'Remove imageRef from the overrides of shards. An override without other fields is removed, and an empty list too; one ' +
    'with resources, disabled or subSharding is kept.',
  arguments: [INTEGRATION],
  options: UNPIN,
  examples: ['echelon unpin terraform-resources --all -e production'],
  run: async (ctx, flags, integration) => (await import('./pins.ts')).unpin(ctx, integration, flags),
});

const pins = command({
  name: 'pins',
  summary: 'list pinned shards',
  description:
    'List pinned shards with the age of the pin (from git), its reason and its last day. With --live, also check the ' +
    'clusters, as manager status does, and exit 1 when a shard does not run its pinned image.',
  options: PINS,
  examples: ['echelon pins --older-than 30d', 'echelon pins --live'],
  run: async (ctx, flags) => (await import('./pins.ts')).pins(ctx, flags),
});

const DECIDED = { ...FLEET, ...ROLLOUTS };
const STATUS = {
  ...DECIDED,
  ...watchUntil('no track moves on by itself: completed, halted and taken back, paused or rejected'),
};
const HISTORY = {
  ...SCOPE,
  ...ROLLOUT_RECORD,
  ...PRINTED,
  since: option('--since <time>', 'only from then on: a duration before now, such as 7d, or a time'),
};
export type RolloutViewFlags = FlagsOf<typeof DECIDED>;
export type RolloutStatusFlags = FlagsOf<typeof STATUS>;
export type RolloutHistoryFlags = FlagsOf<typeof HISTORY>;

const VIEWS: readonly AnyCommand[] = [
  command({
    name: 'status',
    summary: 'show tracks and waves: shards on the target, soak and state',
    description:
      'Show every wave of every track: how many shards run the target and have soaked it, and why it has not passed. ' +
      'Exits 1 when a track is halted or something else needs a human.',
    options: STATUS,
    examples: ['echelon rollout status', 'echelon rollout status --watch'],
    exits: { 130: 'interrupted, with --watch while something was waited for' },
    run: async (ctx, flags) => (await import('./rollout.ts')).status(ctx, flags),
  }),
  command({
    name: 'explain',
    summary: 'show every gate of a shard, and when it can open',
    description: 'Show every gate between a shard, given by id or name, and its target, and when each can open.',
    arguments: [argument('<shard>', '', { completes: 'shards' })],
    options: DECIDED,
    examples: ['echelon rollout explain terraform-resources/payments-ci'],
    run: async (ctx, flags, shard) => (await import('./rollout.ts')).explain(ctx, shard, flags),
  }),
  command({
    name: 'forecast',
    summary: 'show when each wave opens at the earliest',
    description: 'Show when each wave begins and has passed at the earliest, if everything stays healthy.',
    options: {
      ...DECIDED,
      poll: parsed('--poll <duration>', 'what the manager gets as --poll (default: 60s)', seconds),
    },
    examples: ['echelon rollout forecast'],
    run: async (ctx, flags) => (await import('./rollout.ts')).forecast(ctx, flags),
  }),
  command({
    name: 'history',
    summary: 'show what happened, newest first',
    description:
      'Show what happened in all tracks, in one, or to a shard given by id or name, newest first: targets, moves, soak, waves, ' +
      'failures, returns and overrules that took effect. Only the record is read, and which one from manager.yml.',
    arguments: [argument('[track-or-shard]', '')],
    options: HISTORY,
    examples: ['echelon rollout history terraform-production --since 7d'],
    run: async (ctx, flags, of) => (await import('./rollout.ts')).history(ctx, of, flags),
  }),
];

const OVERRULE = {
  ...INSTANCE,
  ...ROLLOUTS_FILE,
  ...PRINTED,
  reason: required(option('--reason <text>', 'why')),
  dryRun: flag('--dry-run', 'show the diff without writing it'),
};
const IMAGE = 'the whole image, its tag, or its tag and digest';
const ANY_IMAGE = { image: option('--image <image>', `${IMAGE} (default: every image)`) };
const THE_IMAGE = { image: required(option('--image <image>', IMAGE)) };
const END = {
  until: option('--until <time>', 'its end, such as 2026-12-01T18:00:00Z'),
  for: option('--for <duration>', 'its end from now, such as 30m, 4h or 1d'),
};
const DIGEST = { digest: required(option('--digest <digest>', 'of the difference, as explain shows it')) };
export type OverruleFlags = FlagsOf<typeof OVERRULE> &
  Partial<FlagsOf<typeof ANY_IMAGE> & FlagsOf<typeof END> & FlagsOf<typeof DIGEST>>;
export type OverruleAction = 'pause' | 'resume' | 'expedite' | 'reject' | 'accept-shadow';

function overrule(
  action: OverruleAction,
  summary: string,
  own: typeof THE_IMAGE | typeof ANY_IMAGE,
  example: string,
): AnyCommand {
  return command({
    name: action,
    summary,
    description:
      `Add an overrule to resources/echelon/rollouts.yml or the file of --rollouts: ${summary}. Comments, order and all other bytes are kept. ` +
      'It has effect once managers read the changed file.',
    arguments: [argument('<track>', '')],
    options: { ...OVERRULE, ...own },
    examples: [example],
    run: async (ctx, flags, track) => (await import('./rollout.ts')).overrule(ctx, { track, action }, flags),
  });
}

const rollout = command({
  name: 'rollout',
  summary: 'show and decide how new images reach shards in waves',
  description: 'Show and decide how new images reach shards in waves.',
  commands: [
    ...VIEWS,
    overrule(
      'pause',
      'move no further shard of a track for a while',
      { ...ANY_IMAGE, ...END },
      "echelon rollout pause terraform-production --for 4h --reason 'INC-123'",
    ),
    overrule(
      'resume',
      'lift failures and rejections of an image that came before',
      THE_IMAGE,
      "echelon rollout resume terraform-production --image 19e1349 --reason 'INC-123 is over'",
    ),
    overrule(
      'expedite',
      'open wave, window and freeze to an image for a while',
      { ...THE_IMAGE, ...END },
      "echelon rollout expedite terraform-production --image 19e1349 --for 2h --reason 'CVE fix'",
    ),
    overrule(
      'reject',
      'keep an image from all further shards of a track',
      THE_IMAGE,
      "echelon rollout reject terraform-production --image 19e1349 --reason 'INC-123'",
    ),
    overrule(
      'accept-shadow',
      'let the difference through that a shadow found',
      { ...DIGEST, ...ANY_IMAGE },
      "echelon rollout accept-shadow terraform-production --digest sha256:8f3a5c0d1e2b --reason 'as intended'",
    ),
  ],
});

const SHADOW = {
  candidate: required(option('--candidate <image>', 'the new image, or its tag')),
  baseline: option(
    '--baseline <image>',
    'the image to compare with, or its tag (default: the image that the shard runs)',
  ),
  shard: list('--shard <name>', 'only this shard (repeatable)', { completes: 'shards' }),
  repeat: usually(
    parsed('--repeat <n>', 'first run the baseline n times; what differs between its runs does not count', wholeNumber),
    0,
  ),
  logDir: usually(option('--log-dir <dir>', 'folder for the logs of the runs'), 'shadow-logs'),
  record: flag('--record', 'store what was found in the record of rollouts, for tracks that require a shadow'),
  jobs: usually(parsed('-j, --jobs <n>', 'number of shards at the same time, each with two runs', wholeNumber), 2),
  ...INSTANCE,
  ...SCOPE,
  ...CAPABILITIES,
  ...CHART,
  ...IMAGES,
  ...ROLLOUT_RECORD,
  ...CLUSTERS,
  ...runner(['kubernetes']),
  ...printed(['table', 'wide', 'json', 'yaml', 'markdown', 'junit']),
};
export type ShadowFlags = FlagsOf<typeof SHADOW>;

const shadow = command({
  name: 'shadow',
  summary: 'compare what a new image would do with what the current one does, in dry run',
  description:
    'Run two images of an integration in dry run, on the same shard, with the same data, at the same time, and compare the ' +
    'actions that each reports. Starts nothing but dry runs; integrations that write in dry run are refused. Exits 0 if ' +
    'the actions are the same, 1 if they differ, 2 if they could not be compared.',
  arguments: [argument('<integration>', '', { completes: 'integrations' })],
  options: SHADOW,
  examples: ['echelon shadow terraform-resources --shard payments-ci --candidate 19e1349'],
  exits: { 0: 'the same actions', 1: 'other actions', 2: 'could not be compared' },
  errorExit: 2,
  run: async (ctx, flags, integration) => (await import('./shadow.ts')).shadow(ctx, integration, flags),
});

export const COMMANDS: readonly AnyCommand[] = [pin, unpin, pins, rollout, shadow];
