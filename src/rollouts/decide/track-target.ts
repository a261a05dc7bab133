import type { Instant } from '../../gates/index.ts';
import type { Failure, TrackRecord } from '../record/record.ts';
import { inForce, isResumedSince, rejectionOf, type TrackRules } from './track-rules.ts';

/** The failures that halt a track, by image: those of its shards, and those noted under its name (D6). */
export function haltingFailures(
  { track, overrules }: TrackRules,
  failures: readonly Failure[],
  hasShard: (id: string) => boolean,
  now: Instant,
): Map<string, Failure> {
  const byImage = new Map<string, Failure>();
  for (const failure of failures) {
    const { image, shard, at } = failure;
    if (failure.track !== track.name && !hasShard(shard)) continue;
    if (!isResumedSince(overrules, image, at, now) && !byImage.has(image)) byImage.set(image, failure);
  }
  return byImage;
}

/** The image that a track moves to now: the declared one, unless the one under way must end first (D9). */
export function targetOf(
  { track, overrules }: TrackRules,
  declared: string,
  before: TrackRecord | undefined,
  { halting, now }: { readonly halting: ReadonlyMap<string, Failure>; readonly now: Instant },
): string {
  if (track.supersede === 'restart' || before === undefined || before.isComplete) return declared;
  const hasEnded = halting.has(before.target) || rejectionOf(overrules, before.target, now) !== undefined;
  const comesFirst = declared === before.stable || inForce(overrules, 'expedite', declared, now) !== undefined;
  return hasEnded || comesFirst ? declared : before.target;
}
