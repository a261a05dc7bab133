import { isFields } from './objects.ts';
import type { Type } from './schema.ts';

/** Paths of fields that the type does not have, as `spec.template.spec.containers[0].imge`. */
export function unknownFields(value: unknown, type: Type, path = ''): string[] {
  if (type.kind === 'list')
    return Array.isArray(value) ? value.flatMap((item, i) => unknownFields(item, type.item, `${path}[${i}]`)) : [];
  if (!isFields(value)) return [];
  if (type.kind === 'map') return Object.values(value).flatMap((item) => unknownFields(item, type.value, path));
  if (type.kind !== 'struct') return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const below = path === '' ? name : `${path}.${name}`;
    const field = type.fields.get(name);
    return field === undefined ? [below] : unknownFields(item, field.type, below);
  });
}
