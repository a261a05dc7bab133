import { deepEqual, type Fields } from '../objects.ts';
import type { ListType, Type } from '../schema.ts';
import { FieldSet, typeBelow } from './field-set.ts';
import { fieldsOf, isLeaf, listOf } from './leaf.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';

/** What happened on the way from one value to another. */
interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(before: unknown, after: unknown, type: Type): Comparison {
  const result = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  walk(before, after, type, [], result);
  return result;
}

function walk(before: unknown, after: unknown, type: Type, path: PathElement[], result: Comparison): void {
  if (before === after && before !== undefined) return;
  if (isLeaf(before, after, type)) {
    if (before !== undefined && after !== undefined && !deepEqual(before, after)) result.modified.insert(path);
  } else if (type.kind === 'list') walkItems(listOf(before), listOf(after), type, path, result);
  else walkFields(fieldsOf(before), fieldsOf(after), type, path, result);
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
}

function walkFields(before: Fields, after: Fields, type: Type, path: PathElement[], result: Comparison): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const element = fieldElement(name);
    path.push(element);
    walk(before[name], after[name], typeBelow(type, element), path, result);
    path.pop();
  }
}

function walkItems(
  before: readonly unknown[],
  after: readonly unknown[],
  type: ListType,
  path: PathElement[],
  result: Comparison,
): void {
  const was = byElement(before, type);
  const is = byElement(after, type);
  for (const element of new Set([...was.keys(), ...is.keys()])) {
    path.push(element);
    walkRepeated(was.get(element) ?? [], is.get(element) ?? [], type.item, path, result);
    path.pop();
  }
}

/** Items of one key: one each as a rule; several of a key are compared as one value. */
function walkRepeated(
  before: readonly unknown[],
  after: readonly unknown[],
  type: Type,
  path: PathElement[],
  result: Comparison,
): void {
  if (before.length <= 1 && after.length <= 1) {
    walk(before[0], after[0], type, path, result);
    return;
  }
  if (before.length > 1 && after.length > 1) {
    if (!deepEqual(before, after)) result.modified.insert(path);
    return;
  }
  if (before.length > 1) {
    if (after.length === 1) walk(undefined, after[0], type, path, result);
    result.removed.insert(path);
    return;
  }
  if (before.length === 1) walk(before[0], undefined, type, path, result);
  result.added.insert(path);
}

function byElement(items: readonly unknown[], type: ListType): Map<PathElement, unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = itemElement(type, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
