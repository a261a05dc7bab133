import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import type { KeyPath } from '../problem.ts';
import { editYaml, verifyEdit } from './edit-yaml.ts';
import { readYaml } from './yaml-document.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (edited: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(edited);
const edit = (before: string, path: KeyPath, value: string, file = 'a.yml'): string =>
  text(editYaml(file, bytes(before), [{ path, value }]).bytes);

function refusal(run: () => unknown): { code: string; message: string } {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof EchelonError) return { code: thrown.code, message: thrown.message };
    throw thrown;
  }
  throw new Error('it was not refused');
}

describe('an edit keeps everything around the scalar', () => {
  it.each([
    { given: 'a plain scalar', before: 'a: 1\nref: abc\n', after: 'a: 1\nref: d90b2ac\n' },
    { given: 'single quotes', before: "ref: 'abc'\n", after: "ref: 'd90b2ac'\n" },
    { given: 'double quotes', before: 'ref: "abc"\n', after: 'ref: "d90b2ac"\n' },
    { given: 'a trailing comment', before: 'ref: abc   # why\n', after: 'ref: d90b2ac   # why\n' },
    { given: 'CRLF', before: 'a: 1\r\nref: abc\r\nb: 2\r\n', after: 'a: 1\r\nref: d90b2ac\r\nb: 2\r\n' },
    { given: 'a byte order mark', before: '\ufeffref: abc\n', after: '\ufeffref: d90b2ac\n' },
    { given: 'document markers', before: '---\nref: abc\n...\n', after: '---\nref: d90b2ac\n...\n' },
    { given: 'no final newline', before: 'ref: abc', after: 'ref: d90b2ac' },
    { given: 'odd blanks', before: '"ref"   :    abc  \n', after: '"ref"   :    d90b2ac  \n' },
    { given: 'flow style', before: '{a: [1,2],  ref: abc,}\n', after: '{a: [1,2],  ref: d90b2ac,}\n' },
    { given: 'a value on the next line', before: 'ref:\n    abc\n', after: 'ref:\n    d90b2ac\n' },
    { given: 'several lines', before: 'ref: abc\n  def\n  # c\nb: 1\n', after: 'ref: d90b2ac\n  # c\nb: 1\n' },
    { given: 'an explicit key', before: '? ref\n: abc\n', after: '? ref\n: d90b2ac\n' },
    { given: 'an anchor nobody uses', before: 'ref: &a abc\n', after: 'ref: &a d90b2ac\n' },
    {
      given: 'astral characters before it',
      before: '😀: "🦊é" # 🐙\nref: abc\n',
      after: '😀: "🦊é" # 🐙\nref: d90b2ac\n',
    },
    {
      given: 'a bracket at the indentation of its key',
      before: 'l: [\n  1,\n]\nref: abc\n',
      after: 'l: [\n  1,\n]\nref: d90b2ac\n',
    },
    {
      given: 'a twin of the key elsewhere',
      before: 'x:\n  ref: abc\nref: abc\n',
      after: 'x:\n  ref: abc\nref: d90b2ac\n',
    },
  ])('$given', ({ before, after }) => {
    expect(edit(before, ['ref'], 'd90b2ac')).toBe(after);
  });

  it('makes several edits in one go and tells what was there', () => {
    const before = 'l:\n- ref: a\n- ref: b # c\nm: {n: c}\n';
    const edited = editYaml('a.yml', bytes(before), [
      { path: ['m', 'n'], value: 'z' },
      { path: ['l', 1, 'ref'], value: 'longer than before' },
    ]);
    expect(text(edited.bytes)).toBe('l:\n- ref: a\n- ref: longer than before # c\nm: {n: z}\n');
    expect(edited.scalars).toEqual([
      { path: ['m', 'n'], line: 4, old: 'c', value: 'z' },
      { path: ['l', 1, 'ref'], line: 3, old: 'b', value: 'longer than before' },
    ]);
  });

  it('gives the input back where nothing changes', () => {
    const before = bytes("a: 'x'   # c\r\nb: y");
    const edited = editYaml('a.yml', before, [
      { path: ['a'], value: 'x' },
      { path: ['b'], value: 'y' },
    ]);
    expect(edited.bytes).toBe(before);
    expect(edited.scalars.map(({ old, value }) => [old, value])).toEqual([
      ['x', 'x'],
      ['y', 'y'],
    ]);
  });

  it('writes JSON in files that are JSON', () => {
    expect(edit('{"ref": 12, "b": 1}\n', ['ref'], 'a\tb', 'a.json')).toBe('{"ref": "a\\tb", "b": 1}\n');
  });

  it('edits the only document that has the path', () => {
    expect(edit('a: 1\n---\nref: abc\n', ['ref'], 'x')).toBe('a: 1\n---\nref: x\n');
  });
});

