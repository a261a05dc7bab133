import { defined, isJson, type Json } from '../../base/index.ts';
import { quantityValue } from '../../instance/index.ts';

/** A field of a mapping, or an item of a list, identified by a key or by its index. */
export type Step = string | { readonly key: string; readonly value: unknown } | { readonly index: number };

/** A field whose live value differs from the desired one. */
export interface Difference {
  /** `spec.template.spec.containers[int].image`. */
  readonly path: string;
  /** Absent when the object has no such field. */
  readonly live?: unknown;
  /** Absent when the field will be removed. */
  readonly desired?: unknown;
}

/** A difference with its parsed path, to look up which managers hold the field. */
export interface FieldDifference extends Difference {
  readonly steps: readonly Step[];
}

/**
 * Where an object differs from what is desired. Only desired fields count: fields that the server defaulted and items that
 * others added to keyed lists are ignored. Quantities are compared by value. Null, an empty string or list, or a zero that
 * the server drops counts as unset.
 */
export function differences(live: unknown, desired: unknown, steps: readonly Step[] = []): FieldDifference[] {
  if (desired === null || isSame(live, desired)) return [];
  if (isJson(desired)) return isJson(live) ? ofMappings(live, desired, steps) : missing(live, desired, steps);
  if (Array.isArray(desired)) return ofLists(live, desired, steps);
  return sameValue(live, desired, steps) ? [] : [difference(live, desired, steps)];
}

/** Fast path: whether every desired value is present literally, which is nearly always the case. */
function isSame(live: unknown, desired: unknown): boolean {
  if (live === desired) return true;
  if (typeof desired !== 'object' || desired === null || typeof live !== 'object' || live === null) return false;
  if (Array.isArray(desired)) {
    return Array.isArray(live) && live.length === desired.length && desired.every((item, at) => isSame(live[at], item));
  }
  for (const key in desired) if (!isSame((live as Json)[key], (desired as Json)[key])) return false;
  return !Array.isArray(live);
}

/** The part that is printed and saved; the steps are only for planning. */
export function reportedDifference({ steps: _, ...reported }: FieldDifference): Difference {
  return reported;
}

/** `spec.containers[int].args[0]`. */
export function pathText(steps: readonly Step[]): string {
  return steps
    .map((step, at) => {
      if (typeof step === 'string') return at === 0 ? step : `.${step}`;
      return 'index' in step ? `[${step.index}]` : `[${String(step.value)}]`;
    })
    .join('');
}

function ofMappings(live: Json, desired: Json, steps: readonly Step[]): FieldDifference[] {
  return Object.entries(desired).flatMap(([key, value]) =>
    differences(Object.hasOwn(live, key) ? live[key] : undefined, value, [...steps, key]),
  );
}

function missing(live: unknown, desired: Json, steps: readonly Step[]): FieldDifference[] {
  return Object.keys(desired).length === 0 && live === undefined ? [] : [difference(live, desired, steps)];
}

/** Keys by which Kubernetes merges lists of mappings, tried in this order. */
const LIST_KEYS = ['mountPath', 'containerPort', 'port', 'name', 'path'];

/** The key that identifies the items of a list; undefined for an atomic list. */
export function listKey(items: readonly unknown[]): string | undefined {
  return items.length === 0 ? undefined : LIST_KEYS.find((name) => isUniqueKey(name, items));
}

/** One volume may be mounted twice, and one port be open for two protocols. */
function isUniqueKey(name: string, items: readonly unknown[]): boolean {
  const values = items.map((item) => (isJson(item) ? item[name] : undefined));
  return !values.includes(undefined) && new Set(values).size === items.length;
}

function ofLists(live: unknown, desired: readonly unknown[], steps: readonly Step[]): FieldDifference[] {
  if (!Array.isArray(live)) return desired.length === 0 ? [] : [difference(live, desired, steps)];
  const key = listKey(desired.length === 0 ? live : desired);
  if (key !== undefined) return ofKeyedLists(live, desired as readonly Json[], key, steps);
  if (live.length !== desired.length) return [difference(live, desired, steps)];
  return desired.flatMap((item, index) => differences(live[index], item, [...steps, { index }]));
}

function ofKeyedLists(
  live: readonly unknown[],
  desired: readonly Json[],
  key: string,
  steps: readonly Step[],
): FieldDifference[] {
  const items = new Map<string, unknown>();
  for (const item of live) if (isJson(item) && !items.has(String(item[key]))) items.set(String(item[key]), item);
  return desired.flatMap((item) => {
    const value = item[key];
    return differences(items.get(String(value)), item, [...steps, { key, value }]);
  });
}

function sameValue(live: unknown, desired: unknown, steps: readonly Step[]): boolean {
  const field = steps.at(-1);
  if (isZero(desired) && typeof field === 'string' && DEFAULTED.has(field)) return true;
  if (live === undefined || live === null) {
    return (
      desired === '' || desired === undefined || (isZero(desired) && typeof field === 'string' && DROPPED.has(field))
    );
  }
  return isQuantity(steps) && sameQuantity(live, desired);
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

/** Fields that the server drops when they are zero or false. */
const DROPPED: ReadonlySet<string> = new Set([
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostPort',
  'initialDelaySeconds',
  'minReadySeconds',
  'paused',
  'publishNotReadyAddresses',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
]);

/** Fields that the server defaults when they are zero or empty. */
const DEFAULTED: ReadonlySet<string> = new Set([
  'concurrencyPolicy',
  'dnsPolicy',
  'failureThreshold',
  'imagePullPolicy',
  'nodePort',
  'periodSeconds',
  'podManagementPolicy',
  'restartPolicy',
  'schedulerName',
  'sessionAffinity',
  'successThreshold',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'timeoutSeconds',
]);

/** `resources.limits.cpu`, `resources.requests.storage`, `emptyDir.sizeLimit`, `resourceFieldRef.divisor`. */
function isQuantity(steps: readonly Step[]): boolean {
  const name = steps.at(-1);
  if (name === 'sizeLimit' || name === 'divisor') return true;
  const [resources, kind] = steps.slice(-3);
  return resources === 'resources' && (kind === 'limits' || kind === 'requests');
}

function sameQuantity(live: unknown, desired: unknown): boolean {
  const [a, b] = [quantityValue(String(live)), quantityValue(String(desired))];
  return a !== undefined && a === b;
}

function difference(live: unknown, desired: unknown, steps: readonly Step[]): FieldDifference {
  return { path: pathText(steps), desired, steps, ...defined({ live }) };
}
