import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { FIELD_MANAGER, type FieldManager, isOwn, managersOf } from './field-owners.ts';

/** Controllers keep the fields they maintain, such as a Deployment's revision or its replicas. Deployment tools do not. */
const CONTROLLERS = /^kube-controller-manager$|autoscaler|^keda/;

/** Whose fields Echelon takes over with an object: those of everyone who applied or edited it. */
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
 * The object's field managers after Echelon took over the fields of former ones, so that the next apply removes what is no
 * longer desired instead of leaving it to a tool that is no longer in use.
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

/** The union of both field trees. */
export function union(a: Json, b: Json): Json {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = merged[key];
    merged[key] = isJson(known) && isJson(value) ? withItself(known, value, union(known, value)) : (known ?? value);
  }
  return merged;
}

/** A leaf of one tree is a field in its own right; in the other tree it may only have children. */
function withItself(a: Json, b: Json, both: Json): Json {
  const isEnd = Object.keys(a).length === 0 || Object.keys(b).length === 0;
  return isEnd && Object.keys(both).length > 0 ? { '.': {}, ...both } : both;
}