describe('quotes', () => {
  it.each([
    { before: 'ref: 1234567\n', value: '1234567', after: "ref: '1234567'\n" },
    { before: "ref: 'it''s'\n", value: "she's", after: "ref: 'she''s'\n" },
    { before: 'ref: "a"\n', value: 'say "no" \\ 😀', after: 'ref: "say \\"no\\" \\\\ 😀"\n' },
    { before: "ref: 'a'\n", value: 'two\nlines', after: 'ref: "two\\nlines"\n' },
    { before: 'ref: a\n', value: 'a\u2028b\u0085', after: 'ref: "a\\u2028b\\u0085"\n' },
    { before: 'ref: a\n', value: 'https://example.com/x#y', after: 'ref: https://example.com/x#y\n' },
    { before: '{ref: a}\n', value: 'https://example.com/x#y', after: "{ref: 'https://example.com/x#y'}\n" },
    { before: 'ref: a\n', value: 'a, [b]', after: 'ref: a, [b]\n' },
    { before: '[{ref: a}]\n', value: 'a, [b]', path: [0, 'ref'], after: "[{ref: 'a, [b]'}]\n" },
  ])('$before to $value', ({ before, value, after, path = ['ref'] }) => {
    expect(edit(before, path, value)).toBe(after);
  });
});

