import { fieldsAt, type KubeObject, valueAt } from '../objects.ts';

/** How many pods are wanted, may be there on top, and may be missing during a rollout. */
export function limitsOf(deployment: KubeObject): {
  readonly desired: number;
  readonly surge: number;
  readonly unavailable: number;
} {
  const desired = Number(valueAt(deployment, 'spec', 'replicas') ?? 1);
  if (valueAt(deployment, 'spec', 'strategy', 'type') === 'Recreate')
    return { desired, surge: 0, unavailable: desired };
  const { maxSurge, maxUnavailable } = fieldsAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const surge = share(maxSurge, desired, Math.ceil);
  const unavailable = share(maxUnavailable, desired, Math.floor);
  return { desired, surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, desired) };
}

function share(value: unknown, of: number, round: (number: number) => number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? round((Number(value.slice(0, -1)) * of) / 100)
    : Number(value ?? 0);
}

function wanted(replicaSet: KubeObject): number {
  return Number(valueAt(replicaSet, 'spec', 'replicas') ?? 0);
}

function available(replicaSet: KubeObject): number {
  return Number(valueAt(replicaSet, 'status', 'availableReplicas') ?? 0);
}

/**
 * The next step of a rollout: how many pods each replica set is to have. The newest grows as far as the surge allows,
 * the older shrink, first those that are not available, as far as enough stay available.
 */
export function rollout(
  deployment: KubeObject,
  newest: KubeObject,
  older: readonly KubeObject[],
): Map<KubeObject, number> {
  const { desired, surge, unavailable } = limitsOf(deployment);
  const targets = new Map(older.map((each) => [each, wanted(each)]));
  const present = older.reduce((sum, each) => sum + wanted(each), 0);
  if (valueAt(deployment, 'spec', 'strategy', 'type') === 'Recreate') return recreate(targets, newest, desired);
  const room = Math.max(0, desired + surge - present - wanted(newest));
  const next = wanted(newest) > desired ? desired : Math.min(desired, wanted(newest) + room);
  targets.set(newest, next);
  if (next !== wanted(newest)) return targets;
  const missing = wanted(newest) - available(newest);
  let spare = present + wanted(newest) - (desired - unavailable) - missing;
  for (const each of older) {
    const unhealthy = Math.min(Math.max(0, spare), wanted(each) - available(each));
    targets.set(each, wanted(each) - unhealthy);
    spare -= unhealthy;
  }
  spare = Math.min(
    spare,
    available(newest) + older.reduce((sum, each) => sum + available(each), 0) - (desired - unavailable),
  );
  for (const each of older) {
    const removed = Math.min(Math.max(0, spare), targets.get(each) ?? 0);
    targets.set(each, (targets.get(each) ?? 0) - removed);
    spare -= removed;
  }
  return targets;
}

/** All old pods go before the first new one comes. */
function recreate(targets: Map<KubeObject, number>, newest: KubeObject, desired: number): Map<KubeObject, number> {
  const isLeft = [...targets.keys()].some(
    (each) => Number(valueAt(each, 'status', 'replicas') ?? 0) > 0 || wanted(each) > 0,
  );
  for (const each of targets.keys()) targets.set(each, 0);
  return targets.set(newest, isLeft ? wanted(newest) : desired);
}
