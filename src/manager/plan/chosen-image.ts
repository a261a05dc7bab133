import { isJson } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { firstImage } from '../desired/identity.ts';
import { heldObject } from './held-object.ts';
import { type ImageChoice, withImage } from './image-choice.ts';
import { replicasHolder } from './scaled-by-hand.ts';

/** What to apply under a rollout's choice, or that the object is left as it is. */
export type Chosen = { readonly object: KubeObject } | { readonly left: string };

/** The object to compare with the live one instead of the desired one. Pure. */
export function chosenObject(desired: KubeObject, live: KubeObject | undefined, choice: ImageChoice): Chosen {
  if (choice.kind === 'hold') {
    const held = live === undefined ? undefined : heldObject(live, desired);
    return held === undefined ? { left: choice.reason } : { object: held };
  }
  if (live === undefined) return { object: withImage(desired, choice.image) };
  const object = withImage(heldObject(live, desired) ?? desired, choice.image);
  if (choice.from === undefined) return { object };
  const runs = firstImage(live);
  if (runs !== choice.from) return { left: `it does not run ${choice.from} any more, but ${runs ?? 'no image'}` };
  return { object: replicasHolder(live, object) === undefined ? object : withoutReplicas(object) };
}

/** A return is not refused for the number that somebody scaled to: whoever starts a stopped workload again starts the good image. */
function withoutReplicas(object: KubeObject): KubeObject {
  const { replicas: _, ...spec } = isJson(object['spec']) ? object['spec'] : {};
  return { ...object, spec };
}
