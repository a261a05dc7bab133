import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { Step } from './differences.ts';

/** The name under which Echelon writes fields. */
export const FIELD_MANAGER = 'echelon';

/** An entry of `metadata.managedFields`: who wrote which fields. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  /** The fields as a tree: `f:spec`, `k:{"name":"int"}`. */
  readonly fieldsV1?: Json;
}

export function managersOf({ metadata }: KubeObject): readonly FieldManager[] {
  const managers = metadata['managedFields'];
  return Array.isArray(managers) ? managers.map(unpacked) : [];
}

type PackedManager = Omit<FieldManager, 'fieldsV1'> & { readonly fieldsV1?: Json | string };

/** Field trees are most of an object and rarely read: as text they take a tenth of the memory. */
export function packedManagers(object: KubeObject): KubeObject {
  const { status: _, ...rest } = object;
  const managers = object.metadata['managedFields'];
  if (!Array.isArray(managers)) return { ...rest } as KubeObject;
  const packed = (managers as readonly PackedManager[]).map((entry) => ({
    ...entry,
    ...(isJson(entry.fieldsV1) ? { fieldsV1: JSON.stringify(entry.fieldsV1) } : {}),
  }));
  return { ...rest, metadata: { ...object.metadata, managedFields: packed } } as KubeObject;
}

function unpacked(entry: PackedManager): FieldManager {
  const { fieldsV1, ...rest } = entry;
  if (fieldsV1 === undefined) return rest;
  return { ...rest, fieldsV1: typeof fieldsV1 === 'string' ? (JSON.parse(fieldsV1) as Json) : fieldsV1 };
}

/** The manager that the server records for fields written before server-side apply. */
const UNKNOWN = 'before-first-apply';

/** Whether Echelon has applied the object before and every field has a known manager. */
export function isApplied({ metadata }: KubeObject): boolean {
  const known = metadata['managedFields'];
  const managers = Array.isArray(known) ? (known as readonly FieldManager[]) : [];
  return managers.some(isOwn) && !managers.some(({ manager }) => manager === UNKNOWN);
}

export function isOwn({ manager, operation, subresource }: FieldManager): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply' && !subresource;
}

/** The other managers that hold a field or a parent of it, including through subresources such as `scale`. */
export function holdersOf(
  object: KubeObject,
  steps: readonly Step[],
  counts: (entry: FieldManager) => boolean = () => true,
): string[] {
  const holders = managersOf(object).filter(
    (entry) => entry.manager !== FIELD_MANAGER && holds(entry.fieldsV1, steps) && counts(entry),
  );
  return [...new Set(holders.map(({ manager }) => manager))];
}

/** Whether any manager, Echelon included, holds a field or a parent of it. */
export function isHeld(object: KubeObject, steps: readonly Step[]): boolean {
  return managersOf(object).some(({ fieldsV1 }) => holds(fieldsV1, steps));
}

function holds(fields: Json | undefined, [step, ...rest]: readonly Step[]): boolean {
  if (fields === undefined) return false;
  if (step === undefined) return true;
  const children = Object.keys(fields).filter((key) => key !== '.');
  // An atomic list or mapping has no child fields.
  if (children.length === 0) return true;
  const next = childOf(fields, step);
  return next !== undefined && holds(next, rest);
}

function childOf(fields: Json, step: Step): Json | undefined {
  if (typeof step === 'string') return asTree(fields[`f:${step}`]);
  if ('index' in step) return undefined;
  const key = Object.keys(fields).find((name) => name.startsWith('k:') && hasKey(name.slice(2), step.key, step.value));
  return key === undefined ? undefined : asTree(fields[key]);
}

function hasKey(text: string, key: string, value: unknown): boolean {
  try {
    const keys: unknown = JSON.parse(text);
    return isJson(keys) && keys[key] === value;
  } catch {
    return false;
  }
}

function asTree(value: unknown): Json | undefined {
  return isJson(value) ? value : undefined;
}
