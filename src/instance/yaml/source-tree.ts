import { isUntyped, type LayoutNode, type MappingNode, type SequenceNode, yamlLayout } from './layout.ts';
import { keyOf } from './yaml11-types.ts';

/** The nodes of a YAML (or JSON) text with their offsets in UTF-16 units. */
interface SourceNode {
  readonly offset: number;
  /** The source text of a scalar, before it is resolved to a type. */
  readonly scalar?: string;
  readonly entries?: readonly SourceEntry[];
  readonly items?: readonly SourceNode[];
}

interface SourceEntry {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: SourceNode;
}

export type KeyPath = readonly (string | number)[];

/** The tree of the first document of a text that is known to parse. */
export function sourceTree(text: string): SourceNode {
  const [root] = yamlLayout(text);
  return root === undefined ? { offset: 0 } : sourceNode(root, 0, new Map());
}

/** `near` is where a node stands that is not written, such as the value of a key without one. */
function sourceNode(node: LayoutNode, near: number, anchors: Map<string, SourceNode>): SourceNode {
  /** An alias stands where it is written, with the content of what it names. */
  if (node.kind === 'alias') return { ...anchors.get(node.alias), offset: node.start + 1 };
  const made = content(node, near, anchors);
  if (node.anchor !== undefined) anchors.set(node.anchor, made);
  return made;
}

function content(
  node: Exclude<LayoutNode, { kind: 'alias' }>,
  near: number,
  anchors: Map<string, SourceNode>,
): SourceNode {
  if (node.kind === 'scalar') return { offset: node.content ?? near, scalar: node.text };
  return node.kind === 'mapping'
    ? { offset: node.start, entries: sourceEntries(node, anchors) }
    : { offset: node.start, items: sourceItems(node, anchors) };
}

function sourceEntries({ start, entries }: MappingNode, anchors: Map<string, SourceNode>): SourceEntry[] {
  const made: SourceEntry[] = [];
  for (const { keyNode, value } of entries) {
    const { scalar = '', offset: keyOffset } = sourceNode(keyNode, made.at(-1)?.keyOffset ?? start, anchors);
    const key = isUntyped(keyNode) ? keyOf(scalar) : scalar;
    made.push({ key, keyOffset, value: sourceNode(value, keyOffset, anchors) });
  }
  return made;
}

function sourceItems({ start, items }: SequenceNode, anchors: Map<string, SourceNode>): SourceNode[] {
  const made: SourceNode[] = [];
  for (const item of items) made.push(sourceNode(item, made.at(-1)?.offset ?? start, anchors));
  return made;
}

/** Duplicate keys of a mapping, at their second and later occurrence; the target of aliases is checked once. */
export function duplicateKeys(root: SourceNode): SourceEntry[] {
  const found: SourceEntry[] = [];
  const visited = new Set<readonly unknown[]>();
  const visit = (node: SourceNode): void => {
    const { entries = [], items = [] } = node;
    const content = node.entries ?? items;
    if (visited.has(content)) return;
    visited.add(content);
    for (const entry of repeated(entries)) found.push(entry);
    for (const { value } of entries) visit(value);
    for (const item of items) visit(item);
  };
  visit(root);
  return found.toSorted((a, b) => a.keyOffset - b.keyOffset);
}

function repeated(entries: readonly SourceEntry[]): SourceEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ key }) => {
    const again = seen.has(key) && key !== '<<';
    seen.add(key);
    return again;
  });
}

/**
 * The offset of a key or value by its path; of the deepest existing part when the path goes further.
 * Merged keys (`<<`) are found at their source.
 */
export function offsetOf(root: SourceNode, path: KeyPath, at: 'key' | 'value'): number {
  let node = root;
  let offset = root.offset;
  for (const step of path) {
    const next = child(node, step);
    if (next === undefined) return offset;
    node = next.node;
    offset = at === 'key' ? next.keyOffset : next.node.offset;
  }
  return offset;
}

/** The source text of the scalar at a path, for messages that show what was typed. */
export function writtenAt(root: SourceNode, path: KeyPath): string | undefined {
  let node: SourceNode | undefined = root;
  for (const step of path) {
    node = node === undefined ? undefined : child(node, step)?.node;
  }
  return node?.scalar;
}

function child(node: SourceNode, step: string | number): { node: SourceNode; keyOffset: number } | undefined {
  if (typeof step === 'number') {
    const item = node.items?.[step];
    return item === undefined ? undefined : { node: item, keyOffset: item.offset };
  }
  const entry = node.entries === undefined ? undefined : byKey(node.entries).get(step);
  return entry === undefined ? undefined : { node: entry.value, keyOffset: entry.keyOffset };
}

/** Built once per mapping, on its first lookup: a wide mapping may be asked for each of its keys. */
const KEYS = new WeakMap<readonly SourceEntry[], ReadonlyMap<string, SourceEntry>>();

/** The last of equal keys counts; a mapping's own keys come before merged ones, and an earlier source before a later. */
function byKey(entries: readonly SourceEntry[]): ReadonlyMap<string, SourceEntry> {
  const known = KEYS.get(entries);
  if (known !== undefined) return known;
  const found = new Map<string, SourceEntry>();
  const sources = entries.filter(({ key }) => key === '<<').flatMap(({ value }) => value.items ?? [value]);
  for (const source of sources) {
    for (const [key, entry] of byKey(source.entries ?? [])) if (!found.has(key)) found.set(key, entry);
  }
  for (const entry of entries) found.set(entry.key, entry);
  KEYS.set(entries, found);
  return found;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** One-based line and column of an offset. */
export function lineAndColumn(text: string, offset: number): Position {
  return positions(text)(offset);
}

/** One-based lines and columns of many offsets: the text is scanned once. */
export function positions(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [line, after] = [0, starts.length];
    while (after - line > 1) {
      const middle = (line + after) >>> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}
