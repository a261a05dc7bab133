import { type Fields, isFields } from '../objects.ts';
import type { Type } from '../schema.ts';

/** Whether two values are taken as a whole. Two that are both empty are, so that null and empty can be told apart. */
export function isLeaf(one: unknown, other: unknown, type: Type): boolean {
  if (type.kind === 'scalar' || type.kind === 'any') return true;
  if (type.kind === 'list') return type.style === 'atomic' || (listOf(one).length === 0 && listOf(other).length === 0);
  return type.atomic || (Object.keys(fieldsOf(one)).length === 0 && Object.keys(fieldsOf(other)).length === 0);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
