import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { isDeeperThan, MAX_DATAFILE_BYTES, oversize, parseDatafile, withoutBom } from './parse-datafile.ts';
import type { Problem } from './problem.ts';

const CHECK = 'check indentation, quotes and brackets on this and the previous line';
const A_MAPPING = 'a datafile is a mapping that begins with $schema';

describe('a datafile that can be read', () => {
  it.each([
    {
      given: 'YAML 1.1',
      name: '/a.yml',
      text: '$schema: /a-1.yml\non: yes\n',
      content: { $schema: '/a-1.yml', true: true },
    },
    { given: 'YAML under its long name', name: '/a.yaml', text: 'a: 0123\n', content: { a: 83 } },
    { given: 'JSON, where yes is no boolean', name: '/a.json', text: '{"a": "yes"}', content: { a: 'yes' } },
    { given: 'JSON in a YAML file', name: '/a.yml', text: '{"a": [1, {"b": null}]}', content: { a: [1, { b: null }] } },
    { given: 'JSON indented with tabs', name: '/a.json', text: '{\n\t"a": 1\n}\n', content: { a: 1 } },
    { given: 'an empty mapping', name: '/a.yml', text: '{}', content: {} },
    { given: 'a byte order mark', name: '/a.yml', text: '\ufeffa: 1\n', content: { a: 1 } },
    { given: 'a byte order mark in JSON', name: '/a.json', text: '\ufeff{"a": 1}', content: { a: 1 } },
    { given: 'CRLF', name: '/a.yml', text: 'a: 1\r\nb: 2\r\n', content: { a: 1, b: 2 } },
    { given: 'no line end', name: '/a.yml', text: 'a: 1', content: { a: 1 } },
    {
      given: 'text of every language',
      name: '/a.yml',
      text: 'a: "\u{1F600} żółw"\n',
      content: { a: '\u{1F600} żółw' },
    },
    { given: '__proto__ in JSON', name: '/a.json', text: '{"__proto__": 1}', content: JSON.parse('{"__proto__": 1}') },
    {
      given: 'a very long key',
      name: '/a.json',
      text: `{"${'k'.repeat(2000)}": 1}`,
      content: { ['k'.repeat(2000)]: 1 },
    },
  ])('$given', ({ name, text, content }) => {
    expect(parseDatafile(name, Buffer.from(text))).toEqual({ content, problems: [] });
  });

  it('is every JSON object', () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (content, indent) => {
        const text = JSON.stringify(content, null, indent);
        expect(parseDatafile('/a.json', Buffer.from(text))).toEqual({ content: JSON.parse(text), problems: [] });
      }),
    );
  });

  it('is every mapping that js-yaml writes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()))), (content) => {
        expect(parseDatafile('/a.yml', Buffer.from(dump(content)))).toEqual({ content, problems: [] });
      }),
    );
  });

  it('may have as many bytes as a datafile may have', () => {
    const bytes = Buffer.alloc(MAX_DATAFILE_BYTES, '#');
    bytes.write('a: 1 #');
    expect(parseDatafile('/a.yml', bytes)).toEqual({ content: { a: 1 }, problems: [] });
  });
});

