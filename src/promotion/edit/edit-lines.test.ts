import { describe, expect, it } from 'vitest';
import { editLines } from './edit-lines.ts';

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
