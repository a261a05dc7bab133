import { type Fields, isFields } from '../objects.ts';
import type { ListType, Type } from '../schema.ts';
import { type FieldSet, typeBelow } from './field-set.ts';
import { fieldElement, itemElement } from './path-element.ts';

/** The value without the paths of the set; what is emptied by it becomes null. */
export function removePaths(value: unknown, set: FieldSet, type: Type): unknown {
  if (type.kind === 'list') return removeItems(value, set, type);
  if (type.kind === 'struct' || type.kind === 'map') return removeFields(value, set, type);
  return value;
}

function removeItems(value: unknown, set: FieldSet, type: ListType): unknown {
  if (!Array.isArray(value) || type.style === 'atomic') return null;
  const kept: unknown[] = [];
  for (const item of value) {
    const element = itemElement(type, item);
    if (element === undefined || set.members.has(element)) continue;
    const below = set.children.get(element);
    kept.push(below === undefined || below.isEmpty ? item : removePaths(item, below, type.item));
  }
  return kept.length === 0 ? null : kept;
}

function removeFields(value: unknown, set: FieldSet, type: Type): unknown {
  if (!isFields(value) || ('atomic' in type && type.atomic)) return null;
  const kept: Fields = {};
  for (const [name, field] of Object.entries(value)) {
    const element = fieldElement(name);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    kept[name] = below === undefined || below.isEmpty ? field : removePaths(field, below, typeBelow(type, element));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}
