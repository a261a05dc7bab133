import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { type FieldDifference, pathText, type Step } from './differences.ts';
import { holdersOf, isOwn, managersOf } from './field-owners.ts';
import { isServerDefault } from './server-defaults.ts';
import { migratedManagers } from './take-over.ts';

/** The fields that the next apply removes: held by Echelon or a former manager, no longer desired, and held by no one else. */
export function removals(live: KubeObject, desired: KubeObject, takeOver: boolean): FieldDifference[] {
  const managers = takeOver ? migratedManagers(live) : [];
  const seen = takeOver ? { ...live, metadata: { ...live.metadata, managedFields: managers } } : live;
  const own = managersOf(seen).find(isOwn);
  return removed(own?.fieldsV1 ?? {}, live, desired, []).filter(({ steps }) => holdersOf(seen, steps).length === 0);
}

function removed(fields: Json, live: unknown, desired: unknown, steps: readonly Step[]): FieldDifference[] {
  return Object.entries(fields).flatMap(([name, children]) => {
    const child = childOf(name, live, desired);
    if (child === undefined || child.live === undefined) return [];
    const path = [...steps, child.step];
    if (child.desired === undefined) {
      const stays = typeof child.step === 'string' && isServerDefault(child.step, child.live, desired);
      return stays ? [] : [{ path: pathText(path), steps: path, live: child.live }];
    }
    return isJson(children) ? removed(children, child.live, child.desired, path) : [];
  });
}

interface Child {
  readonly step: Step;
  readonly live: unknown;
  readonly desired: unknown;
}

function childOf(name: string, live: unknown, desired: unknown): Child | undefined {
  if (name.startsWith('f:')) {
    const step = name.slice(2);
    return { step, live: isJson(live) ? live[step] : undefined, desired: isJson(desired) ? desired[step] : undefined };
  }
  const keys = name.startsWith('k:') ? parsed(name.slice(2)) : undefined;
  if (keys === undefined) return undefined;
  const [key, value] = Object.entries(keys).find(([field]) => field !== 'protocol') ?? ['', undefined];
  return { step: { key, value }, live: itemOf(live, keys), desired: itemOf(desired, { [key]: value }) };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function itemOf(list: unknown, keys: Json): unknown {
  if (!Array.isArray(list)) return undefined;
  return list.find((item) => isJson(item) && Object.entries(keys).every(([key, value]) => item[key] === value));
}