describe('a file that is no text or nothing', () => {
  const empty = {
    rule: 'empty-file',
    severity: 'error',
    line: 1,
    column: 1,
    message: 'the file is empty',
    hint: 'add $schema and fields, or remove the file',
  };
  const notUtf8 = {
    rule: 'not-utf8',
    severity: 'error',
    message: 'the file is not UTF-8 text',
    hint: 'save it as UTF-8, or move it below resources/ if it is not data',
  };

  it.each<{ given: string; name: string; bytes: Buffer; problem: object }>([
    { given: 'no byte', name: '/a.yml', bytes: Buffer.of(), problem: empty },
    { given: 'no byte of JSON', name: '/a.json', bytes: Buffer.of(), problem: empty },
    { given: 'blanks', name: '/a.yml', bytes: Buffer.from(' \n\t\r\n'), problem: empty },
    { given: 'only a byte order mark', name: '/a.yml', bytes: Buffer.from('\ufeff'), problem: empty },
    { given: 'only comments', name: '/a.yml', bytes: Buffer.from('# one\n  # two\n'), problem: empty },
    { given: 'Latin-1', name: '/a.yml', bytes: Buffer.from('a: é\n', 'latin1'), problem: notUtf8 },
    { given: 'UTF-16', name: '/a.yml', bytes: Buffer.from('\ufeffa: 1\n', 'utf16le'), problem: notUtf8 },
    {
      given: 'a half character at the end',
      name: '/a.yml',
      bytes: Buffer.from('a: é').subarray(0, 4),
      problem: notUtf8,
    },
    { given: 'a surrogate', name: '/a.yml', bytes: Buffer.of(0x61, 0x3a, 0x20, 0xed, 0xa0, 0x80), problem: notUtf8 },
    { given: 'a picture', name: '/a.json', bytes: Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff), problem: notUtf8 },
  ])('with $given', ({ name, bytes, problem }) => {
    expect(parseDatafile(name, bytes)).toEqual({ problems: [problem] });
  });
});

describe('a file that is too large', () => {
  const LARGE = Buffer.alloc(50 * 1024 * 1024, 'a: 1\n');
  const problem = {
    rule: 'file-too-large',
    severity: 'error',
    message: 'the file has 50.0 MiB; the limit for a datafile is 1.0 MiB',
    hint: 'split it, or move it below resources/ if it is not data',
  };

  it.each(['/a.yml', '/a.json'])('is refused, as %s', (name) => {
    expect(parseDatafile(name, LARGE)).toEqual({ problems: [problem] });
  });

  it.each([
    { name: '/a.yml', text: `a: [${'1,'.repeat(200_000)}]` },
    { name: '/a.json', text: `{"a": [${'1,'.repeat(200_000)}1]}` },
  ])('is refused by its nodes, as $name', ({ name, text }) => {
    expect(onlyProblem(name, text)).toMatchObject({
      rule: 'file-too-large',
      message: expect.stringMatching(/^the file has 20000\d nodes, more than the limit of 200000$/),
    });
  });

  it.each([20_000, 20_001])('is refused by the fields of one mapping, here %i', (count) => {
    const text = `a:\n- b:\n${Array.from({ length: count }, (_, at) => `    f${at}: 1\n`).join('')}`;
    const { content, problems } = parseDatafile('/a.yml', Buffer.from(text));
    expect(content === undefined).toBe(count > 20_000);
    expect(problems.map(({ message }) => message)).toEqual(
      count > 20_000 ? ['the file has a mapping with 20001 fields; the limit is 20000'] : [],
    );
  });

  it('is not one that lists overrides of 5,000 shards', () => {
    const override =
      '- shard:\n    $ref: /aws/account.yml\n  imageRef: a\n  resources:\n    limits:\n      memory: 1Gi\n';
    const { content } = parseDatafile('/a.yml', Buffer.from(`overrides:\n${override.repeat(5_000)}`));
    expect(content?.['overrides']).toHaveLength(5_000);
  });

  it.each([
    { bytes: 0, refused: false },
    { bytes: MAX_DATAFILE_BYTES, refused: false },
    { bytes: MAX_DATAFILE_BYTES + 1, refused: true },
  ])('told by its $bytes bytes: $refused', ({ bytes, refused }) => {
    expect(oversize(bytes) !== undefined).toBe(refused);
  });
});

describe('a file that holds no mapping', () => {
  it.each([
    { given: 'a list', name: '/a.yml', text: '- a\n', holds: 'a list' },
    { given: 'a scalar', name: '/a.yml', text: 'just text\n', holds: 'a single value' },
    { given: 'a number', name: '/a.yml', text: '42\n', holds: 'a single value' },
    { given: 'no value', name: '/a.yml', text: '---\n', holds: 'nothing' },
    { given: 'null', name: '/a.yml', text: '# c\n~\n', holds: 'nothing' },
    { given: 'a list of JSON', name: '/a.json', text: '[]', holds: 'a list' },
    { given: 'a text of JSON', name: '/a.json', text: '"x"', holds: 'a single value' },
    { given: 'null of JSON', name: '/a.json', text: 'null', holds: 'nothing' },
  ])('but $given', ({ name, text, holds }) => {
    const message = `the file holds ${holds}, not a mapping`;
    const problem = { rule: 'not-a-mapping', severity: 'error', line: 1, column: 1, message, hint: A_MAPPING };
    expect(parseDatafile(name, Buffer.from(text))).toEqual({ problems: [problem] });
  });
});

