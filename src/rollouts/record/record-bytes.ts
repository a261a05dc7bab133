import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { byText, defined, EchelonError } from '../../base/index.ts';
import type { ClockBehind, Instant, Streak } from '../../gates/index.ts';
import { historyJson, historyOf, historyShape } from './history-bytes.ts';
import {
  emptyScope,
  type Failure,
  type MoveRecord,
  type RolloutRecord,
  type ScopeRecord,
  type ShardRecord,
  scopeKey,
  type TrackRecord,
} from './record.ts';
import type { ShadowRecord } from './shadow-record.ts';

/** A higher one is from a later Echelon. Format 1 had no history, format 2 no `runs` of moves: both are read without. */
const FORMAT = 3;
/** Plain text before the compressed part, so that every Echelon can read the format. */
const HEADER = /^echelon-rollouts (\d{1,9})\n/;
const LONGEST_HEADER = 32;
/** A record of 5,000 shards takes a tenth of it. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const instant = z
  .number()
  .int()
  .transform((micros) => micros as Instant);
const streak = z
  .tuple([z.number().min(0), z.boolean()])
  .transform(([micros, sighted]): Streak => ({ micros, sighted }));
const index = z.number().int().min(0);

const moveShape = z.strictObject({
  i: index,
  f: index.exactOptional(),
  t: instant,
  e: z.boolean(),
  d: z.literal(true).exactOptional(),
  o: index.exactOptional(),
  w: z.boolean(),
  n: z.string().exactOptional(),
  a: z.literal(true).exactOptional(),
  y: z.boolean(),
  u: streak.exactOptional(),
  h: streak.exactOptional(),
  r: z.number(),
  l: z.number(),
  q: z.number(),
});

const shadowShape = z.strictObject({
  i: index,
  b: index,
  t: instant,
  a: instant.exactOptional(),
  r: z.enum(['same', 'different', 'inconclusive']),
  n: z.number().int().min(0),
  d: z.string().exactOptional(),
  x: z.string().exactOptional(),
});

const shardShape = z.strictObject({
  id: z.string(),
  n: z.string(),
  s: z.string(),
  p: z.string().exactOptional(),
  i: index.exactOptional(),
  g: index.exactOptional(),
  k: streak.exactOptional(),
  m: moveShape.exactOptional(),
  h: z.tuple([index, z.string()]).exactOptional(),
  c: shadowShape.exactOptional(),
});

const trackShape = z.strictObject({
  name: z.string(),
  target: index,
  since: instant,
  complete: z.boolean(),
  stable: index.exactOptional(),
  noted: z.strictObject({ waves: z.array(z.string()), overrules: z.array(z.string()) }).exactOptional(),
});

const failureShape = z.strictObject({
  shard: z.string(),
  image: index,
  at: instant,
  track: z.string(),
  reason: z.string(),
});

const documentShape = z.strictObject({
  checkIn: instant.exactOptional(),
  behind: z.tuple([instant, z.number().min(0)]).exactOptional(),
  images: z.array(z.string()),
  scopes: z.array(
    z.strictObject({
      environment: z.string(),
      upstream: z.string(),
      shards: z.array(shardShape),
      tracks: z.array(trackShape),
      failures: z.array(failureShape),
      history: historyShape.exactOptional(),
    }),
  ),
});

type Input = z.input<typeof documentShape>;
type Output = z.output<typeof documentShape>;

/** The stored form: the same bytes for the same record, 5,000 shards in less than 512 KiB. */
export function formatRecord(record: RolloutRecord): Uint8Array {
  const images = imageTable(record);
  const at = new Map(images.map((image, position) => [image, position]));
  const to = (image: string): number => at.get(image) ?? 0;
  const { checkIn, behind } = record;
  const scopes = [...record.scopes].sort(([a], [b]) => byText(a, b)).map(([, scope]) => scopeJson(scope, to));
  const document: Input = {
    ...defined({ checkIn }),
    ...(behind === undefined ? {} : { behind: [behind.at, behind.micros] }),
    images,
    scopes,
  };
  const compressed = gzipSync(JSON.stringify(document));
  return Buffer.concat([Buffer.from(`echelon-rollouts ${FORMAT}\n`), compressed]);
}

