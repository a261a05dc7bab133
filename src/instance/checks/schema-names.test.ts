import { describe, expect, it } from 'vitest';
import { handMadeSnapshot } from '../../../test/support/hand-made-snapshot.ts';
import { schemaNames } from './schema-names.ts';

const KNOWN = new Set(['/app-sre/integration-1.yml', '/own/thing-2.yml']);

const check = (content: Readonly<Record<string, unknown>>, known?: ReadonlySet<string>) =>
  schemaNames(handMadeSnapshot({ '/a.yml': content }), known);

describe('where the schemas are not at hand', () => {
  it.each([
    { given: 'one that Echelon reads', schema: '/app-sre/integration-1.yml' },
    { given: 'one of the instance', schema: '/own/thing-1.yml' },
    { given: 'a JSON schema', schema: '/own/thing-1.json' },
    { given: 'another version of one that Echelon reads', schema: '/own/deep/thing-12.yaml' },
  ])('$given is let be', ({ schema }) => {
    expect(check({ $schema: schema })).toEqual([]);
  });

  it('one that is almost known is a warning', () => {
    expect(check({ $schema: '/app-sre/integrations-1.yml' })).toEqual([
      {
        rule: 'schema-unknown',
        severity: 'warning',
        path: '/a.yml',
        keys: ['$schema'],
        message: 'unknown schema /app-sre/integrations-1.yml',
        hint: 'did you mean /app-sre/integration-1.yml?',
      },
    ]);
  });
});

describe('where the schemas are at hand', () => {
  it.each([...KNOWN])('%s is known', (schema) => {
    expect(check({ $schema: schema }, KNOWN)).toEqual([]);
  });

  it.each([
    { schema: '/own/thing-1.yml', hint: 'did you mean /own/thing-2.yml?' },
    { schema: '/zzz-1.yml', hint: 'correct $schema, or update the schemas' },
  ])('$schema is an error: $hint', ({ schema, hint }) => {
    expect(check({ $schema: schema }, KNOWN)).toMatchObject([{ rule: 'schema-unknown', severity: 'error', hint }]);
  });
});

describe.each([{ known: undefined }, { known: KNOWN }])('with the schemas $known', ({ known }) => {
  it.each([
    { $schema: 'app-sre/integration-1.yml' },
    { $schema: '/app-sre/integration.yml' },
    { $schema: '/app-sre/integration-1' },
    { $schema: '' },
    { $schema: 5 },
    { $schema: null },
    { $schema: ['/app-sre/integration-1.yml'] },
  ])('$$schema is malformed', (content) => {
    const [found, ...more] = check(content, known);
    expect(found).toMatchObject({ rule: 'schema-unknown', severity: 'error', keys: ['$schema'] });
    expect(found?.message).toContain(`$schema is ${JSON.stringify(content.$schema)}, not of the form`);
    expect(more).toEqual([]);
  });

  it('none at all is told for the file as a whole', () => {
    expect(check({ name: 'a' }, known)).toMatchObject([{ rule: 'schema-missing', severity: 'error', keys: [] }]);
  });
});
