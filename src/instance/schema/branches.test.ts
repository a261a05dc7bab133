import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../../test/support/hand-made-snapshot.ts';
import { atOnce } from '../../base/index.ts';
import { checkSchemas } from './check-schemas.ts';

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

const check = (content: object) =>
  atOnce(checkSchemas(handMadeSnapshot({ '/f.yml': { $schema: '/thing-1.yml', ...content } }), SCHEMAS)).map(
    ({ keys, message }) => `${keys.join('.')}: ${message}`,
  );

describe('a value that may stand inline or in a file of its own', () => {
  it.each([{ target: ref('/t.yml') }, { target: { ref: 'main' } }, { targets: [ref('/t.yml'), { ref: 'main' }] }])(
    '%o fits',
    (content) => {
      expect(check(content)).toEqual([]);
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
    expect(check(content)).toEqual(says);
  });
});

describe('a value with forms by provider', () => {
  it.each([
    { value: { provider: 's3', bucket: 5 }, says: ['bucket: bucket must be text, but is the number 5'] },
    { value: { provider: 'rds', size: true }, says: ['size: size must be text, but is the boolean true'] },
    { value: { provider: 'rds' }, says: [' size is missing'] },
    {
      value: { provider: 'rds', bucket: 'b' },
      says: [' size is missing', 'bucket: bucket is not a field of this schema'],
    },
    { value: { bucket: 'b' }, says: [' provider is missing'] },
    { value: { provider: 'efs', size: 5 }, says: ['provider: provider is "efs", not one of s3, rds'] },
  ])('$value is told for its own provider', ({ value, says }) => {
    expect(check({ provider: value })).toEqual(
      says.map((text) => `provider${text.startsWith(' ') ? ':' : '.'}${text}`),
    );
  });

  it.each([
    { value: { provider: 'rds' }, says: ['nested: size is missing'] },
    { value: { provider: 'dns', zone: [] }, says: ['nested.zone: zone must be text, but is a list'] },
    { value: { provider: 'efs' }, says: ['nested.provider: provider is "efs", not one of s3, rds, dns'] },
  ])('$value is told for its own provider in nested choices', ({ value, says }) => {
    expect(check({ nested: value })).toEqual(says);
  });
});

describe('a branch that refers to a definition of its own schema', () => {
  it('is tried by itself', () => {
    expect(check({ local: { a: 5 } })).toEqual(['local.a: a must be text, but is the number 5']);
  });
});

describe('a value that fits two forms of which it may fit one', () => {
  it('is told so', () => {
    expect(check({ loose: { a: 1 } })).toEqual(['loose: loose must match exactly one of the variants in the schema']);
  });
});