describe('a fault of YAML is told where it is', () => {
  it.each([
    {
      given: 'a key on a key',
      text: 'a: 1\nb: c: d\n',
      at: '2:5',
      says: 'bad indentation of a mapping entry',
      hint: CHECK,
    },
    {
      given: 'a key too deep',
      text: 'a: 1\n b: 2\n',
      at: '2:3',
      says: 'bad indentation of a mapping entry',
      hint: CHECK,
    },
    { given: 'an open quote', text: 'a: 1\nb: "x', at: '2:6', says: 'unexpected end of the stream', hint: CHECK },
    {
      given: 'an open bracket',
      text: 'a: [1\nb: 2\n',
      at: '2:1',
      says: 'a quote or bracket above is not closed',
      hint: CHECK,
    },
    {
      given: 'an unknown tag',
      text: 'a:\n  - !foo 1\n',
      at: '2:5',
      says: 'unknown scalar tag',
      hint: /remove the tag/,
    },
    { given: 'a refused type', text: 'a: !!set {b}\n', at: '1:4', says: 'unknown mapping tag', hint: /remove the tag/ },
    { given: 'a tab', text: 'a:\n\tb: 1\n', at: '2:1', says: 'tab characters', hint: 'indent with spaces' },
    { given: 'an alias that holds a tab', text: 'a: *database\n', at: '1:5', says: 'alias "database"', hint: CHECK },
    { given: 'a control character', text: 'a: x\u0007\n', at: '1:5', says: 'non-printable', hint: CHECK },
    {
      given: 'too many levels',
      text: `a: ${'['.repeat(200)}`,
      at: '1:103',
      says: 'nesting',
      hint: 'reduce the nesting',
    },
    { given: 'a fault behind a byte order mark', text: '\ufeffa: b: c\n', at: '1:5', says: 'indentation', hint: CHECK },
    { given: 'a fault after CRLF', text: 'a: 1\r\nb: c: d\r\n', at: '2:5', says: 'indentation', hint: CHECK },
    { given: 'a fault after a padded line', text: 'a: [\n1\n]\nb: !x 1\n', at: '4:4', says: 'unknown', hint: /remove/ },
  ])('with $given at $at', ({ text, at, says, hint }) => {
    const problem = onlyProblem('/a.yml', text);
    expect(problem).toMatchObject({ rule: 'yaml-syntax', severity: 'error', message: expect.stringContaining(says) });
    expect(place(problem)).toBe(at);
    expect(problem.hint).toMatch(hint);
  });

  it.each([
    { given: 'after a line', text: 'a: 1\n---\nb: 2\n', at: '2:1' },
    { given: 'after the mark of the first', text: '---\na: 1\n---\nb: 2\n', at: '3:1' },
    { given: 'after comments and the mark of the first', text: '# c\n\n---\na: 1\n---\nb: 2\n', at: '5:1' },
    { given: 'after a directive', text: '%YAML 1.1\n---\na: 1\n---\nb: 2\n', at: '4:1' },
    { given: 'after an end mark', text: 'a: 1\n...\nb: 2\n', at: '2:1' },
    { given: 'that is empty', text: 'a: 1\n---\n', at: '2:1' },
    { given: 'after dashes in a block', text: 'a: |\n  x\n  ---\nb: ----\n---\n', at: '5:1' },
    { given: 'after CRLF', text: '# c\r\n---\r\na: 1\r\n---\r\nb: 2\r\n', at: '4:1' },
    { given: 'right after the first', text: '---\n---\n', at: '2:1' },
  ])('a second document $given at $at', ({ text, at }) => {
    const problem = onlyProblem('/a.yml', text);
    expect(problem).toMatchObject({ rule: 'yaml-syntax', hint: 'put each document in a file of its own' });
    expect(place(problem)).toBe(at);
  });

  it.each([
    { given: 'an alias of what contains it', text: 'a: &a [*a]\n', says: 'contains it' },
    { given: 'a billion laughs', text: laughs('', 9), says: 'more than the limit' },
  ])('with $given', ({ text, says }) => {
    expect(onlyProblem('/a.yml', text)).toEqual({
      rule: 'yaml-aliases',
      severity: 'error',
      line: 1,
      column: 1,
      message: expect.stringContaining(says),
      hint: 'replace the aliases by their content',
    });
  });
});

