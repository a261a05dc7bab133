import { describe, expect, it } from 'vitest';
import { type LayoutNode, yamlLayout } from './layout.ts';

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
