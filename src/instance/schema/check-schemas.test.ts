import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../../test/support/hand-made-snapshot.ts';
import { atOnce } from '../../base/index.ts';
import { checkSchemas } from './check-schemas.ts';

const COMMON = {
  definitions: {
    crossref: {
      type: 'object',
      properties: { $ref: { type: 'string' } },
      required: ['$ref'],
      additionalProperties: false,
    },
    resourceref: { type: 'string' },
    name: { type: 'string', pattern: '^[a-z]+$' },
    anything: {},
  },
};
const CROSSREF = '/common-1.json#/definitions/crossref';
const RESOURCEREF = '/common-1.json#/definitions/resourceref';

/** What is said of a file of this schema that holds `{ x }`. */
function check(schemaOfX: object, x: unknown, more: Readonly<Record<string, object>> = {}) {
  const schemas = new Map<string, unknown>([
    ['/common-1.json', COMMON],
    ['/thing-1.yml', { $schema: '/metaschema-1.json', type: 'object', properties: { x: schemaOfX }, ...more }],
  ]);
  const snapshot = handMadeSnapshot(
    {
      '/file.yml': { $schema: '/thing-1.yml', x },
      '/cluster.yml': { $schema: '/cluster-1.yml', name: 'c' },
      '/account.yml': { $schema: '/account-1.yml', name: 'a' },
    },
    { resources: ['/there.yaml'] },
  );
  return atOnce(checkSchemas(snapshot, schemas)).map(({ rule, keys, message }) => ({
    rule,
    at: keys.join('.'),
    message,
  }));
}

describe('a value that breaks its schema', () => {
  it.each([
    { schema: { type: 'string' }, x: 5, at: 'x', message: 'x must be text, but is the number 5' },
    { schema: { type: 'integer' }, x: 'five', at: 'x', message: 'x must be a whole number, but is the string "five"' },
    { schema: { type: 'array' }, x: {}, at: 'x', message: 'x must be a list, but is a mapping' },
    { schema: { type: 'object' }, x: null, at: 'x', message: 'x must be a mapping, but is nothing' },
    { schema: { enum: ['a', 'b'] }, x: 'c', at: 'x', message: 'x is "c", not one of a, b' },
    { schema: { pattern: '^a' }, x: 'b', at: 'x', message: 'x is "b", which does not match ^a' },
    { schema: { required: ['y'] }, x: {}, at: 'x', message: 'y is missing' },
    {
      schema: { properties: { yes: {} }, additionalProperties: false },
      x: { yess: 1 },
      at: 'x.yess',
      message: 'yess is not a field of this schema',
    },
    { schema: { contains: { const: 'a' } }, x: ['b'], at: 'x', message: 'x must contain "a"' },
    { schema: { items: { type: 'string' } }, x: ['a', 5], at: 'x.1', message: 'x must be text, but is the number 5' },
  ])('$message', ({ schema, x, at, message }) => {
    expect(check(schema, x)).toEqual([{ rule: 'json-schema', at, message }]);
  });

  it('each pattern is its own, also where the engine that is linear has none of them', () => {
    const schema = { properties: { a: { pattern: '^(?!no)' }, b: { pattern: '^(?!never)' } } };
    expect(check(schema, { a: 'never', b: 'never' }).map(({ at }) => at)).toEqual(['x.b']);
  });

  it('every one is told', () => {
    const schema = { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['c'] };
    expect(check(schema, { a: 1, b: 2 }).map(({ at }) => at)).toEqual(['x', 'x.a', 'x.b']);
  });

  it('a schema that refers to one that is not there is an error of the schemas', () => {
    const action = () => check({ $ref: '/nowhere-1.yml' }, 'a');
    expect(action).toThrow(expect.objectContaining({ code: 'SCHEMA_INVALID' }));
    expect(action).toThrow('cannot compile schema /thing-1.yml: ');
  });

  it('a file without a schema of the set is not checked', () => {
    const snapshot = handMadeSnapshot({ '/a.yml': { $schema: '/other-1.yml' }, '/b.yml': {} });
    expect(atOnce(checkSchemas(snapshot, new Map([['/thing-1.yml', { required: ['x'] }]])))).toEqual([]);
  });
});

