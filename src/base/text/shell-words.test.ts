import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { shellText, shellWords } from './shell-words.ts';

describe('words of a shell', () => {
  it.each([
    ['', []],
    ['  \t\r\n ', []],
    ['a b', ['a', 'b']],
    ['  --a   --b=1\n--c\t2 ', ['--a', '--b=1', '--c', '2']],
    ['a "b c"', ['a', 'b c']],
    ["a 'b c'", ['a', 'b c']],
    ['--x="y z"w', ['--x=y zw']],
    ["'it'\\''s'", ["it's"]],
    [`'a "b"' "c 'd'"`, ['a "b"', "c 'd'"]],
    ["''", ['']],
    ['a "" b', ['a', '', 'b']],
    ['a""b', ['ab']],
    ['a\\ b', ['a b']],
    ['\\"a\\" \\\\', ['"a"', '\\']],
    ['"a\\"b\\\\c"', ['a"b\\c']],
    ['"a\\$b\\n"', ['a\\$b\\n']],
    ["'a\\b'", ['a\\b']],
    ['a\\\nb', ['a\nb']],
    ['# not a comment', ['#', 'not', 'a', 'comment']],
    ['$HOME *.ts `x` a;b', ['$HOME', '*.ts', '`x`', 'a;b']],
    ['é 日本', ['é', '日本']],
  ])('of %j are %j', (text, words) => {
    expect(shellWords(text, 'ARGS')).toEqual(words);
  });

  it.each([
    ["a 'b", "ARGS has a ' at character 3 that is not closed"],
    ['"', 'ARGS has a " at character 1 that is not closed'],
    ['a "b\\"', 'ARGS has a " at character 3 that is not closed'],
    ['a\\', 'ARGS ends in a backslash'],
  ])('of %j are an error that does not show the text', (text, message) => {
    expect(() => shellWords(text, 'ARGS')).toThrow(expect.objectContaining({ code: 'WORDS_INVALID', message }));
  });

  it('come back as they were when quoted', () => {
    holds(
      fc.property(fc.array(fc.string()), (words) => {
        expect(shellWords(shellText(words), 'ARGS')).toEqual(words);
      }),
    );
  });
});
