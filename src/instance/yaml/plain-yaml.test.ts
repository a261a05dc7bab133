import { describe, expect, it } from 'vitest';
import { plainYaml } from './plain-yaml.ts';

describe('the plainest YAML is read without the library', () => {
  it.each([
    { text: '---\na: text\n', value: { a: 'text' } },
    { text: '# comment\n\na: 1 # one\nb:\n', value: { a: 1, b: null } },
    { text: 'a:\n- x\n- y: 1\n  z: 2\n- {}\nb: []', value: { a: ['x', { y: 1, z: 2 }, {}], b: [] } },
    { text: 'a:\n  b:\n    - c: \n      d: e\nf: g', value: { a: { b: [{ c: null, d: 'e' }] }, f: 'g' } },
    { text: 'a: \'it is: # text\'\nb: "c"', value: { a: 'it is: # text', b: 'c' } },
    { text: 'a: yes\nb: 0x10\nc: 4.16.38\nd: ~\ne: .5', value: { a: true, b: 16, c: '4.16.38', d: null, e: 0.5 } },
    {
      text: 'a: https://x.example.com:80/#part\n$ref: /a.yml',
      value: { a: 'https://x.example.com:80/#part', $ref: '/a.yml' },
    },
    { text: 'a: b\u3000  # comment\nc: d\u1680 # comment', value: { a: 'b\u3000', c: 'd\u1680' } },
  ])('%j', ({ text, value }) => {
    expect(plainYaml(text)).toEqual(value);
  });
});

describe('everything else is left to the library', () => {
  it.each([
    { given: 'nothing', text: '' },
    { given: 'a comment alone', text: '# a' },
    { given: 'a list', text: '- a' },
    { given: 'a scalar', text: 'a' },
    { given: 'a duplicate key', text: 'a: 1\na: 2' },
    { given: 'a key that is not text', text: 'yes: 1' },
    { given: 'a number as key', text: '16: 1' },
    { given: 'a quoted key', text: '"a": 1' },
    { given: 'a merge key', text: '<<: {}' },
    { given: '__proto__', text: '__proto__: 1' },
    { given: 'a scalar of two lines', text: 'a: b\n  c' },
    { given: 'a scalar of two lines in a list', text: 'a:\n- b\n  c' },
    { given: 'a scalar below its key', text: 'a:\n  b' },
    { given: 'a second mapping in a line', text: 'a: b: c' },
    { given: 'a colon at the end', text: 'a: b:' },
    { given: 'an escape', text: 'a: "b\\nc"' },
    { given: 'a quote in quotes', text: "a: 'it''s'" },
    { given: 'an open quote', text: "a: 'b" },
    { given: 'a block scalar', text: 'a: |\n  b' },
    { given: 'a flow mapping', text: 'a: { b: c }' },
    { given: 'a flow list', text: 'a: [b]' },
    { given: 'an anchor', text: 'a: &b c' },
    { given: 'an alias', text: 'a: *b' },
    { given: 'a tag', text: 'a: !!str 1' },
    { given: 'a complex key', text: '? a\n: b' },
    { given: 'a list in a list', text: 'a:\n- - b' },
    { given: 'an empty item', text: 'a:\n-\n- b' },
    { given: 'an indentation between two others', text: 'a:\n    b: 1\n  c: 2' },
    { given: 'a list beside keys', text: 'a: 1\n- b' },
    { given: 'a second document', text: 'a: 1\n---\nb: 2' },
    { given: 'an end of the document', text: 'a: 1\n...' },
    { given: 'a directive', text: '%YAML 1.1\n---\na: 1' },
    { given: 'a tab', text: 'a:\tb' },
    { given: 'a carriage return', text: 'a: b\r\n' },
    { given: 'a control character', text: 'a: b\u007f' },
    { given: 'a line separator', text: 'a: b\u2028c' },
    { given: 'an emoji, which is two characters here', text: 'a: 😀' },
    { given: 'deep nesting', text: Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n') },
    { given: 'a long text', text: `a: ${'b'.repeat(40_000)}` },
  ])('$given', ({ text }) => {
    expect(plainYaml(text)).toBeUndefined();
  });
});
