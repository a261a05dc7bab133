import type { KubeObject } from '../desired/desired-namespace.ts';
import type { LiveCluster } from './observe.ts';
import type { PlanItem } from './plan-item.ts';
import { predicted, shown } from './predict.ts';

/** An object before and after an item is applied, without server-managed fields; absent if it does not exist. */
export interface ObjectChange {
  readonly item: PlanItem;
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** The effect of a plan item on the observed object. Pure. */
export function objectChange(item: PlanItem, live: readonly LiveCluster[]): ObjectChange {
  const now = observedObject(item, live);
  const after = afterwards(item, now);
  return {
    item,
    ...(now === undefined ? {} : { before: shown(now) }),
    ...(after === undefined ? {} : { after: shown(after) }),
  };
}

function observedObject(item: PlanItem, live: readonly LiveCluster[]): KubeObject | undefined {
  const cluster = live.find(({ cluster: name }) => name === item.cluster);
  const place = [...(cluster?.namespaces ?? []), ...(cluster?.elsewhere ?? [])].find(
    ({ namespace }) => namespace === item.namespace,
  );
  return place?.objects.find(({ kind, metadata }) => kind === item.kind && metadata.name === item.name);
}

function afterwards(item: PlanItem, now: KubeObject | undefined): KubeObject | undefined {
  if (!('object' in item)) return undefined;
  if (now === undefined || item.action === 'recreate' || item.action === 'create') return item.object;
  return predicted(now, item.object, item.takeOver !== undefined);
}
