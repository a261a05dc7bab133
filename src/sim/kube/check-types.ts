import { type Fields, isFields } from './objects.ts';
import { canonicalQuantity } from './quantity.ts';
import type { ScalarType, StructType, Type } from './schema.ts';

/** A value that is not of the type of its field. */
export interface TypeProblem {
  /** `spec.template.spec.containers[0].image`. */
  readonly path: string;
  /** What the field wants, in the words of Go. */
  readonly wants: string;
  /** The struct that has the field. */
  readonly owner: string;
  readonly value: unknown;
}

export interface Checked {
  /** Paths of fields that the type does not have, in the order in which they come. */
  readonly unknown: readonly string[];
  readonly mismatch?: TypeProblem;
}

/** Which fields the type does not know, and the first value that it cannot hold. */
export function checkTypes(value: unknown, type: StructType): Checked {
  const found: Found = { unknown: [] };
  visit({ value, type, path: '', owner: '' }, found);
  return found;
}

interface Found {
  readonly unknown: string[];
  mismatch?: TypeProblem;
}

interface Place {
  readonly value: unknown;
  readonly type: Type;
  readonly path: string;
  readonly owner: string;
}

function visit({ value, type, path, owner }: Place, found: Found): void {
  if (value === null || value === undefined || type.kind === 'any') return;
  if (!fits(value, type)) found.mismatch ??= { path, wants: goName(type), owner, value };
  else if (type.kind === 'list') {
    for (const [i, item] of (value as unknown[]).entries())
      visit({ value: item, type: type.item, path: `${path}[${i}]`, owner }, found);
  } else if (type.kind === 'map') {
    for (const item of Object.values(value)) visit({ value: item, type: type.value, path, owner }, found);
  } else if (type.kind === 'struct') visitFields(value as Fields, type, path, found);
}

function visitFields(value: Fields, type: StructType, path: string, found: Found): void {
  for (const [name, item] of Object.entries(value)) {
    const below = path === '' ? name : `${path}.${name}`;
    const field = type.fields.get(name);
    if (field === undefined) found.unknown.push(below);
    else visit({ value: item, type: field.type, path: below, owner: type.name }, found);
  }
}

function fits(value: unknown, type: Type): boolean {
  if (type.kind === 'list') return Array.isArray(value);
  if (type.kind === 'struct' || type.kind === 'map') return isFields(value);
  return type.kind !== 'scalar' || SCALARS[type.name](value);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isWhole = (value: unknown): boolean => Number.isInteger(value);

const ZONE = '(?:Z|[+-]\\d\\d:\\d\\d)';
const SECONDS = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d';
const TIME = new RegExp(`^${SECONDS}(?:\\.\\d+)?${ZONE}$`);
/** Exactly six digits of a second, no more and no less. */
const MICRO_TIME = new RegExp(`^${SECONDS}\\.\\d{6}${ZONE}$`);

const SCALARS: Readonly<Record<ScalarType['name'], (value: unknown) => boolean>> = {
  string: isText,
  bytes: (value) => isText(value) && isBase64(String(value)),
  boolean: (value) => typeof value === 'boolean',
  int32: (value) => isWhole(value) && Math.abs(Number(value)) < 2 ** 31,
  int64: isWhole,
  number: (value) => typeof value === 'number',
  time: (value) => isText(value) && TIME.test(String(value)),
  microTime: (value) => isText(value) && MICRO_TIME.test(String(value)),
  quantity: (value) => (isText(value) || typeof value === 'number') && canonicalQuantity(value as string) !== undefined,
  intOrString: (value) => isText(value) || isWhole(value),
};

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\s]*={0,2}$/.test(text) && text.replaceAll(/\s/g, '').length % 4 === 0;
}

function goName(type: Type): string {
  if (type.kind === 'scalar') return type.name === 'boolean' ? 'bool' : type.name;
  if (type.kind === 'list') return `[]${goName(type.item)}`;
  if (type.kind === 'map') return `map[string]${goName(type.value)}`;
  return type.kind === 'struct' ? type.name.replace(/^.*\.(v1\.)/, '$1') : 'interface {}';
}
