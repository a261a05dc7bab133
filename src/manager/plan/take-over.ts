import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { FIELD_MANAGER, type FieldManager, isApplied, isOwn, managersOf } from './field-owners.ts';
import { ANNOTATION } from './object-hash.ts';

/** Controllers keep the fields they maintain, such as a Deployment's revision or its replicas. Deployment tools do not. */
const CONTROLLERS = /^kube-controller-manager$|autoscaler|^keda/;

/**
 * Whose fields Echelon takes over with an object: the first time those of everyone who applied or edited it, later only those
 * of an existing manager that operated it in between.
 */
export function formerManagers(live: KubeObject): string[] {
  const former = managersOf(live).filter(formerEntry(live));
  return [...new Set(former.map(({ manager }) => manager))];
}

/** Whether an entry of the object's managed fields is taken over. */
export function formerEntry(live: KubeObject): (entry: FieldManager) => boolean {
  const again = isApplied(live);
  return (entry) => isTool(live, entry) && (!again || isExistingManager(entry));
}

function isTool({ apiVersion }: KubeObject, entry: Omit<FieldManager, 'fieldsV1'>): boolean {
  return !isOwn(entry) && !entry.subresource && entry.apiVersion === apiVersion && !CONTROLLERS.test(entry.manager);
}

/** Only a manager writes these annotations; an edit by hand holds the edited fields alone. */
const WRITTEN_BY_MANAGERS = [ANNOTATION.update, ANNOTATION.sha256sum].map((name) => `"f:${name}"`);

/** In their text, so that the fields of an unchanged object need not be parsed. */
function isExistingManager({ fieldsV1 }: { readonly fieldsV1?: unknown }): boolean {
  const text = typeof fieldsV1 === 'string' ? fieldsV1 : JSON.stringify(fieldsV1 ?? {});
  return WRITTEN_BY_MANAGERS.some((name) => text.includes(name));
}

/** Whether an existing manager wrote the object after Echelon had taken it over. */
export function wasHandedBack(live: KubeObject): boolean {
  const { managedFields } = live.metadata;
  if (!Array.isArray(managedFields) || !isApplied(live)) return false;
  return (managedFields as readonly FieldManager[]).some((entry) => isTool(live, entry) && isExistingManager(entry));
}

/**
 * The object's field managers after Echelon took over the fields of former ones, so that the next apply removes what is no
 * longer desired instead of leaving it to a tool that is no longer in use.
 */
export function migratedManagers(live: KubeObject): readonly FieldManager[] {
  const managers = managersOf(live);
  const isFormer = formerEntry(live);
  const own = managers.filter((entry) => isOwn(entry) || isFormer(entry));
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
