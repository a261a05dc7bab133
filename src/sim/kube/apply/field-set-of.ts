import { isFields } from '../objects.ts';
import type { ListType, Type } from '../schema.ts';
import { FieldSet, typeBelow } from './field-set.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';

/** The paths that a value sets: its leaves, the items of its lists, the keys of its maps. */
export function fieldSetOf(value: unknown, type: Type): FieldSet {
  const set = new FieldSet();
  visit(value, type, [], set);
  return set;
}

function visit(value: unknown, type: Type, path: PathElement[], set: FieldSet): void {
  if (type.kind === 'list' && type.style !== 'atomic') visitItems(value, type, path, set);
  else if ((type.kind === 'struct' || type.kind === 'map') && !type.atomic) visitFields(value, type, path, set);
  else set.insert(path);
}

function visitItems(value: unknown, type: ListType, path: PathElement[], set: FieldSet): void {
  if (!Array.isArray(value)) return;
  const elements = value.map((item) => itemElement(type, item));
  for (const [i, element] of elements.entries()) {
    if (element === undefined) continue;
    path.push(element);
    const isRepeated = elements.indexOf(element) !== i || elements.lastIndexOf(element) !== i;
    if (!isRepeated) visit(value[i], type.item, path, set);
    set.insert(path);
    path.pop();
  }
}

function visitFields(value: unknown, type: Type, path: PathElement[], set: FieldSet): void {
  if (!isFields(value)) return;
  for (const [name, below] of Object.entries(value)) {
    const element = fieldElement(name);
    path.push(element);
    visit(below, typeBelow(type, element), path, set);
    if (type.kind === 'map' || isEmptyMapping(below)) set.insert(path);
    path.pop();
  }
}

function isEmptyMapping(value: unknown): boolean {
  return value === null || (isFields(value) && Object.keys(value).length === 0);
}
