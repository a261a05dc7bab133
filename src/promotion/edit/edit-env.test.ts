import { describe, expect, it } from 'vitest';
import { editEnv } from './edit-env.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const edit = (before: string, value: string): string =>
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
    expect(edit(before, '0123456')).toBe(after);
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
    expect(() => edit(before, value)).toThrow(says);
  });

  it('is refused when it is no UTF-8', () => {
    expect(() => editEnv('.env', new Uint8Array([0xff]), [])).toThrow('.env is not UTF-8 text');
  });
});
