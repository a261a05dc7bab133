import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvFile } from './env-file.ts';

describe('the lines of .env', () => {
  it.each([
    { given: 'one variable', text: 'export A=1\n', values: { A: '1' } },
    {
      given: 'several, with comments between',
      text: '# c\nexport A=1\n\n  # c\nexport B_2=x.y/z:1\n',
      values: { A: '1', B_2: 'x.y/z:1' },
    },
    { given: 'CRLF', text: 'export A=1\r\nexport B=2\r\n', values: { A: '1', B: '2' } },
    { given: 'blanks at the end of a line', text: 'export A=1 \t\n', values: { A: '1' } },
    { given: 'no value', text: 'export A=\n', values: { A: '' } },
    { given: 'an equals sign in the value', text: 'export A=b=c\n', values: { A: 'b=c' } },
    { given: 'a name twice', text: 'export A=1\nexport A=2\n', values: { A: '2' } },
    { given: 'a name of every object', text: 'export __proto__=1\n', values: JSON.parse('{"__proto__": "1"}') },
    { given: 'no line end', text: 'export A=1', values: { A: '1' } },
    { given: 'nothing', text: '', values: {} },
  ])('with $given', ({ text, values }) => {
    const { values: found, problems } = parseEnvFile(text);
    expect(Object.fromEntries(found)).toEqual(values);
    expect(problems).toEqual([]);
  });

  it.each([
    { given: 'no export', line: 'A=1' },
    { given: 'blanks before it', line: '  export A=1' },
    { given: 'two blanks after export', line: 'export  A=1' },
    { given: 'blanks around the sign', line: 'export A =1' },
    { given: 'a name that begins with a digit', line: 'export 1A=1' },
    { given: 'a name with a dash', line: 'export A-B=1' },
    { given: 'no sign', line: 'export A' },
    { given: 'a command', line: 'source other.env' },
    { given: 'another alphabet', line: 'export Ä=1' },
  ])('that are not of the form are told: $given', ({ line }) => {
    const { values, problems } = parseEnvFile(`export OK=1\n\n${line}\n`);
    expect([...values]).toEqual([['OK', '1']]);
    expect(problems).toEqual([
      {
        rule: 'env-file',
        severity: 'warning',
        file: '.env',
        line: 3,
        column: 1,
        message: 'the line is not of the form export KEY=VALUE',
        hint: 'use that form',
      },
    ]);
  });

  it.each([
    { given: 'double quotes', value: '"hunter2"' },
    { given: 'single quotes', value: "'hunter2'" },
    { given: 'a blank', value: 'hunter 2' },
    { given: 'a reference', value: '$hunter2' },
    { given: 'a comment', value: 'hunter2 # c' },
  ])('whose value make reads in another way are told without the value: $given', ({ value }) => {
    const { values, problems } = parseEnvFile(`export TOKEN=${value}\n`);
    expect(values.get('TOKEN')).toBe(value);
    expect(problems).toEqual([
      expect.objectContaining({ rule: 'env-file', line: 1, message: 'the value of TOKEN has quotes, blanks, $ or #' }),
    ]);
    expect(JSON.stringify(problems)).not.toContain('hunter');
  });

  it('are all accounted for: a value, a comment, a blank or a problem', () => {
    const line = fc.oneof(
      fc.string({ unit: fc.constantFrom('e', 'x', 'port', ' ', '=', 'A', '#', '"', '\t') }),
      fc.stringMatching(/^export [A-Z]=[a-z]{0,3}$/),
      fc.constant('export A=1'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, eol) => {
        const { values, problems } = parseEnvFile(lines.join(eol));
        const told = new Set(problems.map((problem) => problem.line));
        const silent = lines.filter((each, index) => !told.has(index + 1) && !/^\s*(?:#.*)?$/.test(each));
        expect(silent.every((each) => values.has(each.slice('export '.length).split('=')[0] ?? ''))).toBe(true);
      }),
    );
  });
});
