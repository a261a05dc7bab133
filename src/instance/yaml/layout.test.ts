import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import type { KeyPath } from '../problem.ts';
import {
  duplicateKeys,
  firstDocument,
  type LayoutNode,
  lineAndColumn,
  offsetOf,
  writtenAt,
  yamlLayout,
} from './layout.ts';

const written = (text: string, { start, end }: LayoutNode): string => text.slice(start, end);

function only(text: string): LayoutNode {
  const [root] = yamlLayout(text);
  const value = root?.kind === 'mapping' ? root.entries[0]?.value : undefined;
  if (value === undefined) throw new Error('no value');
  return value;
}

describe('the layout of a value', () => {
  it.each([
    { text: 'a: b c  # d\n', node: 'b c', kind: 'scalar', style: 'plain' },
    { text: "a: 'b''s' # d\n", node: "'b''s'", kind: 'scalar', style: 'single' },
    { text: 'a: &x "b\\"" \n', node: '"b\\""', kind: 'scalar', style: 'double' },
    { text: 'a: |\n  b\n', node: '  b\n', kind: 'scalar', style: 'block' },
    { text: 'a:\nb: c\n', node: '', kind: 'scalar', style: 'plain' },
    { text: 'a: [b, {c: d} , # ]\n  e,]\n', node: '[b, {c: d} , # ]\n  e,]', kind: 'sequence', style: 'flow' },
    { text: 'a: {b: , c: }\n', node: '{b: , c: }', kind: 'mapping', style: 'flow' },
    { text: 'a: {}\n', node: '{}', kind: 'mapping', style: 'flow' },
    { text: 'a:\n- b\n- c: d # e\nf: g\n', node: '- b\n- c: d', kind: 'sequence', style: 'block' },
    { text: '\ufeffa:\r\n  b: 😀\r\n  c: [d]\r\n', node: 'b: 😀\r\n  c: [d]', kind: 'mapping', style: 'block' },
    { text: 'a: [\n  b,\n]\n', node: '[\n  b,\n]', kind: 'sequence', style: 'flow' },
  ])('of $text', ({ text, node, kind, style }) => {
    const found = only(text);
    expect({ node: written(text, found), ...found }).toMatchObject({ node, kind, style });
  });

  it('tells anchors, aliases and tags', () => {
    const text = 'a: &x !!str b\nc: *x\n';
    const [root] = yamlLayout(text);
    const values = root?.kind === 'mapping' ? root.entries.map(({ value }) => value) : [];
    expect(values).toMatchObject([
      { kind: 'scalar', anchor: 'x', tagged: true },
      { kind: 'alias', alias: 'x' },
    ]);
    expect(values.map((value) => written(text, value))).toEqual(['b', '*x']);
  });

  it('has a root for each document, and keys as the data has them', () => {
    const roots = yamlLayout('yes: 1\n---\n"yes": 2\n---\n');
    expect(roots.map((root) => (root.kind === 'mapping' ? root.entries[0]?.key : root.kind))).toEqual([
      'true',
      'yes',
      'scalar',
    ]);
  });
});

type Shape = 'scalar' | readonly ['list' | 'mapping', readonly Shape[]];

interface Place {
  readonly path: KeyPath;
  /** Stands once in the text. */
  readonly token: string;
  readonly at: 'key' | 'value';
}

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small' },
    fc.constant('scalar' as const),
    fc.tuple(fc.constantFrom('list', 'mapping'), fc.array(tie('shape'), { maxLength: 3 })),
  ),
}));
const mapping = fc.array(shape, { minLength: 1, maxLength: 4 }).map((children): Shape => ['mapping', children]);
const eol = fc.constantFrom('\n', '\r\n');