describe('draft-06 as instances use it', () => {
  it.each([
    {
      given: 'keywords beside $ref are ignored',
      schema: { $ref: '/common-1.json#/definitions/name', enum: ['b'] },
      x: 'a',
    },
    {
      given: '$schemaRef beside a $ref to anything but a reference is ignored',
      schema: { $ref: '/common-1.json#/definitions/anything', $schemaRef: '/cluster-1.yml' },
      x: ref('/account.yml'),
    },
    { given: 'a format is not enforced', schema: { type: 'string', format: 'uri' }, x: 'not a uri' },
    { given: '(?i) at the start of a pattern is a flag', schema: { pattern: '(?i)^abc$' }, x: 'ABC' },
    { given: 'a pattern that no engine here reads is let be', schema: { pattern: '(?P=name)a' }, x: 'b' },
    {
      given: 'a field that is named $schema is a field',
      schema: { properties: { $schema: { enum: ['/a-1.yml'] } } },
      x: { $schema: '/a-1.yml' },
    },
  ])('$given', ({ schema, x }) => {
    expect(check(schema, x)).toEqual([]);
  });

  it.each([
    { given: 'what $ref names', schema: { $ref: '/common-1.json#/definitions/name' }, x: 'A' },
    { given: 'a pattern with (?i)', schema: { pattern: '(?i)^abc$' }, x: 'abd' },
    {
      given: 'a field that is named $schema',
      schema: { properties: { $schema: { enum: ['/a-1.yml'] } } },
      x: { $schema: '/b-1.yml' },
    },
  ])('$given is enforced', ({ schema, x }) => {
    expect(check(schema, x)).toMatchObject([{ rule: 'json-schema' }]);
  });
});

describe('a reference of which the schema demands a kind', () => {
  const byName = { $ref: CROSSREF, $schemaRef: '/cluster-1.yml' };
  const inline = {
    $ref: CROSSREF,
    $schemaRef: { type: 'object', properties: { $schema: { enum: ['/cluster-1.yml', '/rack-1.yml'] } } },
  };
  const byShape = { $ref: CROSSREF, $schemaRef: { required: ['owner'] } };

  it.each([
    { given: 'by name', schema: byName, x: ref('/cluster.yml') },
    { given: 'inline', schema: inline, x: ref('/cluster.yml') },
    { given: 'by name, of a file that does not exist', schema: byName, x: ref('/nowhere.yml') },
    { given: 'in one of two forms', schema: { oneOf: [byName, { type: 'string' }] }, x: ref('/cluster.yml') },
  ])('$given, is let be when it fits', ({ schema, x }) => {
    expect(check(schema, x)).toEqual([]);
  });

  it.each([
    { given: 'by name', schema: byName, kind: 'a /cluster-1.yml' },
    { given: 'inline', schema: inline, kind: 'a /cluster-1.yml or /rack-1.yml' },
    { given: 'by shape', schema: byShape, kind: 'a file of the type that the schema requires' },
  ])('$given, is told what it is and what it should be', ({ schema, kind }) => {
    expect(check(schema, ref('/account.yml'))).toEqual([
      { rule: 'ref-wrong-type', at: 'x.$ref', message: `/account.yml is a /account-1.yml, not ${kind}` },
    ]);
  });
});

describe('a resource', () => {
  const schema = { properties: { path: { $ref: RESOURCEREF } } };

  it.each(['/there.yaml', 'vault/path/without/slash'])('%s is let be', (path) => {
    expect(check(schema, { path })).toEqual([]);
  });

  it('that does not exist is told with the nearest', () => {
    expect(check(schema, { path: '/their.yaml' })).toEqual([
      { rule: 'resource-missing', at: 'x.path', message: 'the resource /their.yaml does not exist' },
    ]);
  });

  it('is not looked for where the source lists none', () => {
    const snapshot = handMadeSnapshot({ '/a.yml': { $schema: '/thing-1.yml', path: '/gone.yaml' } });
    const schemas = new Map<string, unknown>([
      ['/common-1.json', COMMON],
      ['/thing-1.yml', schema],
    ]);
    expect(atOnce(checkSchemas(snapshot, schemas))).toEqual([]);
  });
});
