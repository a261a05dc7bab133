import * as fc from 'fast-check';
import { fieldsIn, type SchemaNode } from '../../src/fields/json-schema.ts';

/** What hardly any field accepts, and what is next to a limit. */
const ODD: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    4,
    40,
    41,
    100,
    101,
    1000,
    1001,
    0.5,
    1.5,
    '',
    ' ',
    'a',
    '/a',
    '../a',
    'a/../b',
    '.',
  ],
  ...['0', '-0', '-1', '+5', '500Mi', '-500Mi', '.5Gi', '1e3', '12.5k', '1.', 'Mi', '10 Gi', '0.0000000000000001'],
  ...['4h', '1d12h', '90', 'h', '1h ', '1234567d', '2026-12-20T00:00:00Z', '2026-12-20 00:00:00', '2026-12-20', 'soon'],
  ...['0 8 * * 1-5', '* * * *', '* * * * * *', ' 0  8 * * 1 ', '0 8 * * mon', '0 8 31 2 *', '61 * * * *', '0 8 * * 7'],
  ...[
    'f929a38',
    'f929a38@sha256:abc',
    `f9@sha256:${'a'.repeat(64)}`,
    'quay.io/a/b:c',
    'a'.repeat(128),
    'a'.repeat(129),
  ],
  ...[
    'a.b',
    'a..b',
    'a[]',
    'a[].b',
    'a.[b]',
    '[x=1].y',
    'a[x="]"]',
    'a[x=]',
    'a[*]',
    '$ref',
    'a[0',
    '1a',
    'a b',
    'a-b',
  ],
  ...['https://x.example.com', 'http://[', 'ftp://x', 'HTTPS://X', 'x', 'https:', 'all', 'static', 'Always', 'pause'],
  ...[
    [],
    ['a'],
    [''],
    [1],
    [null],
    [['a']],
    {},
    { a: 'b' },
    { a: 1 },
    { $ref: '/a.yml' },
    { $ref: 1 },
    { min: 2, max: 1 },
  ],
];

/**
 * Documents that a JSON Schema mostly accepts: examples in their places, with and without what is optional; in most a single
 * field has an odd value, is missing or is misspelt.
 */
export function documentsOf(schema: SchemaNode): fc.Arbitrary<unknown> {
  const paths = pathsIn(schema);
  return fc
    .tuple(
      fc.nat(),
      fc.constantFrom(...paths),
      fc.constantFrom<Slip['how']>('none', 'value', 'value', 'missing', 'misspelt'),
    )
    .map(([seed, at, how]) => {
      const draw = dice(seed);
      const one: Drawing['one'] = (items) => items[Math.floor(draw() * items.length)];
      return drawnFrom(schema, [], { at, how, draw, one });
    });
}

function pathsIn(node: SchemaNode, keys: readonly string[] = []): string[] {
  return fieldsIn(node).flatMap(({ name, schema }) => [[...keys, name].join('.'), ...pathsIn(schema, [...keys, name])]);
}

/** What happens to one field. */
interface Slip {
  /** Its path; it is there unless it is missing. */
  readonly at: string;
  readonly how: 'none' | 'value' | 'missing' | 'misspelt';
}

interface Drawing extends Slip {
  /** From 0 to 1. */
  readonly draw: () => number;
  readonly one: <Item>(items: readonly Item[]) => Item | undefined;
}

function leadsTo(keys: readonly string[], { at }: Slip): boolean {
  return at === keys.join('.') || at.startsWith(`${keys.join('.')}.`);
}

/** Mulberry32. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function drawnFrom(node: SchemaNode, keys: readonly string[], drawing: Drawing): unknown {
  const { at, how, one } = drawing;
  if (how === 'value' && at === keys.join('.')) return oddFor(node, drawing);
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined) return one(node.enum);
  const typed = (node.anyOf ?? []).filter((each) => each.type !== undefined || each.const !== undefined);
  if (node.type === undefined && typed.length > 0)
    return one([...(node.examples ?? []), drawnFrom(one(typed) ?? {}, keys, drawing)]);
  return composedOf(node, keys, drawing) ?? scalarOf(node, drawing);
}

/** Often one of the right type, next to a limit. */
function oddFor({ type = '' }: SchemaNode, { one, draw }: Drawing): unknown {
  const alike = ODD.filter((each) => TYPES[String(type)]?.(each) === true);
  return one(alike.length > 0 && draw() < 0.6 ? alike : ODD);
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => typeof value === 'number',
  number: (value) => typeof value === 'number',
  object: (value) => typeof value === 'object' && !Array.isArray(value),
  array: (value) => Array.isArray(value),
};

function composedOf(node: SchemaNode, keys: readonly string[], drawing: Drawing): unknown {
  const { type, items = {}, properties, additionalProperties: values, minItems = 0 } = node;
  if (properties !== undefined) return mappingOf(node, properties, keys, drawing);
  if (type === 'array') {
    const length = Math.max(minItems, leadsTo(keys, drawing) ? 1 : 0) + Math.floor(drawing.draw() * 2);
    return Array.from({ length }, () => drawnFrom(items, keys, drawing));
  }
  if (typeof values !== 'object' || values.properties === undefined) return undefined;
  return { [drawing.one(['a', 'b-c', 'x1', '']) ?? '']: drawnFrom(values, keys, drawing) };
}

function scalarOf({ type, examples = [] }: SchemaNode, { one, draw }: Drawing): unknown {
  if (type === 'boolean') return draw() < 0.5;
  return one(examples.length > 0 ? examples : ODD.filter((each) => typeof each === type));
}

function mappingOf(
  node: SchemaNode & Conditions,
  properties: Readonly<Record<string, SchemaNode>>,
  keys: readonly string[],
  drawing: Drawing,
): unknown {
  const { draw, at, how } = drawing;
  const { required = [] } = node;
  const names = Object.keys(properties);
  const isNeeded = (name: string): boolean => required.includes(name) || leadsTo([...keys, name], drawing);
  const choose = () => new Set(names.filter((name) => isNeeded(name) || draw() < 0.3));
  let kept = choose();
  for (let attempt = 0; attempt < 30 && !fits(node, kept); attempt += 1) kept = choose();
  return Object.fromEntries(
    [...kept].flatMap((name) => {
      const path = [...keys, name];
      const isSlipped = at === path.join('.');
      if (isSlipped && how === 'missing') return [];
      return [[isSlipped && how === 'misspelt' ? `${name}x` : name, drawnFrom(properties[name] ?? {}, path, drawing)]];
    }),
  );
}

interface Conditions {
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly Conditions[];
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

/** Whether the fields that are there are those that the conditions ask for. */
function fits({ oneOf, allOf = [], dependencies = {} }: Conditions, kept: ReadonlySet<string>): boolean {
  const has = (names: readonly string[] = []): boolean => names.every((name) => kept.has(name));
  const choices = [oneOf, ...allOf.map((each) => each.oneOf)].filter((choice) => choice !== undefined);
  return (
    choices.every((choice) => choice.filter(({ required }) => has(required)).length === 1) &&
    Object.entries(dependencies).every(([name, needs]) => !kept.has(name) || has(needs))
  );
}
