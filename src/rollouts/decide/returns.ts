import type { Return } from './decision.ts';
import type { TrackContext } from './rollout-gate.ts';
import type { PlacedSighting } from './seen-shards.ts';
import { rejectionOf } from './track-rules.ts';

/**
 * The next shard that goes back to its good image, one after the other: the failed ones first, then those that took the
 * failed image and have not soaked it, stopped ones last (D8). One that is announced and not written yet is announced again.
 */
export function returnsOf(sightings: readonly PlacedSighting[], context: TrackContext): Return[] {
  const isStopped = ({ facts }: PlacedSighting): boolean => facts.live?.stopped !== undefined;
  const running = sightings.filter((sighting) => !isStopped(sighting));
  const next = nextReturn(running, context);
  return next ?? nextReturn(sightings.filter(isStopped), context) ?? [];
}

/** Undefined when all of them are back. */
function nextReturn(sightings: readonly PlacedSighting[], context: TrackContext): Return[] | undefined {
  const isBegun = (from: string | undefined): boolean => from !== undefined && context.failureOf(from) !== undefined;
  const begun = sightings.find(({ record }) => isBegun(record.move?.returnFrom));
  if (begun !== undefined) return again(begun, context);
  if (context.track.onFailure !== 'rollback') return undefined;
  const able = sightings.flatMap((sighting) => returnOf(sighting, context));
  const next = able.find(({ id, from }) => context.failureOf(from)?.shard === id) ?? able[0];
  return next && [next];
}

/** The way back has few gates: pinned, rejected and halted for the image that it goes back to (D7). */
function returnOf({ facts, record }: PlacedSighting, context: TrackContext): Return[] {
  const { move, good } = record;
  const from = facts.live?.image;
  if (move === undefined || from !== move.image || context.failureOf(from) === undefined) return [];
  if (move.altersTemplate === true || good === undefined || good === from || isOutside(facts)) return [];
  return isBarred(good, context) ? [] : [{ id: facts.id, image: good, from }];
}

function again({ facts, record }: PlacedSighting, context: TrackContext): Return[] {
  const { move } = record;
  if (move?.returnFrom === undefined || facts.live?.image !== move.returnFrom) return [];
  const { image, returnFrom: from } = move;
  const isDue = context.failureOf(from) !== undefined && !isOutside(facts) && !isBarred(image, context);
  return isDue ? [{ id: facts.id, image, from }] : [];
}

function isOutside({ pinned, disabled, seen }: PlacedSighting['facts']): boolean {
  return pinned !== undefined || disabled || !seen;
}

function isBarred(image: string, { failureOf, overrules, now }: TrackContext): boolean {
  return failureOf(image) !== undefined || rejectionOf(overrules, image, now) !== undefined;
}
