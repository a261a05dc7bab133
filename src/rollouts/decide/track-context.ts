import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ScopeFacts } from '../facts.ts';
import type { Track } from '../file/rollout-file.ts';
import type { QueryFinding } from './decision.ts';
import type { ObservedTrack } from './observe-track.ts';
import { queryFindings } from './query-findings.ts';
import type { TrackContext } from './rollout-gate.ts';
import type { PlacedSighting } from './seen-shards.ts';
import { differingShard } from './shadows.ts';
import { inForce, type TrackRules } from './track-rules.ts';
import { type SeenWave, seenWave, type WaveView, waveAt } from './wave-view.ts';

/** Who is under way, by wave and image; moves of this pass are added. */
export class UnderWay {
  readonly #ids = new Map<string, Set<string>>();

  of(wave: number, image: string): Set<string> {
    const key = `${wave} ${image}`;
    const ids = this.#ids.get(key) ?? new Set();
    this.#ids.set(key, ids);
    return ids;
  }
}

export function trackContext(
  rules: TrackRules,
  facts: ScopeFacts,
  { target, sightings, others, halting }: ObservedTrack,
  now: Instant,
): TrackContext & { readonly underWayNow: UnderWay } {
  const { queriesFault } = facts;
  const { findings, ...seen } = wavesIn(rules.track, sightings, target, queriesFault);
  const waves = seen.waves.map((wave) => waveAt(wave, now));
  const underWayNow = underWayIn(others);
  return {
    ...rules,
    environment: facts.environment,
    now,
    target,
    ...(facts.target === target ? {} : { queued: facts.target }),
    waves,
    firstUnpassed: firstUnpassed(waves),
    failureOf: (image) => halting.get(image),
    isExpedited: (image) => inForce(rules.overrules, 'expedite', image, now) !== undefined,
    queryFindings: findings,
    ...defined({ queriesFault, differing: differingShard(rules, others, now) }),
    underWay: (wave, image) => underWayNow.of(wave, image),
    underWayNow,
  };
}

interface SeenWaves {
  readonly waves: readonly SeenWave[];
  readonly findings: readonly QueryFinding[];
  readonly fault: string | undefined;
}

/** Sightings are the same ones while nothing changes in a completed track. */
const WAVES = new WeakMap<ObservedTrack['sightings'], SeenWaves>();

function wavesIn(
  track: Track,
  sightings: ObservedTrack['sightings'],
  target: string,
  fault: string | undefined,
): SeenWaves {
  const known = WAVES.get(sightings);
  if (known !== undefined && known.fault === fault) return known;
  const all = [...sightings.values()];
  const byWave = Map.groupBy(all, ({ wave }) => wave);
  const findings = queryFindings(all, target, track.health, fault);
  const byShard = Map.groupBy(findings, ({ shard }) => shard);
  const view = { target, findingsOf: (id: string) => byShard.get(id) ?? [] };
  const waves = track.waves.map((wave, at) => seenWave(wave, byWave.get(at) ?? [], view));
  const seen = { waves, findings, fault };
  WAVES.set(sightings, seen);
  return seen;
}

function firstUnpassed(waves: readonly WaveView[]): number {
  const at = waves.findIndex(({ isPassed }) => !isPassed);
  return at === -1 ? waves.length : at;
}

function underWayIn(sightings: readonly PlacedSighting[]): UnderWay {
  const underWay = new UnderWay();
  for (const { facts, record, wave } of sightings) {
    const { move } = record;
    if (move === undefined || move.steady || wave === undefined) continue;
    const isOut = facts.pinned !== undefined || facts.disabled || facts.live?.stopped !== undefined;
    if (!isOut) underWay.of(wave, move.image).add(facts.id);
  }
  return underWay;
}