describe('a fault of JSON is told where it is', () => {
  const LONG = `{"a": [${'1, '.repeat(500)}\n1],\n`;
  it.each([
    { given: 'a comma too many', text: '{"a": 1,}', at: '1:9', says: 'Expected double-quoted property name' },
    { given: 'a key without quotes', text: '{\n  a: 1\n}', at: '2:3', says: "Expected property name or '}'" },
    { given: 'single quotes', text: "{'a': 1}", at: '1:2', says: "Expected property name or '}'" },
    { given: 'no JSON value', text: '{\n  "a": undefined\n}', at: '2:8', says: "Unexpected token 'u'" },
    { given: 'a word cut off', text: '{\n  "a": tru\n}', at: '2:11', says: "Unexpected token '\\n'" },
    { given: 'NaN', text: '{"a": NaN}', at: '1:7', says: "Unexpected token 'N'" },
    { given: 'no JSON value far below', text: `${LONG}"b": x}`, at: '3:6', says: "Unexpected token 'x'" },
    {
      given: 'a comma too many far below',
      text: `${LONG}"b": 1,}`,
      at: '3:8',
      says: 'Expected double-quoted property name',
    },
    { given: 'a text that speaks of a position', text: '{"position 5": x}', at: '1:16', says: "Unexpected token 'x'" },
    { given: 'no end', text: '{"a": [1, 2', at: '1:12', says: "Expected ',' or ']' after array element" },
    { given: 'no value at the end', text: '{"a":\n', at: '1:6', says: 'Unexpected end of JSON input' },
    { given: 'an open quote', text: '{"a": "x', at: '1:9', says: 'Unterminated string' },
    {
      given: 'a line break in a text',
      text: '{"a": "x\ny"}',
      at: '1:9',
      says: 'Bad control character in string literal',
    },
    { given: 'a comment', text: '{"a": 1} // c', at: '1:10', says: 'Unexpected non-whitespace character after JSON' },
    {
      given: 'a second object',
      text: '{"a": 1}\n{"b": 2}',
      at: '2:1',
      says: 'Unexpected non-whitespace character after JSON',
    },
    { given: 'YAML', text: '$schema: /a-1.yml\n', at: '1:1', says: "Unexpected token '$'" },
    { given: 'too many levels', text: `{"a": ${nest(150)}}`, at: '1:105', says: 'nesting exceeded maxDepth (100)' },
  ])('with $given at $at', ({ text, at, says }) => {
    const problem = onlyProblem('/a.json', text);
    expect(problem).toMatchObject({ rule: 'json-syntax', severity: 'error' });
    expect(problem.message).toMatch(new RegExp(`^${RegExp.escape(says)}`));
    expect(problem.message).not.toMatch(/position|\n/);
    expect(place(problem)).toBe(at);
  });

  it('at a character that was put where none may be', () => {
    const text = JSON.stringify({ a: [1, { b: 'text' }, null, true], c: { d: -1.5 } }, null, 2);
    fc.assert(
      fc.property(fc.nat({ max: text.length }), (at) => {
        const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`;
        const problem = onlyProblem('/a.json', broken);
        const before = text.slice(0, at).split('\n');
        expect(place(problem)).toBe(`${before.length}:${(before.at(-1)?.length ?? 0) + 1}`);
      }),
    );
  });

  it('however deep it is', () => {
    expect(onlyProblem('/a.json', '['.repeat(1_000_000)).rule).toBe('json-syntax');
    expect(onlyProblem('/a.json', nest(500_000)).rule).toBe('json-syntax');
  });
});

describe('a key that stands twice', () => {
  it.each([
    {
      given: 'in YAML',
      name: '/a.yml',
      text: 'a: 1\nb: {c: 1,\n  c: 2}\na: 3\n',
      content: { a: 3, b: { c: 2 } },
      at: ['c 3:3', 'a 4:1'],
    },
    { given: 'in JSON', name: '/a.json', text: '{"a": 1,\n "a": 2}', content: { a: 2 }, at: ['a 2:3'] },
    { given: 'after a byte order mark', name: '/a.yml', text: '\ufeffa: 1\na: 2\n', content: { a: 2 }, at: ['a 2:1'] },
    { given: 'with CRLF', name: '/a.yml', text: 'a: 1\r\na: 2\r\n', content: { a: 2 }, at: ['a 2:1'] },
    {
      given: 'after a padded line',
      name: '/a.yml',
      text: 'a: [\n1\n]\nb: 1\nb: 2\n',
      content: { a: [1], b: 2 },
      at: ['b 5:1'],
    },
    { given: 'as two booleans', name: '/a.yml', text: 'yes: 1\non: 2\n', content: { true: 2 }, at: ['true 2:1'] },
    {
      given: 'in what is aliased',
      name: '/a.yml',
      text: 'a: &a {k: 1, k: 2}\nb: *a\n',
      content: { a: { k: 2 }, b: { k: 2 } },
      at: ['k 1:14'],
    },
  ])('$given is told, and the last one counts', ({ name, text, content, at }) => {
    const parsed = parseDatafile(name, Buffer.from(text));
    expect(parsed.content).toEqual(content);
    expect(parsed.problems.map((problem) => `${problem.message.split(' ')[2]} ${place(problem)}`)).toEqual(at);
    for (const problem of parsed.problems) {
      expect(problem).toMatchObject({ rule: 'duplicate-key', severity: 'error', hint: 'keep one of them' });
      expect(problem.message).toMatch(/^duplicate key \S+ in this mapping; only the last one counts$/);
    }
  });

  it('is told a hundred times at most', () => {
    const { content, problems } = parseDatafile('/a.yml', Buffer.from('a: 1\n'.repeat(20_000)));
    expect(content).toEqual({ a: 1 });
    expect(problems).toHaveLength(100);
  });

  it('is found at once beside aliases that stand for a billion nodes', () => {
    const { content, problems } = parseDatafile('/a.yml', Buffer.from(`x:\n${laughs('  ', 9)}x: 1\n`));
    expect(content).toEqual({ x: 1 });
    expect(problems.map(({ rule }) => rule)).toEqual(['duplicate-key']);
  });
});

describe('whatever the bytes are', () => {
  const soup = fc.string({
    unit: fc.constantFrom(
      ...'ab:-[]{},#&*!|>\'"%@`?~ \t\n',
      '\r\n',
      '\ufeff',
      '\u0000',
      '\u0085',
      '- ',
      ': ',
      '"a": ',
      '---\n',
      '<<: ',
      '&a ',
      '*a',
    ),
    maxLength: 40,
  });

  it.each(['/a.yml', '/a.json'])('nothing is thrown for %s, and there is content or an error', (name) => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), soup), (raw) => {
        const { content, problems } = parseDatafile(name, Buffer.from(raw as string));
        expect(content !== undefined || problems.length > 0).toBe(true);
        for (const { line = 1, column = 1, message, hint } of problems) {
          expect([line >= 1, column >= 1, message !== '', hint !== '']).toEqual([true, true, true, true]);
          expect(message).not.toContain('\n');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a byte order mark', () => {
  it.each([
    { text: '\ufeffa', without: 'a' },
    { text: 'a\ufeff', without: 'a\ufeff' },
    { text: '\ufeff\ufeffa', without: '\ufeffa' },
    { text: '', without: '' },
  ])('is taken from the start of $text only', ({ text, without }) => {
    expect(withoutBom(text)).toBe(without);
  });
});

function onlyProblem(name: string, text: string): Omit<Problem, 'file'> {
  const { content, problems } = parseDatafile(name, Buffer.from(text));
  expect(content).toBeUndefined();
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

function place({ line, column }: Omit<Problem, 'file'>): string {
  return `${line}:${column}`;
}

function nest(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

/** Ten to the power of `levels` from as many lines. */
function laughs(indent: string, levels: number): string {
  const lines = Array.from({ length: levels }, (_, level) => {
    const ten = Array(10).fill(level === 0 ? 'ha' : `*l${level - 1}`);
    return `${indent}l${level}: &l${level} [${ten.join(', ')}]\n`;
  });
  return lines.join('');
}

describe('a large file', () => {
  const filled = (head: string, line: (index: number) => string): string => {
    const lines = [head];
    for (let [at, length] = [0, head.length]; length < MAX_DATAFILE_BYTES - 100; at += 1) {
      const next = line(at);
      length += next.length;
      lines.push(next);
    }
    return lines.join('');
  };

  it.each([
    { given: 'one block text', text: filled('a: |\n', (at) => `  - k${at}: [1, {x: "y"}, 'z']\n`) },
    { given: 'a block text of commas', text: filled('a: >-\n', () => '  [,,,,,,,,,,,,,,\n') },
    { given: 'one quoted text of two lines', text: `${filled('a: "', () => ',[,{- k: ')}\n  end"\n` },
    { given: 'one plain text', text: filled('a: x', () => '\n  [,,,,,,,,,,') },
    { given: 'comments', text: filled('a: 1\n', () => '# [,,,,,,,,,,,,,,,\n') },
  ])('that is $given is read', ({ text }) => {
    const { content, problems } = parseDatafile('/a.yml', Buffer.from(text));
    expect(problems).toEqual([]);
    expect(Object.keys(content ?? {})).toEqual(['a']);
  });

  it.each([
    { given: 'a flow list', text: filled('a: [', () => '1,') },
    { given: 'a list of empty entries', text: filled('a:\n', () => '-\n') },
    { given: 'fields', text: filled('', (at) => `${at.toString(36)}:\n`) },
  ])('of too many nodes in $given is refused before it is parsed', ({ text }) => {
    const parsed = parseDatafile('/a.yml', Buffer.from(`${text}\n---\n`));
    expect(parsed).toMatchObject({ problems: [{ rule: 'file-too-large' }] });
  });

  it.each([
    { entries: 20_000, name: '/a.yml', problems: [] },
    { entries: 20_001, name: '/a.yml', problems: [expect.stringContaining('a list with 20001 entries')] },
    {
      entries: 20_001,
      name: '/a.json',
      problems: [expect.stringContaining('an error from the next minor version on')],
    },
  ])(
    'with a list of $entries entries in $name is read, with a warning beyond 20,000',
    ({ entries, name, problems }) => {
      const text = JSON.stringify({ a: { b: [Array.from({ length: entries }, () => 1)] } });
      const found = parseDatafile(name, Buffer.from(text));
      expect(found.content).toEqual(JSON.parse(text));
      expect(found.problems.map(({ message }) => message)).toEqual(problems);
      for (const { rule, severity } of found.problems)
        expect({ rule, severity }).toEqual({ rule: 'file-too-large', severity: 'warning' });
    },
  );
});

const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`);

describe('nesting', () => {
  it.each([
    { given: 'a scalar', value: 1, levels: 0, deeper: false },
    { given: 'an empty list', value: [], levels: 0, deeper: true },
    { given: 'a list', value: [1, null], levels: 1, deeper: false },
    { given: 'a list in a mapping', value: { a: 1, b: [[]] }, levels: 2, deeper: true },
    { given: 'a list in a mapping', value: { a: 1, b: [[]] }, levels: 3, deeper: false },
    { given: '40,000 levels', value: nested(20_000), levels: 100, deeper: true },
  ])('of $given is deeper than $levels: $deeper', ({ value, levels, deeper }) => {
    expect(isDeeperThan(value, levels)).toBe(deeper);
  });
});
