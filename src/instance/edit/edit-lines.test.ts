import { describe, expect, it } from 'vitest';
import { editEnv, editLines } from './edit-lines.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const edit = (before: string, value: string, matches = 1): string =>
  new TextDecoder().decode(editLines('r.j2', bytes(before), [{ key: 'tag', value, matches }]).bytes);

describe('lines of a template', () => {
  it.each([
    {
      given: 'plain text',
      before: '{% if x %}\n  tag: abc\n{% endif %}\n',
      value: 'd90b2ac',
      after: '{% if x %}\n  tag: d90b2ac\n{% endif %}\n',
    },
    { given: 'text that would be a number', before: 'tag: abc\n', value: '1234567', after: "tag: '1234567'\n" },
    {
      given: 'double quotes and a comment',
      before: '\ttag: "a#b" # {{ c }}\r\n',
      value: '1234567',
      after: '\ttag: "1234567" # {{ c }}\r\n',
    },
    { given: 'single quotes', before: "- tag: 'abc'", value: "it's", after: "- tag: 'it''s'" },
    { given: 'a quoted key', before: '"tag": "abc"\n', value: 'x', after: '"tag": "x"\n' },
    { given: 'a comment without quotes', before: 'tag: abc #c\n', value: 'x', after: 'tag: x #c\n' },
    {
      given: 'longer keys and comments',
      before: '# tag: a\nmy_tag: a\ntags: a\ntag: a\n',
      value: 'x',
      after: '# tag: a\nmy_tag: a\ntags: a\ntag: x\n',
    },
  ])('with $given', ({ before, value, after }) => {
    expect(edit(before, value)).toBe(after);
  });

  it('are all replaced when there are as many as expected', () => {
    const { bytes: after, scalars } = editLines('r.j2', bytes('tag: a\nx: 1\ntag: "b"\n'), [
      { key: 'tag', value: 'c', matches: 2 },
    ]);
    expect(new TextDecoder().decode(after)).toBe('tag: c\nx: 1\ntag: "c"\n');
    expect(scalars.map(({ line, old }) => [line, old])).toEqual([
      [1, 'a'],
      [3, 'b'],
    ]);
  });

  it('give the input back where nothing changes', () => {
    const before = bytes('tag: "a"\n');
    expect(editLines('r.j2', before, [{ key: 'tag', value: 'a', matches: 1 }]).bytes).toBe(before);
  });

  it.each([
    { given: 'too many', before: 'tag: a\ntag: b\n', says: 'r.j2:1: tag occurs 2 times (lines 1, 2), expected 1' },
    { given: 'none', before: 'tagg: a\n', says: 'r.j2 has no line tag: …' },
    {
      given: 'a template expression',
      before: 'tag: {{ x }}\n',
      says: 'r.j2:1: the value of tag is a template expression',
    },
    { given: 'a list', before: 'tag: [a]\n', says: 'is not a scalar' },
    { given: 'a value and more', before: 'tag: "a" {{ b }}\n', says: 'is not a scalar' },
    { given: 'a block', before: 'tag: |\n  x\n', says: 'is not a scalar' },
    { given: 'no value', before: 'tag:\n', says: 'is empty' },
    { given: 'only a comment', before: 'tag: # x\n', says: 'is empty' },
  ])('are refused with $given', ({ before, says }) => {
    expect(() => edit(before, 'x')).toThrow(says);
  });
});

const editVariable = (before: string, value: string): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(editEnv('.env', bytes(before), [{ key: 'TAG', value }]).bytes);

describe('a line of .env', () => {
  it.each([
    { given: 'an export', before: 'export A=1\nexport TAG=abc\n', after: 'export A=1\nexport TAG=0123456\n' },
    { given: 'no export', before: 'TAG=abc', after: 'TAG=0123456' },
    { given: 'CRLF', before: 'export TAG=abc\r\nexport B=2\r\n', after: 'export TAG=0123456\r\nexport B=2\r\n' },
    { given: 'a byte order mark', before: '\ufeffexport TAG=abc\n', after: '\ufeffexport TAG=0123456\n' },
    { given: 'quotes', before: 'export TAG="abc"\n', after: 'export TAG="0123456"\n' },
    { given: 'a comment behind it', before: 'export TAG=abc  # why\n', after: 'export TAG=0123456  # why\n' },
    { given: 'no value', before: 'export TAG=\n', after: 'export TAG=0123456\n' },
    {
      given: 'a longer name beside it',
      before: 'export MY_TAG=a\nTAGS=b\nTAG=c\n',
      after: 'export MY_TAG=a\nTAGS=b\nTAG=0123456\n',
    },
    {
      given: 'a comment with the same text',
      before: '# export TAG=x\nexport TAG=abc\n',
      after: '# export TAG=x\nexport TAG=0123456\n',
    },
  ])('with $given', ({ before, after }) => {
    expect(editVariable(before, '0123456')).toBe(after);
  });

  it('tells line and old value, and gives the input back where nothing changes', () => {
    const before = bytes('A=1\nexport TAG=abc\n');
    const edited = editEnv('.env', before, [{ key: 'TAG', value: 'abc' }]);
    expect(edited.bytes).toBe(before);
    expect(edited.scalars).toEqual([{ path: ['TAG'], line: 2, old: 'abc', value: 'abc' }]);
  });

  it.each([
    { given: 'no such key', before: 'export TAGG=1\n', value: 'x', says: '.env has no line that sets TAG' },
    {
      given: 'two lines',
      before: 'TAG=1\nexport TAG=2\n',
      value: 'x',
      says: '.env:1: TAG is set 2 times, in lines 1, 2',
    },
    { given: 'a value that a shell would split', before: 'TAG=1\n', value: 'a b', says: 'cannot be set to "a b"' },
    { given: 'a value that make would expand', before: 'TAG=1\n', value: '$(x)', says: 'cannot be set to' },
    { given: 'an empty value', before: 'TAG=1\n', value: '', says: 'cannot be set to ""' },
  ])('is refused with $given', ({ before, value, says }) => {
    expect(() => editVariable(before, value)).toThrow(says);
  });

  it('is refused when it is no UTF-8', () => {
    expect(() => editEnv('.env', new Uint8Array([0xff]), [])).toThrow('.env is not UTF-8 text');
  });
});

describe('a variable that is set twice is refused, in whatever form', () => {
  it.each(['  TAG=b', 'export  TAG=b', 'export "TAG=b"', 'A=1 TAG=b', 'A=1; TAG=b', 'export A=1 TAG=b', 'TAG+=b'])(
    '%s',
    (line) => {
      expect(() => editVariable(`export TAG=a\n${line}\n`, 'c')).toThrow('TAG is set 2 times, in lines 1, 2');
    },
  );

  it.each(['# TAG=b', 'OTHER_TAG=b', 'TAGS=b', 'A=TAG'])('but not %s', (line) => {
    expect(editVariable(`export TAG=a\n${line}\n`, 'c')).toBe(`export TAG=c\n${line}\n`);
  });
});
