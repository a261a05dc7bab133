import type { KubeObject } from '../desired/desired-namespace.ts';
import { isJoint, isOfRepository } from './joint-objects.ts';
import { mayDelete, ownerOf } from './ownership.ts';
import type { PlanItem } from './plan-item.ts';
import { callersOf, type OwnedOptions, type Place, type PlanOptions } from './plan-options.ts';
import { seenOf } from './seen.ts';

export function planRemoval(place: Place, live: KubeObject, options: OwnedOptions): PlanItem[] {
  if (!mayRemove(live, options) || isOfAnotherUpstream(place, live, options)) return [];
  return [
    {
      ...place,
      kind: live.kind,
      name: live.metadata.name,
      action: 'delete',
      seen: seenOf(live),
      reason: 'no integration declares it any more',
    },
  ];
}

/** A manager of one upstream leaves alone what is declared for another, even if it was written as its own. */
function isOfAnotherUpstream({ namespace }: Place, live: KubeObject, { scope, declaredFor }: PlanOptions): boolean {
  if (scope?.upstream === undefined) return false;
  const declared = declaredFor?.(live, namespace);
  return declared !== undefined && declared.upstream !== scope.upstream;
}

/** A joint object goes with the last workload of any manager. */
function mayRemove(live: KubeObject, options: OwnedOptions): boolean {
  const { callers, instance, neighbours } = options;
  const own = callersOf(options);
  if (!isJoint(live)) return mayDelete(live, own) || (callers !== undefined && isManagedHere(live, instance));
  if (neighbours.any || ownerOf(live, own) !== 'ours') return false;
  return mayDelete(live, own) || isOfRepository(live, instance);
}

/** The manager of all upstreams also removes what was written for one that is gone. */
function isManagedHere(live: KubeObject, instance: string | undefined): boolean {
  return ownerOf(live, []) === 'another-manager' && isOfRepository(live, instance);
}
