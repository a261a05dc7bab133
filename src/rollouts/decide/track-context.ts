import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ScopeFacts } from '../facts.ts';
import type { ObservedTrack, PlacedSighting } from './observe-track.ts';
import type { TrackContext } from './rollout-gate.ts';
import { differingShard } from './shadows.ts';
import { answerOf } from './sighting.ts';
import { inForce, type TrackRules } from './track-rules.ts';
import { type WaveView, waveView } from './wave-view.ts';

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
  { target, sightings, halting }: ObservedTrack,
  now: Instant,
): TrackContext & { readonly underWayNow: UnderWay } {
  const all = [...sightings.values()];
  const byWave = Map.groupBy(all, ({ wave }) => wave);
  const waves = rules.track.waves.map((wave, at) => waveView(wave, byWave.get(at) ?? [], target, now));
  const underWayNow = underWayIn(all);
  const { queriesFault } = facts;
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
    ...defined({
      queriesFault,
      wrongShard: wrongShard(rules, all, target),
      differing: differingShard(rules, all, now),
    }),
    underWay: (wave, image) => underWayNow.of(wave, image),
    underWayNow,
  };
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
    if (facts.pinned === undefined && !facts.disabled) underWay.of(wave, move.image).add(facts.id);
  }
  return underWay;
}

function wrongShard({ track }: TrackRules, sightings: readonly PlacedSighting[], target: string): string | undefined {
  if (track.health.queries.length === 0) return undefined;
  const found = sightings.find(({ facts: { live, pinned, disabled }, record }) => {
    const isUnderWay = live?.image === target && record.move?.image === target && pinned === undefined && !disabled;
    return isUnderWay && answerOf(live, track.health) === 'wrong';
  });
  return found?.facts.id;
}