/** A value of that shape whose keys and scalars are all different, and where each of them is. */
function filled(root: Shape): { value: unknown; places: Place[] } {
  const places: Place[] = [];
  const name = (path: KeyPath, at: 'key' | 'value'): string => {
    const token = `${at[0]}${String(places.length).padStart(4, '0')}z`;
    places.push({ path, token, at });
    return token;
  };
  const fill = (node: Shape, path: KeyPath): unknown => {
    if (node === 'scalar') return name(path, 'value');
    const [kind, children] = node;
    if (kind === 'list') return children.map((child, index) => fill(child, [...path, index]));
    return Object.fromEntries(children.map((child) => fillEntry(child, path)));
  };
  const fillEntry = (child: Shape, path: KeyPath): [string, unknown] => {
    const index = places.length;
    const key = name(path, 'key');
    places[index] = { path: [...path, key], token: key, at: 'key' };
    return [key, fill(child, [...path, key])];
  };
  return { value: fill(root, []), places };
}

function expectPlaces(text: string, places: readonly Place[], prefix: KeyPath = []): void {
  const tree = firstDocument(text);
  const found = places.map(({ path, at }) => offsetOf(tree, [...prefix, ...path], at));
  expect(found).toEqual(places.map(({ token }) => text.indexOf(token)));
}

describe('the place of every key and scalar is found', () => {
  it.each([
    { as: 'blocks', options: {} },
    { as: 'lists at the indentation of their keys', options: { seqNoIndent: true } },
    { as: 'flow collections', options: { flowLevel: 0 } },
    { as: 'flow collections in blocks', options: { flowLevel: 2, flowBracketPadding: true } },
    { as: 'quoted texts', options: { forceQuotes: true, quoteFlowKeys: true, flowLevel: 1 } },
    { as: 'lists that begin below their dash', options: { seqInlineFirst: false, indent: 5 } },
  ])('in $as', ({ options }) => {
    fc.assert(
      fc.property(mapping, eol, (root, end) => {
        const { value, places } = filled(root);
        expectPlaces(`# c\n${dump(value, options)}`.replaceAll('\n', end), places);
      }),
    );
  });

  it('in JSON', () => {
    fc.assert(
      fc.property(mapping, fc.constantFrom(0, 2, '\t'), eol, (root, indent, end) => {
        const { value, places } = filled(root);
        expectPlaces(JSON.stringify(value, null, indent).replaceAll('\n', end), places);
      }),
    );
  });

  it('in flow collections whose lines begin anywhere', () => {
    const blanks = fc.infiniteStream(fc.nat({ max: 4 }));
    fc.assert(
      fc.property(mapping, blanks, eol, (root, widths, end) => {
        const { value, places } = filled(root);
        const lines = JSON.stringify(value, null, 1).split('\n');
        const ragged = lines.map((line) => `${' '.repeat(widths.next().value ?? 0)}${line.trimStart()}`).join(end);
        expectPlaces(`a:${end}    b: ${ragged.trimStart()}${end}`, places, ['a', 'b']);
      }),
    );
  });
});

const TEXT = `# comment
name: x
text: |
  one
quoted: "q"
tagged: &anchor !!str t
alias: *anchor
empty:
emptyTag: !!null
list:
  - one
  -
  - deep: {a: [p, q], b: }
yes: on
? explicit
: value
`;

