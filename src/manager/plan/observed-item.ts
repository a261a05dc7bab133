import { defined, isJson } from '../../base/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import type { LiveCluster } from './observe.ts';
import { LABEL, labelValue } from './ownership-labels.ts';
import type { PlanItem } from './plan-item.ts';

/** What was observed of the object of an item. */
export interface ObservedItem {
  /** Absent if it does not exist. */
  readonly live?: KubeObject;
  /** As a label value; absent if not known. */
  readonly environment?: string;
}

export type Observed = (item: PlanItem) => ObservedItem;

/** Looks up observed objects; prepared only when first used, since most plans change nothing. */
export function observedItems(desired: readonly DesiredNamespace[], live: readonly LiveCluster[]): Observed {
  let objects: Map<string, KubeObject> | undefined;
  let environments: Map<string, string> | undefined;
  return (item) => {
    objects ??= liveObjects(live);
    environments ??= new Map(desired.map((one) => [`${one.cluster}/${one.namespace}`, labelValue(one.environment)]));
    const place = `${item.cluster}/${item.namespace}`;
    const found = objects.get(`${place}/${item.kind}/${item.name}`);
    return defined({ live: found, environment: labelledEnvironment(found) ?? environments.get(place) });
  };
}

function liveObjects(live: readonly LiveCluster[]): Map<string, KubeObject> {
  return new Map(
    live.flatMap(({ cluster, namespaces, elsewhere }) =>
      [...namespaces, ...elsewhere].flatMap(({ namespace, objects }) =>
        objects.map((object) => [`${cluster}/${namespace}/${objectKey(object)}`, object] as const),
      ),
    ),
  );
}

function labelledEnvironment(object: KubeObject | undefined): string | undefined {
  const labels = object?.metadata['labels'];
  const environment = isJson(labels) ? labels[LABEL.environment] : undefined;
  return typeof environment === 'string' ? environment : undefined;
}
