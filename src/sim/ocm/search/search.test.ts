import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/property.ts';
import { compile, type Field, type Fields, UnknownField } from './compile.ts';
import { SearchFault } from './lexer.ts';
import { parseSearch } from './parser.ts';

interface Row {
  readonly name?: string;
  readonly size?: number;
  readonly managed?: boolean;
  readonly at?: number;
}

const FIELDS: Readonly<Record<string, Field<Row>>> = {
  name: { type: 'text', read: ({ name }) => name },
  'plan.id': { type: 'text', read: ({ name }) => name },
  size: { type: 'number', read: ({ size }) => size },
  managed: { type: 'boolean', read: ({ managed }) => managed },
  created_at: { type: 'time', read: ({ at }) => at },
};
const fields: Fields<Row> = (name) => FIELDS[name];

function matches(search: string, row: Row): boolean | undefined {
  const condition = parseSearch(search);
  return condition === undefined ? true : compile(condition, fields)(row);
}

const ROW: Row = { name: "it's 50%_ready", size: 5, managed: true, at: Date.parse('2026-03-02T10:00:00Z') };

describe('a search', () => {
  it.each([
    ['', true],
    ['  ', true],
    ["name = 'x'", false],
    ["name = 'it''s 50%_ready'", true],
    ["name = 'x' OR size = 5", true],
    ["name like 'it%'", true],
    ["name like 'IT%'", false],
    ["name ilike 'IT%'", true],
    ["name like '%ready'", true],
    ["name like '%50%'", true],
    ["name like 'it_s%'", true],
    ["name like 'it'", false],
    ["name like '%'", true],
    ["name like '%a%a%'", false],
    ["name not like 'it%'", false],
    ["name in ('a', 'it''s 50%_ready')", true],
    ["name in ('a')", false],
    ['name in ()', false],
    ["name NOT IN ('a','b')", true],
    ['size in (1, 5)', true],
    ['size = 5', true],
    ["size = '5'", true],
    ['size <> 5', false],
    ['size != 4', true],
    ['size > 4 and size <= 5', true],
    ['size between 5 and 7', true],
    ['size not between 6 and 7', true],
    ['size = -5', false],
    ['size < 1K', true],
    ['size < 1Ki and size >= 0.005K', true],
    ['size * 2 + 1 = 11', true],
    ['(size + 1) % 4 = 2', true],
    ['managed = true', true],
    ["managed='true'", true],
    ["managed='t'", true],
    ["managed='f'", false],
    ['managed is true', true],
    ['managed is not true', false],
    ["name is 'x'", false],
    ['name is null', false],
    ['name is not null', true],
    ["created_at >= '2026-03-01T09:00:00.123456+00:00'", true],
    ["created_at >= '2026-03-02'", true],
    ['created_at < 2026-03-02', false],
    ['created_at < 2026-03-02T10:00:01Z', true],
    ["not name = 'x'", true],
    ["not not name = 'x'", false],
    ["name = 'x' and size = 5 or managed = true", true],
    ["name = 'x' and (size = 5 or managed = true)", false],
    ["(((name) = 'x'))", false],
    ["(plan.id != '') AND (plan.id NOT IN ('b'))", true],
    ['"name" like \'it%\' and `size` = 5 and [managed] = true', true],
    ["name='x'or size=5", true],
  ])('%s is %s', (search, expected) => {
    expect(matches(search, ROW)).toBe(expected);
  });

  it.each([
    "name = 'x'",
    "name != 'x'",
    "not name = 'x'",
    "name in ('x')",
    "name not in ('x')",
    "name like '%'",
    "name = 'x' or size = 1",
    'size between 1 and 2',
  ])('%s is neither true nor false of a row without the value', (search) => {
    expect(matches(search, {})).toBeUndefined();
  });

  it.each([
    ["name = 'x' and managed = false", false],
    ["name = 'x' or managed = true", true],
    ['name is null', true],
  ])('%s is %s where only the name is missing', (search, expected) => {
    expect(matches(search, { managed: true })).toBe(expected);
  });

  it.each([
    'name',
    'name =',
    "= 'x'",
    "'x' = name",
    "'a' = 'a'",
    'name like 5',
    'name like other',
    "name = 'x' and",
    "and name = 'x'",
    "(name = 'x'",
    "name = 'x')",
    "name = 'x' name = 'y'",
    "name = 'unfinished",
    "name in 'x'",
    "name in ('x',)",
    "name in ('x' 'y')",
    "name not = 'x'",
    'size between 1',
    "name ~= 'x'",
    "name ~! 'x'",
    "name = 'x' & size = 5",
    "-'x' = name",
    'created_at > 2026-13-45',
    "created_at > 'yesterday'",
    "managed = 'maybe'",
    "size = 'many'",
    `${'('.repeat(200)}name = 'x'${')'.repeat(200)}`,
    `name = '${'x'.repeat(300_000)}'`,
  ])('%.60s cannot be read', (search) => {
    expect(() => matches(search, ROW)).toThrow(SearchFault);
  });

  it('names a field that there is not', () => {
    expect(() => matches("plan.name = 'x'", ROW)).toThrow(UnknownField);
  });

  it('may be a long chain', () => {
    const search = Array.from({ length: 3_000 }, (_, index) => `name = '${index}'`).join(' or ');
    expect(matches(search, { name: '2999' })).toBe(true);
  });
});

