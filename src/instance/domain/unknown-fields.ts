import { isJson, suggestions } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

/**
 * Unknown fields: a typo such as `imageref` would otherwise be ignored silently.
 * A warning, since a newer instance may have fields that this version does not know.
 */
export function unknownFields(
  path: string,
  keys: KeyPath,
  value: unknown,
  shape: { readonly shape: Readonly<Record<string, unknown>> },
): Finding[] {
  if (!isJson(value)) return [];
  const known = Object.keys(shape.shape);
  const names = new Set(known);
  const suggest = suggestions();
  const otherwise = `known fields: ${known.join(', ')}`;
  return Object.keys(value)
    .filter((key) => !names.has(key))
    .map((key) => ({
      rule: 'unknown-field',
      severity: 'warning',
      path,
      keys: [...keys, key],
      at: 'key',
      message: `unknown field ${key} has no effect`,
      hint: suggest(key, names, otherwise),
    }));
}
