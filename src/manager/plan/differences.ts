import { isJson, type Json } from '../../base/index.ts';
import { quantityValue } from '../../instance/index.ts';

/** A field whose value is not as desired. */
export interface Difference {
  /** `spec.template.spec.containers[int].image`. */
  readonly path: string;
  /** Absent when the object has no such field. */
  readonly live?: unknown;
  readonly desired: unknown;
}

/**
 * Where an object is not as desired. Only what is desired counts: fields that the server defaulted, and items of keyed
 * lists that others added, are theirs. Quantities are compared by value, and an empty text or list is as good as none,
 * since a server does not keep it.
 */
export function differences(live: unknown, desired: unknown, path = ''): Difference[] {
  if (isJson(desired)) return isJson(live) ? ofMappings(live, desired, path) : missing(live, desired, path);
  if (Array.isArray(desired)) return ofLists(live, desired, path);
  return sameValue(live, desired, path) ? [] : [difference(live, desired, path)];
}

function ofMappings(live: Json, desired: Json, path: string): Difference[] {
  return Object.entries(desired).flatMap(([key, value]) =>
    differences(live[key], value, path === '' ? key : `${path}.${key}`),
  );
}

function missing(live: unknown, desired: Json, path: string): Difference[] {
  return Object.keys(desired).length === 0 && live === undefined ? [] : [difference(live, desired, path)];
}

/** Keys by which Kubernetes merges lists of mappings, tried in this order. */
const LIST_KEYS = ['name', 'mountPath', 'containerPort', 'port', 'path'];

function ofLists(live: unknown, desired: readonly unknown[], path: string): Difference[] {
  if (!Array.isArray(live)) return desired.length === 0 ? [] : [difference(live, desired, path)];
  const key = LIST_KEYS.find(
    (name) => desired.length > 0 && desired.every((item) => isJson(item) && item[name] !== undefined),
  );
  if (key !== undefined) return ofKeyedLists(live, desired as readonly Json[], key, path);
  if (live.length !== desired.length) return [difference(live, desired, path)];
  return desired.flatMap((item, index) => differences(live[index], item, `${path}[${index}]`));
}

function ofKeyedLists(live: readonly unknown[], desired: readonly Json[], key: string, path: string): Difference[] {
  return desired.flatMap((item) => {
    const name = String(item[key]);
    const found = live.find((candidate) => isJson(candidate) && String(candidate[key]) === name);
    return differences(found, item, `${path}[${name}]`);
  });
}

function sameValue(live: unknown, desired: unknown, path: string): boolean {
  if (live === desired) return true;
  if (live === undefined || live === null) return desired === '' || desired === null || desired === undefined;
  return isQuantity(path) && sameQuantity(live, desired);
}

/** `resources.limits.cpu`, `resources.requests.storage`. */
function isQuantity(path: string): boolean {
  return /\bresources\.(?:limits|requests)\.[^.]+$/.test(path);
}

function sameQuantity(live: unknown, desired: unknown): boolean {
  const [a, b] = [quantityValue(String(live)), quantityValue(String(desired))];
  return a !== undefined && a === b;
}

function difference(live: unknown, desired: unknown, path: string): Difference {
  return { path, desired, ...(live === undefined ? {} : { live }) };
}
