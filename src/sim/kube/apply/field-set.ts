import { type Fields, isFields } from '../objects.ts';
import type { Type } from '../schema.ts';
import { compareElements, type Path, type PathElement, readElement } from './path-element.ts';

/** A set of paths. That a path is in it says nothing of the paths above and below it. */
export class FieldSet {
  readonly members = new Set<PathElement>();
  readonly children = new Map<PathElement, FieldSet>();

  insert(path: Path): void {
    const last = path.at(-1);
    if (last === undefined) return;
    let at: FieldSet = this;
    for (const element of path.slice(0, -1)) at = at.below(element);
    at.members.add(last);
  }

  private below(element: PathElement): FieldSet {
    const found = this.children.get(element);
    if (found !== undefined) return found;
    const made = new FieldSet();
    this.children.set(element, made);
    return made;
  }

  has(path: Path): boolean {
    const last = path.at(-1);
    let at: FieldSet | undefined = this;
    for (const element of path.slice(0, -1)) at = at?.children.get(element);
    return last !== undefined && at?.members.has(last) === true;
  }

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** Every path of the set, those of a level before those below it. */
  paths(): Path[] {
    const found: Path[] = [];
    const visit = (set: FieldSet, prefix: Path): void => {
      for (const element of sorted(set.members)) found.push([...prefix, element]);
      for (const element of sorted(set.children.keys())) {
        const child = set.children.get(element);
        if (child !== undefined) visit(child, [...prefix, element]);
      }
    };
    visit(this, []);
    return found;
  }
}

function sorted(elements: Iterable<PathElement>): PathElement[] {
  return [...elements].sort(compareElements);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  for (const element of a.members) result.members.add(element);
  for (const element of b.members) result.members.add(element);
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    result.children.set(element, other === undefined ? child : union(child, other));
  }
  for (const [element, child] of b.children) if (!a.children.has(element)) result.children.set(element, child);
  return result;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  for (const element of a.members) if (b.members.has(element)) result.members.add(element);
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    if (other !== undefined) addChild(result, element, intersection(child, other));
  }
  return result;
}

/** What is in `a` and not in `b`, path by path: without a parent its children stay. `a` itself where nothing goes. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  let isSame = true;
  for (const element of a.members) {
    if (b.members.has(element)) isSame = false;
    else result.members.add(element);
  }
  for (const [element, child] of a.children) {
    const other = b.children.get(element);
    const left = other === undefined ? child : difference(child, other);
    if (left !== child) isSame = false;
    addChild(result, element, left);
  }
  return isSame ? a : result;
}

/** What is in `a`, without the paths of `b` and everything below them. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  const result = new FieldSet();
  for (const element of a.members) if (!b.members.has(element)) result.members.add(element);
  for (const [element, child] of a.children) {
    if (b.members.has(element)) continue;
    const other = b.children.get(element);
    addChild(result, element, other === undefined ? child : without(child, other));
  }
  return result;
}

function addChild(set: FieldSet, element: PathElement, child: FieldSet): void {
  if (!child.isEmpty) set.children.set(element, child);
}

/** With every field of a struct on the way to a path of the set; keys of maps and items of lists are not added. */
export function withNamedFields(set: FieldSet, type: Type): FieldSet {
  const result = new FieldSet();
  for (const element of set.members) result.members.add(element);
  for (const [element, child] of set.children) {
    const field = type.kind === 'struct' ? type.fields.get(element.slice(2)) : undefined;
    if (element.startsWith('f:') && field !== undefined) result.members.add(element);
    result.children.set(element, withNamedFields(child, typeBelow(type, element)));
  }
  return result;
}

const NOTHING: Type = { kind: 'any' };

/** The type that a step leads to. */
export function typeBelow(type: Type, element: PathElement): Type {
  if (type.kind === 'list') return type.item;
  if (type.kind === 'map') return type.value;
  return type.kind === 'struct' ? (type.fields.get(element.slice(2))?.type ?? NOTHING) : NOTHING;
}

/** Sets do not change once they are written or read, so that what one is written as can be kept. */
const written = new WeakMap<FieldSet, Fields>();
const read = new WeakMap<Fields, FieldSet>();

/** As fieldsV1 writes it. */
export function toFieldsV1(set: FieldSet): Fields {
  const known = written.get(set);
  if (known !== undefined) return known;
  const fields = fieldsOf(set);
  written.set(set, fields);
  read.set(fields, set);
  return fields;
}

function fieldsOf(set: FieldSet): Fields {
  const result: Fields = {};
  for (const element of sorted(new Set([...set.members, ...set.children.keys()]))) {
    const child = set.children.get(element);
    const below = child === undefined ? {} : fieldsOf(child);
    result[element] = child !== undefined && set.members.has(element) ? { '.': {}, ...below } : below;
  }
  return result;
}

/** Reads fieldsV1; undefined when it is none. */
export function fromFieldsV1(value: unknown): FieldSet | undefined {
  if (!isFields(value)) return undefined;
  const known = read.get(value);
  if (known !== undefined) return known;
  const set = new FieldSet();
  if (!readInto(set, value)) return undefined;
  read.set(value, set);
  written.set(set, value);
  return set;
}

function readInto(set: FieldSet, value: Fields): boolean {
  return Object.entries(value).every(([text, below]) => text === '.' || readElementInto(set, text, below));
}

function readElementInto(set: FieldSet, text: string, below: unknown): boolean {
  const element = readElement(text);
  if (element === undefined || !isFields(below)) return false;
  const names = Object.keys(below).filter((name) => name !== '.');
  if (names.length === 0 || Object.hasOwn(below, '.')) set.members.add(element);
  if (names.length === 0) return true;
  const child = new FieldSet();
  set.children.set(element, child);
  return readInto(child, below);
}
