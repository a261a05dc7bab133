import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, ref } from '../../../test/support/hand-made-snapshot.ts';
import { locateFindings } from '../locate.ts';
import { danglingReferences, schemaNames, unquotedDates } from './datafile-rules.ts';

const dangling = (content: object) =>
  danglingReferences(
    handMadeSnapshot(
      { '/a/source.yml': { $schema: '/a-1.yml', ...content }, '/a/two.yml': { $schema: '/a-1.yml' } },
      { unreadable: ['/a/garbled.yml'] },
    ),
  );

describe('a reference', () => {
  it.each([
    { given: 'to a datafile', content: { x: ref('/a/two.yml') } },
    { given: 'to its own file', content: { x: ref('/a/source.yml') } },
    { given: 'to a file that could not be read, which is reported by itself', content: { x: ref('/a/garbled.yml') } },
    { given: 'that is not text', content: { x: { $ref: 5 } } },
    { given: 'named in plain text', content: { x: '/a/nowhere.yml' } },
    { given: 'beside nothing at all', content: { x: null, y: [null, []] } },
  ])('$given is let be', ({ content }) => {
    expect(dangling(content)).toEqual([]);
  });

  it.each([
    { given: 'in a mapping', content: { x: { y: ref('/a/tow.yml') } }, keys: ['x', 'y', '$ref'] },
    { given: 'in a list', content: { x: [ref('/a/two.yml'), ref('/a/tow.yml')] }, keys: ['x', 1, '$ref'] },
    { given: 'in a list of lists', content: { x: [[ref('/a/tow.yml')]] }, keys: ['x', 0, 0, '$ref'] },
    { given: 'beside other fields', content: { x: { $ref: '/a/tow.yml', y: 1 } }, keys: ['x', '$ref'] },
    { given: 'below another', content: { x: { $ref: '/a/two.yml', y: ref('/a/tow.yml') } }, keys: ['x', 'y', '$ref'] },
  ])('to nothing is found $given', ({ content, keys }) => {
    expect(dangling(content)).toEqual([
      {
        rule: 'ref-dangling',
        severity: 'error',
        path: '/a/source.yml',
        keys,
        message: '/a/tow.yml does not exist',
        hint: 'did you mean /a/two.yml?',
      },
    ]);
  });

  it.each([
    { target: '/a/two.yml#/name', rule: 'ref-fragment' },
    { target: '/a/two.yml$name', rule: 'ref-fragment' },
    { target: 'a/two.yml', rule: 'ref-dangling' },
    { target: '/a/two.yaml', rule: 'ref-dangling' },
    { target: '', rule: 'ref-dangling' },
  ])('to "$target" is $rule', ({ target, rule }) => {
    expect(dangling({ x: ref(target) })).toMatchObject([{ rule, keys: ['x', '$ref'] }]);
  });

  it('each of several is reported', () => {
    expect(dangling({ x: ref('/p.yml'), y: [ref('/q.yml'), ref('/p.yml')] }).map(({ keys }) => keys)).toEqual([
      ['x', '$ref'],
      ['y', 0, '$ref'],
      ['y', 1, '$ref'],
    ]);
  });
});

const KNOWN = new Set(['/app-sre/integration-1.yml', '/own/thing-2.yml']);

const wrongSchemas = (content: Readonly<Record<string, unknown>>, known?: ReadonlySet<string>) =>
  schemaNames(handMadeSnapshot({ '/a.yml': content }), known);

describe('where the schemas are not at hand', () => {
  it.each([
    { given: 'one that Echelon reads', schema: '/app-sre/integration-1.yml' },
    { given: 'one of the instance', schema: '/own/thing-1.yml' },
    { given: 'a JSON schema', schema: '/own/thing-1.json' },
    { given: 'another version of one that Echelon reads', schema: '/own/deep/thing-12.yaml' },
  ])('$given is let be', ({ schema }) => {
    expect(wrongSchemas({ $schema: schema })).toEqual([]);
  });

  it('one that is almost known is a warning', () => {
    expect(wrongSchemas({ $schema: '/app-sre/integrations-1.yml' })).toEqual([
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
    expect(wrongSchemas({ $schema: schema }, KNOWN)).toEqual([]);
  });

  it.each([
    { schema: '/own/thing-1.yml', hint: 'did you mean /own/thing-2.yml?' },
    { schema: '/zzz-1.yml', hint: 'correct $schema, or update the schemas' },
  ])('$schema is an error: $hint', ({ schema, hint }) => {
    expect(wrongSchemas({ $schema: schema }, KNOWN)).toMatchObject([
      { rule: 'schema-unknown', severity: 'error', hint },
    ]);
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
    const [found, ...more] = wrongSchemas(content, known);
    expect(found).toMatchObject({ rule: 'schema-unknown', severity: 'error', keys: ['$schema'] });
    expect(found?.message).toContain(`$schema is ${JSON.stringify(content.$schema)}, not of the form`);
    expect(more).toEqual([]);
  });

  it('none at all is told for the file as a whole', () => {
    expect(wrongSchemas({ name: 'a' }, known)).toMatchObject([{ rule: 'schema-missing', severity: 'error', keys: [] }]);
  });
});

function dates(text: string): string[] {
  const snapshot = handMadeSnapshot({ '/a.yml': text });
  return locateFindings(snapshot, unquotedDates(snapshot)).map(({ line, column, at }) => `${line}:${column} ${at}`);
}

describe('a date or time without quotes is reported where it is written', () => {
  it.each([
    { given: 'a date', text: 'a:\n  since: 2024-01-31\n', at: ['2:10 a.since'] },
    { given: 'a date that does not exist', text: 'a: 2024-13-45\n', at: ['1:4 a'] },
    { given: 'a time', text: 'a: 2024-1-3T10:00:00Z\n', at: ['1:4 a'] },
    { given: 'a time with blanks and a zone', text: 'a: 2024-01-03 1:00:00.5 +01:30\n', at: ['1:4 a'] },
    { given: 'a time on two lines', text: 'a: 2024-01-03\n  10:00:00\n', at: ['1:4 a'] },
    { given: 'a key', text: 'a:\n  2024-01-31: x\n', at: ['2:3 a.2024-01-31'] },
    { given: 'a list in brackets', text: 'a: [ x, 2024-01-31 ]\n', at: ['1:9 a[1]'] },
    { given: 'an anchor, once', text: 'a: &d 2024-01-31\nb: *d\n', at: ['1:7 a'] },
    { given: 'a merged mapping, once', text: 'a: &m { d: 2024-01-31 }\nb: { <<: *m }\n', at: ['1:12 a.d'] },
  ])('$given', ({ text, at }) => {
    expect(dates(text)).toEqual(at);
  });
});

describe('what every loader reads as text is not', () => {
  it.each([
    "a: '2024-01-31'",
    'a: "2024-01-31"',
    'a: !!str 2024-01-31',
    'a: |\n  2024-01-31',
    "'2024-01-31': x",
    'a: 2024-1-3',
    'a: 2024-01',
    'a: 2024-01-31x',
    'a: 2024-01-03 10:00',
    'a: 10:00:00',
    'a: x # 2024-01-31',
  ])('%s', (text) => {
    expect(dates(`${text}\n`)).toEqual([]);
  });

  it('a text that the source does not keep', () => {
    expect(unquotedDates(handMadeSnapshot({ '/a.yml': { a: '2024-01-31' } }))).toEqual([]);
  });
});
