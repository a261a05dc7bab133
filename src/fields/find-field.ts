import { didYouMean, EchelonError } from '../base/index.ts';
import { type Field, fieldTree } from './field-tree.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { Kind } from './kind.ts';
import { KINDS } from './kinds.ts';

/** A kind, or one of its fields. */
export interface FoundField {
  readonly kind: Kind;
  readonly field: Field;
}

/** The kind with a name; `rollouts.yml` is also `rollouts`, and letter case and dashes do not matter: `leanNamespace`. */
export function findKind(name: string): Kind {
  const found = KINDS.find((kind) => plain(kind.name) === plain(name));
  if (found !== undefined) return found;
  const names = KINDS.map((kind) => kind.name);
  throw new EchelonError({
    code: 'KIND_UNKNOWN',
    message: `no kind ${name}`,
    hint: didYouMean(name, names, `use one of: ${names.join(', ')}`),
  });
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.ya?ml$/, '')
    .replaceAll(/[-_\s]/g, '');
}

/** `integration.managed.spec`; positions in lists and names that users choose are left out. */
export function findField(path: string): FoundField {
  const [first = '', ...keys] = stepsOf(path);
  const kind = findKind(first);
  let field = fieldTree(kind.name, jsonSchemaOf(kind));
  for (const key of keys) field = fieldIn(field, key);
  return { kind, field };
}

/** The suffix of a file name is not a step. */
function stepsOf(path: string): string[] {
  const [first = '', ...rest] = path.split('.');
  return rest[0] === 'yml' || rest[0] === 'yaml' ? [first, ...rest.slice(1)] : [first, ...rest];
}

function fieldIn({ path, fields }: Field, key: string): Field {
  const found = fields.find(({ name }) => name === key);
  if (found !== undefined) return found;
  const names = fields.map(({ name }) => name);
  const known = names.length === 0 ? `${path} has no fields` : `${path} has: ${names.join(', ')}`;
  throw new EchelonError({
    code: 'FIELD_UNKNOWN',
    message: `${path} has no field ${key === '' ? '""' : key}`,
    hint: didYouMean(key, names, known),
  });
}
