import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { differences, listKey, type Step } from './differences.ts';
import { removals } from './removals.ts';

const SERVER_METADATA = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'uid',
  'selfLink',
]);

/** The object without server-managed fields, for diffs. */
export function shown(object: KubeObject): KubeObject {
  const { status: _, metadata, ...rest } = object;
  const own = Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key));
  return { ...rest, metadata: Object.fromEntries(own) } as unknown as KubeObject;
}

/** The object as it will be after the write, as far as can be predicted without a request to the server. */
export function predicted(live: KubeObject, desired: KubeObject, takeOver: boolean): KubeObject {
  const merged = removals(live, desired, takeOver).reduce<unknown>(
    (object, { steps }) => without(object, steps),
    overlaid(live, desired),
  );
  return merged as KubeObject;
}

function without(node: unknown, [step, ...rest]: readonly Step[]): unknown {
  if (step === undefined) return node;
  if (Array.isArray(node)) {
    const at = node.findIndex(
      (item) => typeof step === 'object' && 'key' in step && isJson(item) && item[step.key] === step.value,
    );
    if (at < 0) return node;
    return rest.length === 0 ? node.toSpliced(at, 1) : node.with(at, without(node[at], rest));
  }
  if (!isJson(node) || typeof step !== 'string' || !(step in node)) return node;
  const { [step]: child, ...others } = node;
  return rest.length === 0 ? others : { ...node, [step]: without(child, rest) };
}

/** The live object merged with the desired one, as the server merges it; equivalent values keep their live spelling. */
function overlaid(live: unknown, desired: unknown, steps: readonly Step[] = []): unknown {
  if (isJson(desired) && isJson(live)) return mapping(live, desired, steps);
  if (Array.isArray(desired) && Array.isArray(live)) return list(live, desired, steps);
  return replaced(live, desired, steps);
}

function mapping(live: Json, desired: Json, steps: readonly Step[]): Json {
  const merged: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(desired)) {
    const laid = overlaid(live[key], value, [...steps, key]);
    if (laid !== undefined) merged[key] = laid;
  }
  return merged;
}

/** An item of an atomic list is never merged with the item at the same index. */
function replaced(live: unknown, desired: unknown, steps: readonly Step[]): unknown {
  return differences(live, desired, steps).length === 0 ? live : desired;
}

/** Desired items keep their order; items that others added stay in front of the item they preceded. */
function list(live: readonly unknown[], desired: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  const key = listKey(desired.length === 0 ? live : desired);
  if (key === undefined) return desired.map((item, index) => replaced(live[index], item, [...steps, { index }]));
  const keyOf = (item: unknown): unknown => (isJson(item) ? item[key] : undefined);
  const wanted = new Set(desired.map(keyOf));
  const known = new Map(live.map((item) => [keyOf(item), item]));
  const rest = [...live];
  const othersBefore = (item: unknown): unknown[] => {
    const at = rest.findIndex((one) => keyOf(one) === keyOf(item));
    return rest.splice(0, at < 0 ? rest.length : at).filter((one) => !wanted.has(keyOf(one)));
  };
  const merged = desired.flatMap((item, at) => {
    const next = desired.slice(at).find((one) => known.has(keyOf(one)));
    const others = othersBefore(next);
    if (next === item) rest.shift();
    return [...others, overlaid(known.get(keyOf(item)), item, [...steps, { key, value: keyOf(item) }])];
  });
  return [...merged, ...othersBefore(undefined)];
}