describe('the place of', () => {
  it.each<{ what: string; path: KeyPath; at: 'key' | 'value'; line: number; column: number }>([
    { what: 'a key', path: ['name'], at: 'key', line: 2, column: 1 },
    { what: 'a scalar', path: ['name'], at: 'value', line: 2, column: 7 },
    { what: 'a block', path: ['text'], at: 'value', line: 4, column: 1 },
    { what: 'a quoted scalar, inside its quotes', path: ['quoted'], at: 'value', line: 5, column: 10 },
    { what: 'a scalar with properties', path: ['tagged'], at: 'value', line: 6, column: 23 },
    { what: 'an alias, at its name', path: ['alias'], at: 'value', line: 7, column: 9 },
    { what: 'a value that is not there, at its key', path: ['empty'], at: 'value', line: 8, column: 1 },
    { what: 'a value that is only a tag', path: ['emptyTag'], at: 'value', line: 9, column: 11 },
    { what: 'a list', path: ['list'], at: 'value', line: 11, column: 3 },
    { what: 'an item', path: ['list', 0], at: 'value', line: 11, column: 5 },
    { what: 'an item that is not there, at the one before', path: ['list', 1], at: 'value', line: 11, column: 5 },
    { what: 'a key in an item', path: ['list', 2, 'deep'], at: 'key', line: 13, column: 5 },
    { what: 'a flow mapping', path: ['list', 2, 'deep'], at: 'value', line: 13, column: 11 },
    { what: 'an item of a flow list', path: ['list', 2, 'deep', 'a', 1], at: 'value', line: 13, column: 19 },
    { what: 'a value that is not there in a flow', path: ['list', 2, 'deep', 'b'], at: 'value', line: 13, column: 23 },
    { what: 'a key that is no text', path: ['true'], at: 'key', line: 14, column: 1 },
    { what: 'an explicit key', path: ['explicit'], at: 'key', line: 15, column: 3 },
    { what: 'the whole', path: [], at: 'value', line: 2, column: 1 },
    { what: 'a key that is missing, at what lacks it', path: ['list', 2, 'no'], at: 'value', line: 13, column: 5 },
    { what: 'an item that is missing', path: ['list', 9, 'x'], at: 'value', line: 11, column: 3 },
    { what: 'a key of a scalar', path: ['name', 'x'], at: 'key', line: 2, column: 1 },
  ])('$what is $line:$column', ({ path, at, line, column }) => {
    const crlf = TEXT.replaceAll('\n', '\r\n');
    const places = [TEXT, crlf].map((text) => lineAndColumn(text, offsetOf(firstDocument(text), path, at)));
    expect(places).toEqual([
      { line, column },
      { line, column },
    ]);
  });

  it.each(['', '# c\n', '---\n', '~\n'])('anything in %j is its start', (text) => {
    expect(offsetOf(firstDocument(text), ['a', 0, 'b'], 'key')).toBe(0);
  });
});

describe('a key that stands twice', () => {
  it('is found where it counts, at its last place', () => {
    const tree = firstDocument('a: {x: 1}\na: {x: 2}\n');
    expect([offsetOf(tree, ['a'], 'key'), writtenAt(tree, ['a', 'x'])]).toEqual([10, '2']);
  });
});

describe('what comes by a merge', () => {
  it.each<{ given: string; text: string; path: KeyPath; token: string }>([
    { given: 'from an alias', text: 'a: &a {x: here}\nb:\n  <<: *a\n', path: ['b', 'x'], token: 'here' },
    { given: 'from a mapping in place', text: 'b:\n  <<: {x: here}\n', path: ['b', 'x'], token: 'here' },
    {
      given: 'from the first of a list',
      text: 'b:\n  <<: [{y: 1}, {x: here}, {x: 2}]\n',
      path: ['b', 'x'],
      token: 'here',
    },
    { given: 'from a merge of a merge', text: 'b: {<<: {<<: {x: here}}}\n', path: ['b', 'x'], token: 'here' },
    { given: 'unless it is given itself', text: 'b: {x: here, <<: {x: 1}}\n', path: ['b', 'x'], token: 'here' },
    { given: 'below it', text: 'a: &a {x: [1, {y: here}]}\nb: {<<: *a}\n', path: ['b', 'x', 1, 'y'], token: 'here' },
  ])('is found $given', ({ text, path, token }) => {
    const tree = firstDocument(text);
    expect(offsetOf(tree, path, 'value')).toBe(text.indexOf(token));
    expect(writtenAt(tree, path)).toBe(token);
  });

  it('is not found in a merge of what is no mapping', () => {
    expect(writtenAt(firstDocument('b: {<<: [1, x], y: 2}\n'), ['b', 'z'])).toBeUndefined();
  });

  it('is where an alias leads that has been anchored again', () => {
    const text = 'a: &a {x: 1}\nb: *a\nc: &a {x: 2}\nd: *a\n';
    const tree = firstDocument(text);
    expect([writtenAt(tree, ['b', 'x']), writtenAt(tree, ['d', 'x'])]).toEqual(['1', '2']);
  });
});