describe('an edit is refused, with the line, for', () => {
  it.each([
    { given: 'an alias', before: 'x: &a abc\nref: *a\n', code: 'EDIT_REFUSED', says: 'a.yml:2: ref is the alias *a' },
    {
      given: 'an anchor in use',
      before: 'ref: &a abc\nx: *a\n',
      code: 'EDIT_REFUSED',
      says: 'a.yml:1: ref is under the anchor &a',
    },
    {
      given: 'a merged key',
      before: 'x: &a\n  k: v\nref:\n  <<: *a\n',
      path: ['ref', 'k'],
      code: 'EDIT_REFUSED',
      says: 'a.yml:4: ref.k may come from a merge key',
    },
    {
      given: 'the origin of a merge',
      before: 'x: &a\n  k: v\ny:\n  <<: *a\n',
      path: ['x', 'k'],
      code: 'EDIT_REFUSED',
      says: 'a.yml:2: x.k is under the anchor &a',
    },
    {
      given: 'something inside an alias',
      before: 'x: &a\n  k: v\ny: *a\n',
      path: ['y', 'k'],
      code: 'EDIT_REFUSED',
      says: 'a.yml:3: y.k is the alias *a',
    },
    { given: 'a tag', before: 'ref: !!int 5\n', code: 'EDIT_REFUSED', says: 'a.yml:1: ref has an explicit type tag' },
    { given: 'a block of text', before: 'ref: |\n  abc\n', code: 'EDIT_REFUSED', says: 'ref is a block scalar' },
    { given: 'a folded block', before: 'ref: >-\n  abc\n', code: 'EDIT_REFUSED', says: 'ref is a block scalar' },
    {
      given: 'a key that stands twice',
      before: 'ref: a\nb: 1\nref: c\n',
      code: 'EDIT_REFUSED',
      says: 'a.yml:3: ref is defined 2 times',
    },
    { given: 'a list', before: 'ref:\n- a\n', code: 'EDIT_REFUSED', says: 'a.yml:2: ref is a sequence' },
    { given: 'no value', before: 'ref:\n', code: 'EDIT_REFUSED', says: 'ref has no value' },
    { given: 'a missing key', before: 'reff: a\n', code: 'EDIT_NOT_FOUND', says: 'a.yml:1: no ref in a.yml' },
    {
      given: 'a missing item',
      before: 'ref: [a]\n',
      path: ['ref', 1],
      code: 'EDIT_NOT_FOUND',
      says: ': no ref[1] in a.yml',
    },
    {
      given: 'two documents with the path',
      before: 'ref: a\n---\nref: b\n',
      code: 'EDIT_AMBIGUOUS',
      says: 'ref is in several documents: a.yml:1, a.yml:3',
    },
    {
      given: 'no document with the path',
      before: 'a: a\n---\nb: b\n',
      code: 'EDIT_NOT_FOUND',
      says: 'no ref in a.yml',
    },
    { given: 'no YAML', before: 'a: 1\nref: [\n', code: 'EDIT_SYNTAX', says: 'a.yml:' },
    { given: 'an empty file', before: '', code: 'EDIT_NOT_FOUND', says: 'no ref in a.yml' },
  ])('$given', ({ before, code, says, path = ['ref'] }) => {
    const told = refusal(() => edit(before, path, 'new'));
    expect(told.code).toBe(code);
    expect(told.message).toContain(says);
  });

  it('bytes that are no UTF-8', () => {
    const broken = new Uint8Array([...bytes('ref: a # '), 0xff, 0x0a]);
    expect(refusal(() => editYaml('a.yml', broken, [{ path: ['ref'], value: 'x' }])).code).toBe('EDIT_NOT_UTF8');
  });

  it('half a character', () => {
    expect(refusal(() => edit('ref: a\n', ['ref'], '\ud83d')).code).toBe('EDIT_VALUE');
  });

  it('two values for one place, but not for the same value twice', () => {
    const twice = (a: string, b: string) => () =>
      editYaml('a.yml', bytes('ref: a\n'), [
        { path: ['ref'], value: a },
        { path: ['ref'], value: b },
      ]);
    expect(refusal(twice('x', 'y')).code).toBe('EDIT_CONFLICT');
    expect(text(twice('x', 'x')().bytes)).toBe('ref: x\n');
  });

  it('one bad edit among good ones: nothing is changed', () => {
    const before = bytes('a: 1\nb: |\n  x\n');
    const edits = [
      { path: ['a'], value: 'x' },
      { path: ['b'], value: 'x' },
    ];
    expect(refusal(() => editYaml('a.yml', before, edits)).code).toBe('EDIT_REFUSED');
    expect(text(before)).toBe('a: 1\nb: |\n  x\n');
  });
});

describe('the new text is read again', () => {
  const before = readYaml('a.yml', bytes('ref: abc\nother: 1\n'));

  it.each([
    { given: 'YAML 1.1 reads another value', after: 'ref: 1_000\nother: 1\n', value: '1_000' },
    { given: 'YAML 1.2 reads another value', after: 'ref: 1e3\nother: 1\n', value: '1e3' },
    { given: 'another key changed as well', after: 'ref: new\nother: 2\n', value: 'new' },
  ])('and refused where $given', ({ after, value }) => {
    const wanted = [{ ref: value, other: 1 }];
    expect(refusal(() => verifyEdit(before, after, () => wanted)).code).toBe('EDIT_UNVERIFIED');
    expect(verifyEdit(before, `ref: '${value}'\nother: 1\n`, () => wanted).models.yaml12).toEqual(wanted);
  });

  it('a value that only YAML 1.1 reads as text is quoted, also when it was there before', () => {
    expect(edit('ref: 1e3\n', ['ref'], '1e3')).toBe("ref: '1e3'\n");
  });
});
