import { byText } from '../../../base/index.ts';
import { type Fields, isFields } from '../objects.ts';
import type { ListType } from '../schema.ts';

/** One step of a path, written as fieldsV1 has it: `f:spec`, `k:{"name":"c"}`, `v:"x"`, `i:0`. */
export type PathElement = string;
export type Path = readonly PathElement[];

const KINDS = 'fkvi';

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The step to an item of a set or of a list by keys; undefined where it has none. */
export function itemElement(type: ListType, item: unknown): PathElement | undefined {
  return type.style === 'set' ? setElement(item) : keyElement(type, item);
}

function setElement(item: unknown): PathElement | undefined {
  return typeof item === 'object' ? undefined : `v:${JSON.stringify(item)}`;
}

function keyElement(type: ListType, item: unknown): PathElement | undefined {
  if (!isFields(item)) return undefined;
  const key: Fields = {};
  for (const { name, otherwise } of type.keys) {
    const value = item[name] === undefined ? otherwise : item[name];
    if (value !== undefined) key[name] = value;
  }
  return Object.keys(key).length === 0 ? undefined : keyText(key);
}

function keyText(key: Fields): PathElement {
  const sorted = Object.keys(key);
  if (sorted.length > 1) sorted.sort(byText);
  return `k:{${sorted.map((name) => `${JSON.stringify(name)}:${JSON.stringify(key[name])}`).join(',')}}`;
}

/** A given element in canonical form; undefined when it is invalid. */
export function readElement(text: string): PathElement | undefined {
  if (text.startsWith('f:')) return text;
  if (/^i:-?\d+$/.test(text)) return text;
  if (!/^[kv]:/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(2));
    if (text.startsWith('v:')) return `v:${JSON.stringify(value)}`;
    return isFields(value) ? keyText(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Fields first, then keys, then values; each by what it holds. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kind = KINDS.indexOf(a.charAt(0)) - KINDS.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  return a.startsWith('f:') ? byText(a, b) : compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)));
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (!isFields(a) || !isFields(b)) return byText(String(a), String(b));
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byText);
  for (const key of keys) {
    const order =
      Object.hasOwn(a, key) && Object.hasOwn(b, key)
        ? compareValues(a[key], b[key])
        : Number(Object.hasOwn(b, key)) * 2 - 1;
    if (order !== 0) return order;
  }
  return 0;
}

/** As shown to users: `.spec.containers[name="c"].image`. */
export function pathText(path: Path): string {
  return path.map(elementText).join('');
}

export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const key = JSON.parse(rest) as Fields;
  return `[${Object.entries(key)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`;
}
