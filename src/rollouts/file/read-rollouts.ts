import * as z from 'zod';
import {
  count,
  EchelonError,
  FIVE_FIELDS_PATTERN,
  memoize,
  type Suggest,
  shown,
  suggestions,
} from '../../base/index.ts';
import {
  everMatches,
  INSTANT_PATTERN,
  type Instant,
  instantOf,
  parseInstant,
  scheduleFault,
} from '../../gates/index.ts';
import { type Finding, type Problem, problemLine, readEchelonFile } from '../../instance/index.ts';
import { DURATION_PATTERN, parseDuration } from './duration.ts';
import { OVERRULE_ACTIONS, type RolloutFile } from './rollout-file.ts';

const text = z.string().min(1, 'must not be empty');
const names = z.array(text).min(1, 'must have at least one entry');

function issue(message: string, hint: string) {
  return { code: 'custom' as const, message, params: { rule: 'bad-value', hint } };
}

const duration = text
  .transform((given, context): number => {
    const micros = parseDuration(given);
    if (micros !== undefined) return micros;
    context.addIssue(issue(`${shown(given)} is not a duration`, 'use a number with a unit, such as 30m, 4h or 1d'));
    return z.NEVER;
  })
  .meta({ pattern: DURATION_PATTERN });

/** YAML reads a time that is not quoted as a date. */
const instant = z
  .union([text, z.date()])
  .transform((given, context): Instant => {
    const time = given instanceof Date ? instantOf(given.getTime()) : parseInstant(given);
    if (time !== undefined && !Number.isNaN(time)) return time;
    context.addIssue(issue(`${shown(given)} is not a time in ISO 8601`, 'use a time such as 2026-12-20T00:00:00Z'));
    return z.NEVER;
  })
  .meta({ pattern: INSTANT_PATTERN });

const window = text
  .superRefine((given, context) => {
    const fault = scheduleFault(given, 'five-fields');
    const hint = 'use minute hour day month weekday in UTC, such as * 8-16 * * 1-4';
    if (fault !== undefined) context.addIssue(issue(`${shown(given)} is not a valid window: ${fault}`, hint));
    else if (!everMatches(given, 'five-fields'))
      context.addIssue(issue(`the window ${shown(given)} never opens`, hint));
  })
  .meta({ pattern: FIVE_FIELDS_PATTERN });

const match = z.strictObject({ environments: names.exactOptional(), integrations: names.exactOptional() });

const shadow = z.strictObject({ maxDifferences: z.number().int().min(0) });

const wave = z.strictObject({
  name: text,
  shards: names.exactOptional(),
  percent: z.number().gt(0).max(100).exactOptional(),
  soak: duration.prefault('1h'),
  maxParallel: z.number().int().min(1).default(10),
  shadow: shadow.exactOptional(),
});

const health = z.strictObject({
  maxRestarts: z.number().int().min(0).default(1),
  progressDeadline: duration.prefault('10m'),
  queries: z.array(text),
});

const track = z.strictObject({
  name: text,
  match,
  waves: z.array(wave).min(1, 'must have at least one wave').max(100, 'must have at most 100 waves'),
  window: window.exactOptional(),
  health,
  shadow: shadow.exactOptional(),
  onFailure: z.enum(['halt', 'rollback']).default('halt'),
  supersede: z.enum(['restart', 'queue']).default('restart'),
});

const expectation = z
  .strictObject({ min: z.number().exactOptional(), max: z.number().exactOptional() })
  .superRefine(({ min, max }, context) => {
    if (min === undefined && max === undefined) context.addIssue(issue('it expects nothing', 'set min, max or both'));
    if (min !== undefined && max !== undefined && min > max)
      context.addIssue(issue('no sample can be as expected: min is above max', 'correct min or max'));
  })
  .meta({ anyOf: [{ required: ['min'] }, { required: ['max'] }] });

const query = z.strictObject({ name: text, promql: text, expect: expectation });

const span = ({ from, until }: { from: Instant; until?: Instant | undefined }, context: z.RefinementCtx): void => {
  if (until !== undefined && until <= from)
    context.addIssue({ ...issue('it ends before it begins', 'correct one of the times'), path: ['until'] });
};

const freeze = z
  .strictObject({ name: text, from: instant, until: instant, match: match.default({}), reason: text })
  .superRefine(span);

const overrule = z
  .strictObject({
    track: text,
    action: z.enum(OVERRULE_ACTIONS),
    image: text.exactOptional(),
    digest: z
      .string()
      .regex(/^sha256:[0-9a-f]{12,64}$/, 'is not sha256: and 12 to 64 hexadecimal digits')
      .exactOptional(),
    at: instant,
    until: instant.exactOptional(),
    reason: text,
  })
  .superRefine((given, context) => {
    const { action, image, digest, at, until } = given;
    const accepts = action === 'accept-shadow';
    const ends = action === 'pause' || action === 'expedite';
    const wrong = (message: string, hint: string, key: string): void =>
      context.addIssue({ ...issue(message, hint), path: [key] });
    if (ends && until === undefined) wrong(`${action} needs an end`, 'add until', 'action');
    if (!ends && until !== undefined) wrong(`${action} has no end`, 'remove until', 'until');
    if (accepts && digest === undefined) wrong(`${action} needs a digest`, 'add digest, as explain shows it', 'action');
    if (!accepts && digest !== undefined) wrong(`${action} has no digest`, 'remove digest', 'digest');
    if (action !== 'pause' && !accepts && image === undefined) wrong(`${action} needs an image`, 'add image', 'action');
    span({ from: at, until }, context);
  })
  .meta({
    oneOf: [
      { properties: { action: { const: 'pause' } }, required: ['until'], not: { required: ['digest'] } },
      { properties: { action: { const: 'expedite' } }, required: ['until', 'image'], not: { required: ['digest'] } },
      {
        properties: { action: { enum: ['resume', 'reject'] } },
        required: ['image'],
        not: { anyOf: [{ required: ['until'] }, { required: ['digest'] }] },
      },
      { properties: { action: { const: 'accept-shadow' } }, required: ['digest'], not: { required: ['until'] } },
    ],
  });

