import { defined, serverAddress } from '../../base/index.ts';
import type { ClusterAccess } from '../../instance/index.ts';
import type { ItemResult } from '../plan/execute.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import type { Target } from '../plan/observe.ts';
import type { CallerNames } from '../plan/ownership.ts';
import { placeOf } from '../plan/places.ts';
import { instanceId, type OperatedFleet } from './operated-fleet.ts';
import type { ManagerSettings } from './settings.ts';

/** With explicit namespaces only those are observed; otherwise also all others, to find orphaned objects. */
export function declaredTargets(
  fleet: OperatedFleet,
  access: readonly ClusterAccess[],
  {
    namespaces: named,
    caller,
    callers = caller,
  }: Pick<ManagerSettings, 'namespaces' | 'caller'> & { readonly callers?: CallerNames },
): Target[] {
  const groups = Map.groupBy(fleet.groups, ({ namespace }) => namespace.cluster.name);
  const instance = instanceId(fleet);
  const { environment } = fleet.scope;
  return access.map(({ name, serverUrl }) => {
    const declared = (groups.get(name) ?? []).map(({ namespace }) => namespace.name);
    return {
      cluster: name,
      ...defined({ server: serverAddress(serverUrl) }),
      namespaces: [...new Set([...declared, ...(named ?? [])])],
      ...(instance === undefined || named !== undefined
        ? {}
        : { elsewhere: { caller: callers, instance, ...defined({ environment }) } }),
    };
  });
}

/** Adds what an earlier pass managed, so that objects no longer declared there are deleted. */
export function withEarlierTargets(declared: readonly Target[], before: readonly Target[]): Target[] {
  const gone = before.filter(({ cluster }) => !declared.some((target) => target.cluster === cluster));
  return [
    ...declared.map((target) => {
      const earlier = before.find(({ cluster }) => cluster === target.cluster)?.namespaces ?? [];
      return { ...target, namespaces: [...new Set([...target.namespaces, ...earlier])] };
    }),
    ...gone,
  ];
}

export interface PassTargets {
  /** What the pass observed. */
  readonly targets: readonly Target[];
  /** What the instance declares. */
  readonly declared: readonly Target[];
}

/** What the next pass observes too: declared namespaces, and those where own objects could not be deleted. */
export function targetsToKeep(
  { targets, declared }: PassTargets,
  plan: Pick<FleetPlan, 'items' | 'failures'>,
  results: readonly Pick<ItemResult, 'item' | 'outcome'>[],
): Target[] {
  const done = new Set(results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item));
  const left = new Set(plan.items.filter((item) => item.action !== 'keep' && !done.has(item)).map(placeOf));
  const unseen = new Set(
    plan.failures.map(({ cluster, namespace }) => (namespace === undefined ? cluster : `${cluster}/${namespace}`)),
  );
  return targets.flatMap((target) => {
    const own = declared.find(({ cluster }) => cluster === target.cluster)?.namespaces ?? [];
    const namespaces = target.namespaces.filter((namespace) => {
      const place = `${target.cluster}/${namespace}`;
      return own.includes(namespace) || left.has(place) || unseen.has(place) || unseen.has(target.cluster);
    });
    return namespaces.length === 0 ? [] : [{ ...target, namespaces }];
  });
}
