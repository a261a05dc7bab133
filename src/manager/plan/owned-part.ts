import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { isOwn, managersOf } from './field-owners.ts';

/**
 * What Echelon applied to an object, with its live values: applying it again changes nothing, and removes nothing.
 * Undefined for an object that it never applied.
 */
export function ownedPart(live: KubeObject): KubeObject | undefined {
  const fields = managersOf(live).find(isOwn)?.fieldsV1;
  if (fields === undefined) return undefined;
  const { apiVersion, kind, metadata } = live;
  const part = partOf(live, fields);
  const own = isJson(part) ? part : {};
  const place = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
  const rest = isJson(own['metadata']) ? own['metadata'] : {};
  return { ...own, apiVersion, kind, metadata: { name: metadata.name, ...place, ...rest } };
}

function partOf(value: unknown, fields: Json): unknown {
  const children = Object.entries(fields).filter(([name]) => name !== '.');
  if (children.length === 0) return value;
  if (Array.isArray(value)) return value.flatMap((item) => itemPart(item, children));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    children.flatMap(([name, own]) => {
      const key = name.startsWith('f:') ? name.slice(2) : undefined;
      return key === undefined || !Object.hasOwn(value, key) ? [] : [[key, partOf(value[key], treeOf(own))] as const];
    }),
  );
}

/** An item of a list with keys has an entry of its own; so has a member of a set. */
function itemPart(item: unknown, children: readonly (readonly [string, unknown])[]): unknown[] {
  for (const [name, own] of children) {
    const wanted = parsed(name.slice(2));
    if (name.startsWith('v:') && wanted === item) return [item];
    if (!name.startsWith('k:') || !isJson(wanted) || !isJson(item)) continue;
    const keys = Object.entries(wanted);
    if (!keys.every(([key, value]) => item[key] === value)) continue;
    const part = partOf(item, treeOf(own));
    return [{ ...(isJson(part) ? part : {}), ...Object.fromEntries(keys.filter(([key]) => key in item)) }];
  }
  return [];
}

function treeOf(value: unknown): Json {
  return isJson(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