/** Throws RECORD_NEWER or RECORD_CORRUPT for anything but a complete record; `where` names it. */
export function parseRecord(bytes: Uint8Array, where: string): RolloutRecord {
  const buffer = Buffer.from(bytes);
  const [header, format] = HEADER.exec(buffer.subarray(0, LONGEST_HEADER).toString('latin1')) ?? [];
  if (header === undefined) throw corrupt(where, 'it is not a rollout record');
  if (Number(format) > FORMAT) throw newer(where, Number(format));
  const parsed = documentShape.safeParse(documentOf(buffer.subarray(header.length), where));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw corrupt(where, `${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
  }
  return recordOf(parsed.data, where);
}

/** Compression has a checksum of its own. */
function documentOf(compressed: Buffer, where: string): unknown {
  try {
    return JSON.parse(gunzipSync(compressed, { maxOutputLength: MAX_TEXT_BYTES }).toString('utf8'));
  } catch {
    throw corrupt(where, 'it is damaged');
  }
}

function imageTable({ scopes }: RolloutRecord): string[] {
  const images = new Set([...scopes.values()].flatMap(imagesOf));
  return [...images].filter((image) => image !== undefined).sort(byText);
}

function imagesOf({ shards, tracks, failures, history }: ScopeRecord): (string | undefined)[] {
  return [
    ...[...shards.values()].flatMap(({ image, good, move, held, shadow }) => [
      ...[image, good, move?.image, move?.returnFrom, move?.instead, held?.target, shadow?.image, shadow?.baseline],
    ]),
    ...[...tracks.values()].flatMap(({ target, stable }) => [target, stable]),
    ...failures.map(({ image }) => image),
    ...history.map(({ image }) => image),
  ];
}

function scopeJson(scope: ScopeRecord, to: (image: string) => number): Input['scopes'][number] {
  const { environment, upstream, failures, history } = scope;
  const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => byText(a, b));
  const shards = sorted(scope.shards);
  const ids = shards.map(([id]) => id);
  return {
    environment,
    upstream,
    shards: shards.map(([id, shard]) => shardJson(id, shard, to)),
    tracks: sorted(scope.tracks).map(([name, { target, since, isComplete, stable, noted }]) => ({
      name,
      target: to(target),
      since,
      complete: isComplete,
      ...(stable === undefined ? {} : { stable: to(stable) }),
      ...(noted === undefined ? {} : { noted: { waves: [...noted.waves], overrules: [...noted.overrules] } }),
    })),
    failures: failures.map(({ shard, image, at, track, reason }) => ({ shard, image: to(image), at, track, reason })),
    ...(history.length === 0 ? {} : { history: historyJson(history, ids, to) }),
  };
}

function shardJson(id: string, shard: ShardRecord, to: (image: string) => number) {
  const { integration, shard: name, parent, image, good, soak, move, held, shadow } = shard;
  return {
    id,
    n: integration,
    s: name,
    ...defined({ p: parent }),
    ...(image === undefined ? {} : { i: to(image) }),
    ...(good === undefined ? {} : { g: to(good) }),
    ...(soak === undefined ? {} : { k: streakJson(soak) }),
    ...(move === undefined ? {} : { m: moveJson(move, to) }),
    ...(held === undefined ? {} : { h: [to(held.target), held.track] as [number, string] }),
    ...(shadow === undefined ? {} : { c: shadowJson(shadow, to) }),
  };
}

function shadowJson(shadow: ShadowRecord, to: (image: string) => number): z.input<typeof shadowShape> {
  const { image, baseline, at, triedAt, result, differences, digest, text } = shadow;
  const told = defined({ a: triedAt, d: digest, x: text });
  return { i: to(image), b: to(baseline), t: at, r: result, n: differences, ...told };
}

function moveJson(move: MoveRecord, to: (image: string) => number): z.input<typeof moveShape> {
  return {
    i: to(move.image),
    ...(move.returnFrom === undefined ? {} : { f: to(move.returnFrom) }),
    t: move.at,
    e: move.seen,
    ...defined({ d: move.missed }),
    ...(move.instead === undefined ? {} : { o: to(move.instead) }),
    w: move.wasHealthy,
    ...defined({ n: move.runs, a: move.altersTemplate }),
    y: move.steady,
    ...(move.unready === undefined ? {} : { u: streakJson(move.unready) }),
    ...(move.healthy === undefined ? {} : { h: streakJson(move.healthy) }),
    r: move.restarts,
    l: move.lastRestarts,
    q: move.wrong,
  };
}

function streakJson({ micros, sighted }: Streak): [number, boolean] {
  return [micros, sighted];
}

function recordOf({ checkIn, behind, images, scopes }: Output, where: string): RolloutRecord {
  const textAt = (texts: readonly string[], position: number): string => {
    const text = texts[position];
    if (text === undefined) throw corrupt(where, `it has no name or image ${position}`);
    return text;
  };
  const from = (position: number): string => textAt(images, position);
  const pastOf = ({ history, shards }: Output['scopes'][number]): ScopeRecord['history'] => {
    const ids = shards.map(({ id }) => id);
    return history === undefined ? [] : historyOf(history, ids, from, textAt);
  };
  return {
    ...defined({ checkIn }),
    ...(behind === undefined ? {} : { behind: { at: behind[0], micros: behind[1] } satisfies ClockBehind }),
    scopes: new Map(
      scopes.map((scope) => [
        scopeKey(scope),
        {
          ...emptyScope(scope),
          shards: new Map(scope.shards.map((shard) => [shard.id, shardOf(shard, from)])),
          tracks: new Map(scope.tracks.map((track) => [track.name, trackOf(track, from)])),
          failures: scope.failures.map((failure): Failure => ({ ...failure, image: from(failure.image) })),
          history: pastOf(scope),
        },
      ]),
    ),
  };
}

function shardOf(raw: z.output<typeof shardShape>, from: (position: number) => string): ShardRecord {
  const { n, s, p, i, g, k, m, h, c } = raw;
  return {
    integration: n,
    shard: s,
    ...defined({ parent: p }),
    ...(i === undefined ? {} : { image: from(i) }),
    ...(g === undefined ? {} : { good: from(g) }),
    ...defined({ soak: k }),
    ...(m === undefined ? {} : { move: moveOf(m, from) }),
    ...(h === undefined ? {} : { held: { target: from(h[0]), track: h[1] } }),
    ...(c === undefined ? {} : { shadow: shadowOf(c, from) }),
  };
}

function shadowOf(raw: z.output<typeof shadowShape>, from: (position: number) => string): ShadowRecord {
  const { i, b, t, a, r, n, d, x } = raw;
  const told = defined({ triedAt: a, digest: d, text: x });
  return { image: from(i), baseline: from(b), at: t, result: r, differences: n, ...told };
}

function moveOf(raw: z.output<typeof moveShape>, from: (position: number) => string): MoveRecord {
  return {
    image: from(raw.i),
    ...(raw.f === undefined ? {} : { returnFrom: from(raw.f) }),
    at: raw.t,
    seen: raw.e,
    ...defined({ missed: raw.d }),
    ...(raw.o === undefined ? {} : { instead: from(raw.o) }),
    wasHealthy: raw.w,
    ...defined({ runs: raw.n, altersTemplate: raw.a }),
    steady: raw.y,
    ...defined({ unready: raw.u, healthy: raw.h }),
    restarts: raw.r,
    lastRestarts: raw.l,
    wrong: raw.q,
  };
}

function trackOf(raw: z.output<typeof trackShape>, from: (position: number) => string): TrackRecord {
  return {
    target: from(raw.target),
    since: raw.since,
    isComplete: raw.complete,
    ...(raw.stable === undefined ? {} : { stable: from(raw.stable) }),
    ...defined({ noted: raw.noted }),
  };
}

function corrupt(where: string, why: string): EchelonError {
  return new EchelonError({
    code: 'RECORD_CORRUPT',
    message: `cannot read the rollout record ${where}: ${why}`,
    hint: 'restore an earlier version of it, or delete it to start every rollout again at its first wave',
  });
}

function newer(where: string, format: number): EchelonError {
  return new EchelonError({
    code: 'RECORD_NEWER',
    message: `the rollout record ${where} is from a newer Echelon: it has format ${format}, this Echelon reads up to ${FORMAT}`,
    hint: 'update Echelon; the record is complete, and is kept as it is',
  });
}
