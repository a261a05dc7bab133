import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type Met, schemaCompiler } from './compile.ts';
import { schemaReader } from './fits.ts';
import { KEYWORDS, UNSUPPORTED } from './fits-keywords.ts';
import type { Noted, NotedReference } from './noted.ts';
import { keysOf } from './schema-errors.ts';

const COMMON = {
  definitions: {
    crossref: { type: 'object', properties: { $ref: { type: 'string' } }, required: ['$ref'] },
    resourceref: { type: 'string' },
    list: { type: 'array', items: { $ref: '#/definitions/list' } },
  },
};

const name = fc.constantFrom('a', 'b', 'ab', '$ref');
const plain = fc.constantFrom(
  ...['', 'a', 'ab', 'abc', 'ABC', '/t.yml', '/r.txt', '😀', 'a/b', null, true, false],
  ...[0, 1, -1, 2.5, 3, 1e21, Number.NaN, Number.POSITIVE_INFINITY],
);
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'null');
const limit = fc.constantFrom(0, 1, 2, 2.5, -1);
const pattern = fc.constantFrom('^a', 'b$', '(?i)abc', '^(?!a)', '^(?!b)', '[', '^.$');
const CROSSREF = '/common-1.json#/definitions/crossref';
const TARGETS = { properties: { $schema: { enum: ['/x-1.yml'] } } };

/** What a schema should not say, and what makes the validator fail, but for which the schema would be supported. */
const ODD: readonly object[] = [
  ...[
    'type',
    'enum',
    'required',
    'properties',
    'items',
    'oneOf',
    'minimum',
    'minLength',
    'pattern',
    'format',
    '$schemaRef',
  ].flatMap((keyword) => [null, true, 'text', 7, [], {}, ['x', 1], Number.NaN].map((value) => ({ [keyword]: value }))),
  ...['missing', 'list/type'].map((pointer) => ({ $ref: `/common-1.json#/definitions/${pointer}` })),
  ...['/thing-1.yml', '#/properties/a', '#', 'common-1.json', '/none-1.yml', ''].map((ref) => ({ $ref: ref })),
  ...['', 'constructor', '__proto__'].flatMap((field) => [
    { required: [field] },
    { properties: Object.fromEntries([[field, { type: 'string' }]]), additionalProperties: false },
    { dependencies: { a: [field] } },
  ]),
  ...[{ uniqueItems: true }, { nullable: true }, { if: {} }, { items: [{}] }, { items: false }, { const: [1] }],
  ...[{ exclusiveMaximum: true }, { type: 'strng' }, { $id: '/x' }, { id: 'x' }, { multipleOf: 2 }, { enum: [{}] }],
];

const { value, schema } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: plain },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 4, arbitrary: mapping(fc.oneof(name, fc.constantFrom('', 'constructor', '__proto__')), tie('value')) },
    { weight: 2, arbitrary: fc.record({ $ref: fc.constantFrom('/t.yml', '/other.yml', 5) }) },
  ),
  schema: fc.oneof(
    { maxDepth: 5 },
    { weight: 10, arbitrary: fc.boolean() },
    {
      weight: 20,
      arbitrary: fc.constantFrom(
        { $ref: CROSSREF, $schemaRef: '/x-1.yml', type: 'ignored' },
        { $ref: CROSSREF, $schemaRef: TARGETS },
        { $ref: '/common-1.json#/definitions/resourceref' },
        { $ref: '/common-1.json#/definitions/list' },
        {
          anyOf: [
            { $ref: CROSSREF, $schemaRef: TARGETS },
            { $ref: CROSSREF, $schemaRef: '/x-1.yml' },
          ],
        },
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...ODD) },
    {
      weight: 80,
      arbitrary: keywords({
        type: fc.oneof(type, fc.array(type, { minLength: 1, maxLength: 3 })),
        enum: fc.array(plain, { minLength: 1, maxLength: 4 }),
        const: plain,
        minimum: limit,
        maximum: limit,
        exclusiveMinimum: limit,
        exclusiveMaximum: limit,
        minLength: limit,
        maxLength: limit,
        minItems: limit,
        maxItems: limit,
        pattern,
        required: fc.array(name, { maxLength: 2 }),
        properties: mapping(name, tie('schema')),
        patternProperties: mapping(pattern, tie('schema')),
        additionalProperties: tie('schema'),
        dependencies: mapping(name, fc.oneof(fc.array(name, { maxLength: 2 }), tie('schema'))),
        items: tie('schema'),
        contains: tie('schema'),
        not: tie('schema'),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        $schemaRef: fc.constantFrom<unknown>('/x-1.yml', TARGETS),
        unheardOf: plain,
        format: fc.constant('ipv4'),
      }),
    },
  ),
}));

function mapping(key: fc.Arbitrary<string>, of: fc.Arbitrary<unknown>) {
  return fc.array(fc.tuple(key, of), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

/** A few of them: all together accept nothing. */
function keywords(all: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  const one = fc.oneof(...Object.entries(all).map(([keyword, of]) => fc.tuple(fc.constant(keyword), of)));
  return fc.array(one, { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
}

it('what is read here fits exactly when the validator says so, and notes whatever it notes, and surely nothing else', () => {
  let [fitting, others] = [0, 0];
  holds(
    fc.property(schema, schema, fc.array(value, { minLength: 20, maxLength: 20 }), (part, whole, contents) => {
      const schemas = new Map<string, unknown>([
        ['/common-1.json', COMMON],
        ['/thing-1.yml', { properties: { a: part }, allOf: [whole] }],
      ]);
      const fits = schemaReader(schemas)?.schema('/thing-1.yml');
      if (fits === undefined) return;
      const validate = schemaCompiler(schemas).schema('/thing-1.yml');
      for (const content of contents) {
        const met: Met = { references: [], resources: [] };
        const noted: Noted = { references: [], resources: [], keys: [], unsure: 0 };
        expect([content, fits(content, noted)]).toEqual([content, validate?.call(met, content)]);
        if (validate?.errors) others += 1;
        else fitting += 1;
        const references = noted.references.map(textOf);
        const known = met.references.map((each) => textOf({ ...each, keys: keysOf(each.pointer, content) }));
        expect(references).toEqual(expect.arrayContaining(known));
        const sure = noted.references.filter(({ isUnsure }) => isUnsure !== true).map(textOf);
        if (!validate?.errors) expect(known).toEqual(expect.arrayContaining(sure));
        expect(noted.resources).toEqual(expect.arrayContaining(met.resources.map((resource) => resource.target)));
      }
    }),
    { numRuns: Number(process.env['ECHELON_SCHEMAS'] ?? 200) },
  );
  expect(Math.min(fitting, others)).toBeGreaterThan((fitting + others) / 10);
});

function textOf({ keys, target, demand }: NotedReference): string {
  return JSON.stringify([keys, target, demand]);
}

it('every keyword of the validator is applied, or makes a schema unsupported, or asserts nothing', () => {
  const { all } = new Ajv({ strict: false, meta: false }).RULES;
  const known = new Set([...Object.keys(KEYWORDS), ...UNSUPPORTED, '$comment']);
  expect(Object.keys(all).filter((keyword) => !known.has(keyword))).toEqual([]);
});
