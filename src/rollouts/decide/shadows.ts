import { count } from '../../base/index.ts';
import { type Instant, MICROS } from '../../gates/index.ts';
import type { ShardFacts } from '../facts.ts';
import type { Overrule, ShadowRule, Track } from '../file/rollout-file.ts';
import type { ShardRecord } from '../record/record.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';
import type { ShardVerdicts, WantedShadow } from './decision.ts';
import { names } from './track-rules.ts';

/** A shard whose shadow found what nobody accepted: it halts its track. */
export interface DifferingShard {
  readonly id: string;
  readonly shadow: ShadowRecord;
}

/** How old the data of a comparison may be. */
const FRESH = MICROS.day;
/** After a comparison without a result, or with a difference, it is tried again. */
const TRIED_EVERY = 30 * MICROS.minute;
/** Comparisons of a track that run at the same time. */
export const SHADOWS_AT_ONCE = 4;

const HOW = 'a manager with --shadow-jobs compares it, or record one with: echelon shadow --record';

/** The rule of a shard, by its wave and its track. */
export function shadowRule({ waves, shadow }: Track, wave: number | undefined): ShadowRule | undefined {
  return (wave === undefined ? undefined : waves[wave]?.shadow) ?? shadow;
}

/**
 * What is known of a shard's shadow after a pass: of the target, until the shard runs it. Neither an older comparison nor one
 * without a result makes a difference disappear.
 */
export function shadowAfter(
  { shadow: read, seen, live }: Pick<ShardFacts, 'shadow' | 'seen' | 'live'>,
  before: ShardRecord | undefined,
  target: string,
): ShadowRecord | undefined {
  const known = before?.shadow?.image === target ? before.shadow : undefined;
  if (seen && live?.image === target) return undefined;
  if (read?.image !== target) return known;
  if (known?.result !== 'different') return read;
  if (read.result === 'inconclusive') return { ...known, triedAt: read.at };
  return read.at < known.at ? known : read;
}

interface ShadowContext {
  readonly rule: ShadowRule;
  readonly overrules: readonly Overrule[];
  readonly live: string;
  readonly now: Instant;
}

/** Whether a shard may move by what its shadow found, and why. */
export function shadowVerdict(
  shadow: ShadowRecord | undefined,
  { rule, overrules, live, now }: ShadowContext,
): { readonly ok: boolean; readonly reason: string } {
  if (shadow === undefined) return { ok: false, reason: `no shadow has compared the image yet: ${HOW}` };
  if (shadow.baseline !== live) return { ok: false, reason: `its shadow compared with ${shadow.baseline}: ${HOW}` };
  if (shadow.result === 'inconclusive')
    return { ok: false, reason: `its shadow could not be compared: ${shadow.text ?? 'no reason is known'}` };
  if (!passes(shadow, rule, overrules, now)) return { ok: false, reason: `its shadow ${differenceText(shadow)}` };
  const age = now - shadow.at;
  if (age < 0 || age > FRESH) return { ok: false, reason: `its shadow is older than a day: ${HOW}` };
  if (shadow.differences === 0) return { ok: true, reason: 'its shadow found no difference' };
  const found = count(shadow.differences, 'difference');
  const isAllowed = shadow.differences <= rule.maxDifferences;
  return { ok: true, reason: isAllowed ? `its shadow found ${found}, which is allowed` : `${found} accepted` };
}

/** A comparison with a result that the file allows: by its number of differences, or by their digest. */
function passes(shadow: ShadowRecord, rule: ShadowRule, overrules: readonly Overrule[], now: Instant): boolean {
  if (shadow.differences <= rule.maxDifferences) return true;
  const { digest, image } = shadow;
  return overrules.some(
    (one) =>
      one.action === 'accept-shadow' &&
      one.at <= now &&
      one.digest !== undefined &&
      digest?.startsWith(one.digest) === true &&
      names(one, image),
  );
}

interface Placed {
  readonly facts: ShardFacts;
  readonly record: ShardRecord;
  readonly wave?: number;
}

/** Also of shards that are pinned, disabled or cannot be seen: putting on the brake opens no gate (D2). */
export function differingShard(
  { track, overrules }: { readonly track: Track; readonly overrules: readonly Overrule[] },
  sightings: readonly Placed[],
  now: Instant,
): DifferingShard | undefined {
  for (const { facts, record, wave } of sightings) {
    const rule = shadowRule(track, wave);
    if (record.shadow?.result !== 'different' || rule === undefined) continue;
    if (!passes(record.shadow, rule, overrules, now)) return { id: facts.id, shadow: record.shadow };
  }
  return undefined;
}

/** `would take 2 other actions than the live image (sha256:0123456789ab)`. */
export function differenceText({ differences, digest = '' }: ShadowRecord): string {
  return `differs by ${count(differences, 'action')} (${digest.slice(0, SHOWN_DIGEST)})`;
}

const SHOWN_DIGEST = 'sha256:'.length + 12;

/** What shadows look at of a track. */
interface TrackShadows {
  readonly track: Track;
  readonly overrules: readonly Overrule[];
  readonly target: string;
  readonly now: Instant;
  readonly differing?: DifferingShard;
}

/**
 * The comparisons that shall run now: of the next shards that nothing else keeps from moving, or only that others are under
 * way; and those that run already. A track that a difference halts only tries that one again.
 */
export function wantedShadows(
  verdicts: readonly ShardVerdicts[],
  sightings: ReadonlyMap<string, Placed>,
  context: TrackShadows,
): WantedShadow[] {
  const wanted = verdicts.flatMap(({ id, image, verdicts: rows }) => {
    const closed = rows.filter(({ ok }) => !ok).map(({ gate }) => gate);
    const sighting = sightings.get(id);
    if (sighting === undefined || image !== context.target || !closed.includes('shadow')) return [];
    const isRunning = sighting.facts.shadowRuns === image;
    const baseline = sighting.facts.live?.image;
    if (baseline === undefined || !(isRunning || isNext(closed)) || !isDue(sighting, baseline, context)) return [];
    return [{ id, image, baseline, isRunning }];
  });
  const ahead = verdicts.filter(({ verdicts: rows }) => {
    const closed = rows.filter(({ ok }) => !ok);
    return closed.length === 1 && closed[0]?.gate === 'parallel';
  });
  return wanted
    .toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning))
    .slice(0, Math.max(0, SHADOWS_AT_ONCE - ahead.length))
    .map(({ isRunning: _, ...shadow }) => shadow);
}

function isNext(closed: readonly string[]): boolean {
  return closed.every((gate) => gate === 'shadow' || gate === 'parallel');
}

function isDue({ facts, record, wave }: Placed, baseline: string, context: TrackShadows): boolean {
  const { track, differing, now } = context;
  const { shadow } = record;
  if (shadowRule(track, wave) === undefined || (differing !== undefined && differing.id !== facts.id)) return false;
  if (shadow === undefined || shadow.baseline !== baseline) return true;
  const isOpen = shadow.result !== 'inconclusive' && differing === undefined;
  const age = now - (shadow.triedAt ?? shadow.at);
  return age < 0 || age >= (isOpen ? FRESH : TRIED_EVERY);
}
