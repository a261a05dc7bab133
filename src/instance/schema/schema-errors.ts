import type { ErrorObject } from 'ajv';
import { didYouMean, shown } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

type Described = Pick<Finding, 'keys' | 'message' | 'hint'> & { readonly at?: 'key' | 'value' };

/** The message and hint for an error of the JSON schema validator, with the key path of its location. */
export function tellSchemaError(error: ErrorObject, content: unknown): Described {
  const keys = keysOf(error.instancePath, content);
  const teller = DESCRIBERS[error.keyword];
  return teller === undefined
    ? { keys, message: `${nameOf(keys)} ${error.message ?? 'does not match the schema'}`, hint: 'correct the value' }
    : teller(error, keys);
}

const DESCRIBERS: Readonly<Record<string, (error: ErrorObject, keys: KeyPath) => Described>> = {
  required: ({ params }, keys) => ({
    keys,
    message: `${params['missingProperty']} is missing`,
    hint: `add ${params['missingProperty']}`,
  }),
  additionalProperties: ({ params, parentSchema }, keys) => {
    const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {});
    const extra = String(params['additionalProperty']);
    return {
      keys: [...keys, extra],
      at: 'key',
      message: `${extra} is not a field of this schema`,
      hint: didYouMean(extra, known, known.length === 0 ? 'remove it' : `known fields: ${known.join(', ')}`),
    };
  },
  enum: ({ params, data }, keys) => {
    const allowed = (params['allowedValues'] as unknown[]).map(String);
    return {
      keys,
      message: `${nameOf(keys)} is ${shown(data)}, not one of ${allowed.join(', ')}`,
      hint: didYouMean(String(data), allowed, `use one of: ${allowed.join(', ')}`),
    };
  },
  type: ({ params, data }, keys) => ({
    keys,
    message: `${nameOf(keys)} must be ${KINDS[String(params['type'])] ?? params['type']}, but is ${describe(data)}`,
    hint:
      params['type'] === 'string' && typeof data !== 'object'
        ? 'quote it: YAML parses unquoted numbers, yes/no and on/off as other types'
        : `use ${KINDS[String(params['type'])] ?? params['type']}`,
  }),
  pattern: ({ params, data }, keys) => ({
    keys,
    message: `${nameOf(keys)} is ${shown(data)}, which does not match ${params['pattern']}`,
    hint: 'correct the value',
  }),
  contains: ({ schema }, keys) => ({
    keys,
    message: `${nameOf(keys)} must contain ${JSON.stringify((schema as { const?: unknown }).const ?? schema)}`,
    hint: 'add it to the list',
  }),
  oneOf: (_, keys) => ({
    keys,
    message: `${nameOf(keys)} must match exactly one of the variants in the schema`,
    hint: 'use the fields of one variant only',
  }),
  anyOf: (_, keys) => ({
    keys,
    message: `${nameOf(keys)} matches none of the variants in the schema`,
    hint: 'add the fields that one of them requires',
  }),
};

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
};

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `the ${typeof value} ${shown(value)}`;
}

function nameOf(keys: KeyPath): string {
  const last = keys.findLast((key) => typeof key === 'string');
  return last === undefined ? 'the file' : String(last);
}

/** Converts a JSON pointer to keys; a number is an index only where the data has a list. */
export function keysOf(pointer: string, content: unknown): KeyPath {
  const keys: (string | number)[] = [];
  let value = content;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const step = Array.isArray(value) ? Number(key) : key;
    keys.push(step);
    value = (value as Record<string | number, unknown> | undefined)?.[step];
  }
  return keys;
}
