import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { FIELD_MANAGER, type FieldManager, isOwn, managersOf } from './field-owners.ts';

/** These go on with what they write: the revision of a Deployment, the number of replicas. Tools that deploy do not. */
const CONTROLLERS = /^kube-controller-manager$|autoscaler|^keda/;

/** Whose fields become Echelon's when it takes an object over: of everybody who applied or edited it. */
export function formerManagers(live: KubeObject): string[] {
  return [
    ...new Set(
      managersOf(live)
        .filter((entry) => isFormer(live, entry))
        .map(({ manager }) => manager),
    ),
  ];
}

function isFormer({ apiVersion }: KubeObject, entry: FieldManager): boolean {
  return !isOwn(entry) && !entry.subresource && entry.apiVersion === apiVersion && !CONTROLLERS.test(entry.manager);
}

/**
 * The object's managers with the fields of former ones made Echelon's own, so that what is no longer desired goes with the
 * next apply instead of staying for ever in the name of a tool that nobody uses any more.
 */
export function migratedManagers(live: KubeObject): readonly FieldManager[] {
  const managers = managersOf(live);
  const own = managers.filter((entry) => isOwn(entry) || isFormer(live, entry));
  if (own.length === 0) return managers;
  return [
    ...managers.filter((entry) => !own.includes(entry)),
    {
      manager: FIELD_MANAGER,
      operation: 'Apply',
      apiVersion: live.apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: own.map(({ fieldsV1 }) => fieldsV1 ?? {}).reduce(union, {}),
    } as FieldManager,
  ];
}

/** Both trees in one. */
export function union(a: Json, b: Json): Json {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = merged[key];
    merged[key] = isJson(known) && isJson(value) ? withItself(known, value, union(known, value)) : (known ?? value);
  }
  return merged;
}

/** An end of one tree is a field of its own, which the other tree may only have something below of. */
function withItself(a: Json, b: Json, both: Json): Json {
  const isEnd = Object.keys(a).length === 0 || Object.keys(b).length === 0;
  return isEnd && Object.keys(both).length > 0 ? { '.': {}, ...both } : both;
}
