import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired.ts';
import { listKey, type Step } from './differences.ts';
import { removals } from './removals.ts';

const SERVER_METADATA = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'uid',
  'selfLink',
]);

/** What people compare: without what the server keeps for itself. */
export function shown(object: KubeObject): KubeObject {
  const { status: _, metadata, ...rest } = object;
  const own = Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key));
  return { ...rest, metadata: Object.fromEntries(own) } as unknown as KubeObject;
}

/** The object as it will be after the write, as far as can be told without asking the server. */
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

/** The live object with what is desired laid over it, as the server merges it. */
function overlaid(live: unknown, desired: unknown): unknown {
  if (isJson(desired) && isJson(live)) return mapping(live, desired);
  if (Array.isArray(desired) && Array.isArray(live)) return list(live, desired);
  return desired === undefined ? live : desired;
}

function mapping(live: Json, desired: Json): Json {
  const merged: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(desired)) merged[key] = overlaid(live[key], value);
  return merged;
}

function list(live: readonly unknown[], desired: readonly unknown[]): readonly unknown[] {
  const key = listKey(desired);
  if (key === undefined) return desired.map((item, index) => overlaid(live[index], item));
  const known = live.map((item) => {
    const wanted = desired.find((one) => isJson(one) && isJson(item) && one[key] === item[key]);
    return wanted === undefined ? item : overlaid(item, wanted);
  });
  const names = new Set(live.map((item) => (isJson(item) ? item[key] : undefined)));
  return [...known, ...desired.filter((item) => isJson(item) && !names.has(item[key]))];
}