/** A condition written out, and what it says about a row according to the plainest reading. */
interface Written {
  readonly text: string;
  readonly holds: (row: Required<Row>) => boolean;
}

const texts = fc.string({ unit: fc.constantFrom('a', 'B', "'", '%', '_', ' ', 'é'), maxLength: 4 });
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const plain: fc.Arbitrary<Written> = fc.oneof(
  fc.tuple(texts, fc.boolean()).map(([text, equal]) => ({
    text: `name ${equal ? '=' : '!='} ${quote(text)}`,
    holds: ({ name }: Required<Row>) => (name === text) === equal,
  })),
  fc.array(texts, { maxLength: 3 }).map((list) => ({
    text: `name IN (${list.map(quote).join(' ,')})`,
    holds: ({ name }: Required<Row>) => list.includes(name),
  })),
  texts.map((text) => ({
    text: `name LiKe ${quote(text)}`,
    holds: ({ name }: Required<Row>) =>
      new RegExp(`^${text.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'su').test(name),
  })),
  fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom('<', '>=')).map(([limit, sign]) => ({
    text: `size${sign}${limit}`,
    holds: ({ size }: Required<Row>) => (sign === '<' ? size < limit : size >= limit),
  })),
);
const { tree } = fc.letrec<{ tree: Written }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    plain,
    tie('tree').map(({ text, holds: inner }) => ({
      text: `not (${text})`,
      holds: (row: Required<Row>) => !inner(row),
    })),
    fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => ({
      text: `(${a.text}) AND (${b.text})`,
      holds: (row: Required<Row>) => a.holds(row) && b.holds(row),
    })),
    fc.tuple(plain, plain, plain).map(([a, b, c]) => ({
      text: `${a.text} or ${b.text} and ${c.text}`,
      holds: (row: Required<Row>) => a.holds(row) || (b.holds(row) && c.holds(row)),
    })),
  ),
}));

describe('any search that is well formed', () => {
  it('says what it says', () => {
    const rows = fc.record({ name: texts, size: fc.integer({ min: -4, max: 4 }), managed: fc.boolean(), at: fc.nat() });
    holds(
      fc.property(tree, rows, (written, row) => {
        expect(matches(written.text, row)).toBe(written.holds(row));
      }),
      { numRuns: 500 },
    );
  });

  it('or is not ends in an answer or a fault, never in anything else', () => {
    const pieces = fc.constantFrom(
      'name',
      "'x'",
      '=',
      '(',
      ')',
      'and',
      'not',
      'in',
      ',',
      'like',
      'null',
      'is',
      '5',
      '-',
      '%',
    );
    holds(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        try {
          matches(parts.join(' '), ROW);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(SearchFault);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