describe('a scalar as it is written', () => {
  it.each<{ path: KeyPath; written: string | undefined }>([
    { path: ['octal'], written: '0123456' },
    { path: ['flag'], written: 'yes' },
    { path: ['quoted'], written: '0123' },
    { path: ['list', 0], written: '1_000' },
    { path: ['list'], written: undefined },
    { path: ['none'], written: undefined },
    { path: ['none', 'deeper', 3], written: undefined },
    { path: ['empty'], written: '' },
  ])('at $path is $written', ({ path, written }) => {
    const text = "octal: 0123456\nflag: yes\nquoted: '0123'\nlist: [1_000]\nempty:\n";
    expect(writtenAt(firstDocument(text), path)).toBe(written);
  });
});

describe('keys that stand twice', () => {
  it.each([
    { given: 'none', text: 'a: {x: 1}\nb: {x: 1}\n', found: [] },
    { given: 'one, at its second place', text: 'a: 1\nb: 2\na: 3\n', found: ['a 3:1'] },
    { given: 'one that stands three times', text: 'a: 1\na: 2\na: 3\n', found: ['a 2:1', 'a 3:1'] },
    { given: 'one in a flow mapping', text: 'a: [{b: 1, b: 2}]\n', found: ['b 1:12'] },
    { given: 'one in a value that is overridden', text: 'a: {b: 1, b: 2}\na: 3\n', found: ['b 1:11', 'a 2:1'] },
    { given: 'one written in two ways', text: "a: 1\n'a': 2\n", found: ['a 2:2'] },
    { given: 'one boolean in two words', text: 'yes: 1\non: 2\n', found: ['true 2:1'] },
    { given: 'not the text beside the boolean', text: "yes: 1\n'yes': 2\n", found: [] },
    { given: 'merges are not keys', text: 'a: {<<: {x: 1}, <<: {y: 1}}\n', found: [] },
    { given: 'one, once, however often it is aliased', text: 'a: &a {k: 1, k: 2}\nb: [*a, *a]\n', found: ['k 1:14'] },
    { given: '__proto__', text: '__proto__: 1\n__proto__: 2\n', found: ['__proto__ 2:1'] },
  ])('$given: $found', ({ text, found }) => {
    const keys = duplicateKeys(firstDocument(text)).map(({ key, keyOffset }) => {
      const { line, column } = lineAndColumn(text, keyOffset);
      return `${key} ${line}:${column}`;
    });
    expect(keys).toEqual(found);
  });

  it('are found at once in aliases that stand for a billion nodes', () => {
    const bomb = Array.from({ length: 9 }, (_, level) => {
      const ten = Array(10).fill(level === 0 ? '{}' : `*l${level - 1}`);
      return `  l${level}: &l${level} [${ten.join(', ')}]\n`;
    });
    expect(duplicateKeys(firstDocument(`x:\n${bomb.join('')}x: 1\n`)).map(({ key }) => key)).toEqual(['x']);
  });

  it('are found however many there are', () => {
    expect(duplicateKeys(firstDocument('a: 1\n'.repeat(20_000)))).toHaveLength(19_999);
  });
});

describe('line and column', () => {
  it.each([
    { text: '', offset: 0, line: 1, column: 1 },
    { text: 'ab\ncd', offset: 2, line: 1, column: 3 },
    { text: 'ab\ncd', offset: 3, line: 2, column: 1 },
    { text: 'ab\ncd', offset: 5, line: 2, column: 3 },
    { text: 'ab\r\ncd', offset: 4, line: 2, column: 1 },
    { text: '\n\n\n', offset: 3, line: 4, column: 1 },
  ])('of $offset in $text are $line:$column', ({ text, offset, line, column }) => {
    expect(lineAndColumn(text, offset)).toEqual({ line, column });
  });

  it('lead back to the offset', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', 'é') }), fc.nat({ max: 30 }), (text, at) => {
        const offset = Math.min(at, text.length);
        const { line, column } = lineAndColumn(text, offset);
        const before = text.split('\n').slice(0, line - 1);
        expect(before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1).toBe(offset);
      }),
    );
  });
});
