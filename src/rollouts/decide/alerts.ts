import type { TrackRecord } from '../record/record.ts';
import type { Alert } from './decision.ts';
import type { TrackContext } from './rollout-gate.ts';
import type { PlacedSighting } from './seen-shards.ts';
import { differenceText } from './shadows.ts';
import { isUp } from './sighting.ts';

/** What needs a human. */
export function alertsOf(
  sightings: readonly PlacedSighting[],
  context: TrackContext,
  { isComplete, target, stable }: TrackRecord,
): Alert[] {
  const failure = context.failureOf(target);
  const halted: Alert[] = failure === undefined ? [] : [{ kind: 'halted', ...failure }];
  return [
    ...halted.map(({ kind, shard, image, reason, at }) => ({ kind, shard, image, reason, ...(at && { at }) })),
    ...differs(context, target),
    ...sightings
      .filter((sighting) => !isQuiet(sighting, target))
      .flatMap((sighting) => [
        ...failedReturn(sighting, context),
        ...(isComplete ? failing(sighting, target) : []),
        ...setByHand(sighting, target, stable),
      ]),
  ];
}

/** As most are in most passes: no alert is about it. */
function isQuiet({ facts, record }: PlacedSighting, target: string): boolean {
  return record.move === undefined && facts.live?.image === target && isUp(facts);
}

/** No shard moves to the image before the difference is accepted. */
function differs({ differing }: TrackContext, image: string): Alert[] {
  if (differing === undefined) return [];
  const { id: shard, shadow } = differing;
  return [{ kind: 'shadow-differs', shard, image, reason: `its shadow ${differenceText(shadow)}`, at: shadow.at }];
}

/** The controller waits for a pod that never was ready, also when it is of an older revision. */
const STUCK_POD = '; a StatefulSet keeps a pod that never was ready: delete the pod';

/** It stops the other returns (D8). */
function failedReturn({ facts, record: { move } }: PlacedSighting, { track }: TrackContext): Alert[] {
  if (move?.returnFrom === undefined || (move.unready?.micros ?? 0) < track.health.progressDeadline) return [];
  const stuck = facts.workload === 'StatefulSet' ? STUCK_POD : '';
  const reason = `it did not become healthy after its return from ${move.returnFrom}${stuck}`;
  return [{ kind: 'return-failed', shard: facts.id, image: move.image, reason }];
}

/** After completion a failure moves nothing (D8); a stopped one is not ready on purpose. */
function failing({ facts }: PlacedSighting, target: string): Alert[] {
  const { live } = facts;
  if (!facts.seen || facts.disabled || live?.image !== target || live.stopped !== undefined || isUp(facts)) return [];
  const reason = 'it is not ready, after the rollout completed';
  return [{ kind: 'failing-after-completion', shard: facts.id, image: target, reason }];
}

/** An image that this track did not set; it is left as it is until the shard moves (D2). */
function setByHand({ facts, record }: PlacedSighting, target: string, stable: string | undefined): Alert[] {
  const image = facts.live?.image;
  if (image === undefined || facts.pinned !== undefined || record.good === undefined) return [];
  if ([target, stable, record.good, record.move?.image, record.move?.returnFrom].includes(image)) return [];
  return [
    {
      kind: 'set-by-hand',
      shard: facts.id,
      image,
      reason: `it was set by hand; its last good image is ${record.good}`,
    },
  ];
}
