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
    { schema: { required: ['y'] }, x: {}, at: 'x.y', message: 'y is missing' },
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
    expect(check(schema, { a: 1, b: 2 }).map(({ at }) => at)).toEqual(['x.c', 'x.a', 'x.b']);
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

const kind = (provider: string, field: string) => ({
  properties: { provider: { enum: [provider] }, [field]: { type: 'string' } },
  required: ['provider', field],
  additionalProperties: false,
});

const SCHEMAS = new Map<string, unknown>([
  [
    '/common-1.json',
    {
      definitions: {
        crossref: {
          type: 'object',
          properties: { $ref: { type: 'string' } },
          required: ['$ref'],
          additionalProperties: false,
        },
      },
    },
  ],
  [
    '/target-1.yml',
    {
      type: 'object',
      additionalProperties: false,
      properties: { ref: { type: 'string' }, options: { properties: { deep: { type: 'boolean' } } } },
      required: ['ref'],
    },
  ],
  [
    '/thing-1.yml',
    {
      definitions: { own: { type: 'object', properties: { a: { type: 'string' } } } },
      properties: {
        target: { oneOf: [{ $ref: '/common-1.json#/definitions/crossref' }, { $ref: '/target-1.yml' }] },
        targets: {
          items: { anyOf: [{ $ref: '/common-1.json#/definitions/crossref' }, { $ref: '/target-1.yml' }] },
        },
        provider: { oneOf: [kind('s3', 'bucket'), kind('rds', 'size')] },
        nested: { oneOf: [{ oneOf: [kind('s3', 'bucket'), kind('rds', 'size')] }, { oneOf: [kind('dns', 'zone')] }] },
        local: { oneOf: [{ $ref: '#/definitions/own' }, { type: 'string' }] },
        loose: { oneOf: [{ type: 'object' }, { required: ['a'] }] },
      },
    },
  ],
]);

const messages = (content: object) =>
  atOnce(checkSchemas(handMadeSnapshot({ '/f.yml': { $schema: '/thing-1.yml', ...content } }), SCHEMAS)).map(
    ({ keys, message }) => `${keys.join('.')}: ${message}`,
  );

describe('a value that may stand inline or in a file of its own', () => {
  it.each([{ target: ref('/t.yml') }, { target: { ref: 'main' } }, { targets: [ref('/t.yml'), { ref: 'main' }] }])(
    '%o fits',
    (content) => {
      expect(messages(content)).toEqual([]);
    },
  );

  it.each([
    {
      given: 'inline with a wrong field',
      content: { target: { ref: 5 } },
      says: ['target.ref: ref must be text, but is the number 5'],
    },
    {
      given: 'inline with a wrong field deep inside',
      content: { target: { ref: 'main', options: { deep: 'yes' } } },
      says: ['target.options.deep: deep must be true or false, but is the string "yes"'],
    },
    {
      given: 'a reference with a field beside it',
      content: { target: { $ref: '/t.yml', colour: 'red' } },
      says: ['target.colour: colour is not a field of this schema'],
    },
    {
      given: 'inline in a list',
      content: { targets: [{ ref: 'main' }, { ref: ['main'] }] },
      says: ['targets.1.ref: ref must be text, but is a list'],
    },
  ])('$given is told for the form that was meant', ({ content, says }) => {
    expect(messages(content)).toEqual(says);
  });
});

describe('a value with forms by provider', () => {
  it.each([
    { value: { provider: 's3', bucket: 5 }, says: ['bucket: bucket must be text, but is the number 5'] },
    { value: { provider: 'rds', size: true }, says: ['size: size must be text, but is the boolean true'] },
    { value: { provider: 'rds' }, says: ['size: size is missing'] },
    {
      value: { provider: 'rds', bucket: 'b' },
      says: ['size: size is missing', 'bucket: bucket is not a field of this schema'],
    },
    { value: { bucket: 'b' }, says: ['provider: provider is missing'] },
    { value: { provider: 'efs', size: 5 }, says: ['provider: provider is "efs", not one of s3, rds'] },
  ])('$value is told for its own provider', ({ value, says }) => {
    expect(messages({ provider: value })).toEqual(says.map((text) => `provider.${text}`));
  });

  it.each([
    { value: { provider: 'rds' }, says: ['nested.size: size is missing'] },
    { value: { provider: 'dns', zone: [] }, says: ['nested.zone: zone must be text, but is a list'] },
    { value: { provider: 'efs' }, says: ['nested.provider: provider is "efs", not one of s3, rds, dns'] },
  ])('$value is told for its own provider in nested choices', ({ value, says }) => {
    expect(messages({ nested: value })).toEqual(says);
  });
});

describe('a branch that refers to a definition of its own schema', () => {
  it('is tried by itself', () => {
    expect(messages({ local: { a: 5 } })).toEqual(['local.a: a must be text, but is the number 5']);
  });
});

describe('a value that fits two forms of which it may fit one', () => {
  it('is told so', () => {
    expect(messages({ loose: { a: 1 } })).toEqual([
      'loose: loose must match exactly one of the variants in the schema',
    ]);
  });
});