/** Every shard is compared with every track, and with what the file says about it. */
const MOST_ENTRIES = 1_000;
const TOO_MANY = `must have at most ${MOST_ENTRIES} entries`;

/** What the file may contain. */
export const rolloutsShape = z.strictObject({
  tracks: z.array(track).max(MOST_ENTRIES, TOO_MANY).default([]),
  queries: z.array(query).max(MOST_ENTRIES, TOO_MANY).default([]),
  freezes: z.array(freeze).max(MOST_ENTRIES, TOO_MANY).default([]),
  overrules: z.array(overrule).max(MOST_ENTRIES, TOO_MANY).default([]),
});

/** The fields of each mapping, by its path with `#` for positions. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(rolloutsShape.shape),
  'tracks.#': Object.keys(track.shape),
  'tracks.#.match': Object.keys(match.shape),
  'tracks.#.waves.#': Object.keys(wave.shape),
  'tracks.#.waves.#.shadow': Object.keys(shadow.shape),
  'tracks.#.shadow': Object.keys(shadow.shape),
  'tracks.#.health': Object.keys(health.shape),
  'queries.#': Object.keys(query.shape),
  'queries.#.expect': Object.keys(expectation.shape),
  'freezes.#': Object.keys(freeze.shape),
  'freezes.#.match': Object.keys(match.shape),
  'overrules.#': Object.keys(overrule.shape),
};

type Found = Omit<Finding, 'path'>;

/** Parses the file; with a problem there is no file, since half of one could open a gate (F3). */
export function readRollouts(
  content: string,
  name: string,
): { readonly file?: RolloutFile; readonly problems: readonly Problem[] } {
  return readEchelonFile<RolloutFile>(content, name, {
    schema: rolloutsShape,
    fields: FIELDS,
    emptyHint: 'add tracks, or remove the file',
    doubts,
  });
}

const MAX_KNOWN = 4;
/** Every pass of a loop asks for the same file. */
const readBefore = memoize(MAX_KNOWN, (key) => readRollouts(...(JSON.parse(key) as [string, string])));

/** Throws ROLLOUTS_INVALID with the first problems, each with file:line:column. */
export function requireRollouts(content: string, name: string): RolloutFile {
  const { file: read, problems } = readBefore(JSON.stringify([content, name]));
  if (read !== undefined) return read;
  throw new EchelonError({
    code: 'ROLLOUTS_INVALID',
    message: problemLine(problems),
    hint: `fix ${count(problems.length, 'problem')}; until then every shard that is not pinned keeps its image, in a track or not`,
  });
}

/** Names that are used twice, or that nothing has. */
function doubts({ tracks, queries, freezes, overrules }: RolloutFile): Found[] {
  const trackNames = tracks.map(({ name }) => name);
  const queryNames = queries.map(({ name }) => name);
  const [allTracks, allQueries] = [new Set(trackNames), new Set(queryNames)];
  const suggest = suggestions();
  return [
    ...repeated('track', trackNames, (at) => ['tracks', at, 'name']),
    ...repeated('query', queryNames, (at) => ['queries', at, 'name']),
    ...repeated(
      'freeze',
      freezes.map(({ name }) => name),
      (at) => ['freezes', at, 'name'],
    ),
    ...tracks.flatMap(({ waves, health: { queries: used } }, at) => [
      ...repeated(
        'wave',
        waves.map(({ name }) => name),
        (wave_) => ['tracks', at, 'waves', wave_, 'name'],
      ),
      ...used.flatMap((name, place) =>
        unknownName('query', name, allQueries, { keys: ['tracks', at, 'health', 'queries', place], suggest }),
      ),
    ]),
    ...overrules.flatMap(({ track: name }, at) => {
      const found = unknownName('track', name, allTracks, { keys: ['overrules', at, 'track'], suggest });
      return found.map((each) => ({ ...each, hint: `${each.hint}; if the track is gone, remove its overrules` }));
    }),
  ];
}

function repeated(what: string, all: readonly string[], keys: (at: number) => Finding['keys']): Found[] {
  const seen = new Set<string>();
  return all.flatMap((name, at): Found[] => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const hint = 'rename one of them';
    return [{ rule: 'duplicate-name', severity: 'error', keys: keys(at), message: `two of ${what} ${name}`, hint }];
  });
}

const MOST_LISTED = 10;

/** The finding for a name that nothing has. */
export function unknownName(
  what: string,
  name: string,
  known: ReadonlySet<string>,
  { keys, suggest }: { readonly keys: Finding['keys']; readonly suggest: Suggest },
): Found[] {
  if (known.has(name)) return [];
  const choice = known.size > MOST_LISTED ? `use the name of a ${what}` : `use one of: ${[...known].join(', ')}`;
  const hint = suggest(name, known, known.size === 0 ? `declare the ${what}, or remove this` : choice);
  return [{ rule: `unknown-${what}`, severity: 'error', keys, message: `no ${what} ${name}`, hint }];
}

/** Nothing declared: no shard is in a track. */
export const NO_ROLLOUTS: RolloutFile = rolloutsShape.parse({});
