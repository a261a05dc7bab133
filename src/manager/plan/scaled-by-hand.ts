import { isJson } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { holdersOf, isApplied, isHeld, managersOf } from './field-owners.ts';
import { ANNOTATION, objectHash } from './object-hash.ts';
import { formerEntry } from './take-over.ts';

const REPLICAS = ['spec', 'replicas'] as const;
const SERVER_DEFAULT = 1;

/** Who set a workload's replicas to another number than the desired one; undefined if no one did. */
export function replicasHolder(live: KubeObject, desired: KubeObject): string | undefined {
  const [now, wanted] = [replicasIn(live), replicasIn(desired)];
  if (now === undefined || wanted === undefined || now === wanted) return undefined;
  const isFormer = formerEntry(live);
  const holders = isApplied(live) ? holdersOf(live, REPLICAS, (entry) => !isFormer(entry)) : [];
  if (holders.length > 0) return holders.join(', ');
  return isScaledByHand(live, desired) ? `scaled to ${now} by hand` : undefined;
}

/**
 * Scaling to 0 removes the field's manager and records none (`kubectl scale --replicas=0`), and no later scaling records one
 * either: a number that no manager holds was not applied. Only an unheld 1 may be the server's default, unless exactly what
 * is desired was applied before.
 */
function isScaledByHand(live: KubeObject, desired: KubeObject): boolean {
  if (managersOf(live).length === 0 || isHeld(live, REPLICAS)) return false;
  return replicasIn(live) !== SERVER_DEFAULT || hashOn(live) === (hashOn(desired) ?? objectHash(desired));
}

function replicasIn({ spec }: KubeObject): number | undefined {
  const replicas = isJson(spec) ? spec['replicas'] : undefined;
  return typeof replicas === 'number' ? replicas : undefined;
}

function hashOn({ metadata }: KubeObject): unknown {
  const { annotations } = metadata;
  return isJson(annotations) ? annotations[ANNOTATION.sha256sum] : undefined;
}
