import { type Fields, isFields } from './objects.ts';
import { canonicalQuantity } from './quantity.ts';
import type { Field, ScalarType, StructType, Type } from './schema.ts';

/**
 * A value as a server gives it back once it has read it: unknown fields dropped, empty ones left out or filled in as
 * their type says, quantities and times in their canonical form. The value is expected to be of the type.
 */
export function normalize(value: unknown, type: Type): unknown {
  if (value === null || value === undefined) return null;
  if (type.kind === 'struct') return normalizeStruct(isFields(value) ? value : {}, type);
  if (type.kind === 'list') return Array.isArray(value) ? value.map((item) => normalizeItem(item, type.item)) : null;
  if (type.kind === 'map') return normalizeMap(value, type.value);
  return type.kind === 'scalar' ? normalizeScalar(value, type) : value;
}

/** An empty object of a kind: only the fields that are always there. */
export function zeroOf(type: StructType): Fields {
  return normalizeStruct({}, type);
}

function normalizeItem(item: unknown, type: Type): unknown {
  return item === null ? zeroValue(type) : normalize(item, type);
}

function normalizeMap(value: unknown, type: Type): unknown {
  if (!isFields(value)) return null;
  const result: Fields = {};
  for (const [key, item] of Object.entries(value)) result[key] = normalizeItem(item, type);
  return result;
}

function normalizeStruct(value: Fields, type: StructType): Fields {
  const result: Fields = {};
  for (const [name, field] of type.fields) {
    const given = value[name];
    if (given === undefined && field.presence !== 'zero' && field.presence !== 'null') continue;
    const normal = present(normalize(given, field.type), field);
    if (normal !== undefined) result[name] = normal;
  }
  return result;
}

/** The value to give back, or undefined to leave the field out. */
function present(value: unknown, { type, presence }: Field): unknown {
  if (presence === 'null') return value;
  if (presence === 'zero') return value ?? zeroValue(type);
  if (value === null) return undefined;
  return presence === 'omit' && type.kind !== 'struct' && isEmpty(value) ? undefined : value;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isFields(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

const ZEROS: Readonly<Record<ScalarType['name'], unknown>> = {
  string: '',
  bytes: null,
  boolean: false,
  int32: 0,
  int64: 0,
  number: 0,
  time: null,
  microTime: null,
  quantity: '0',
  intOrString: 0,
};

function zeroValue(type: Type): unknown {
  if (type.kind === 'scalar') return ZEROS[type.name];
  return type.kind === 'struct' ? zeroOf(type) : null;
}

function normalizeScalar(value: unknown, { name }: ScalarType): unknown {
  if (name === 'quantity') return canonicalQuantity(value as string | number) ?? value;
  if (name === 'time' || name === 'microTime') return timeText(String(value), name);
  return value;
}

const CANONICAL = {
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  microTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
};

/** Whole seconds, or with six digits of a second; always UTC. */
export function timeText(value: string | Date, name: 'time' | 'microTime'): string {
  if (typeof value === 'string' && CANONICAL[name].test(value)) return value;
  const iso = (value instanceof Date ? value : new Date(value)).toISOString();
  if (name === 'time') return iso.replace(/\.\d+Z$/, 'Z');
  const micros = value instanceof Date ? undefined : /\.(\d{1,6})\d*(?:Z|[+-][\d:]+)$/.exec(value)?.[1];
  return micros === undefined ? iso.replace('Z', '000Z') : iso.replace(/\.\d+Z$/, `.${micros.padEnd(6, '0')}Z`);
}
