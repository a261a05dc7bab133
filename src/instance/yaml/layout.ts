import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type { KeyPath } from '../problem.ts';
import type { Padded } from './flow-indent.ts';
import { eventsOf, keyOf } from './yaml11.ts';

type ScalarStyle = 'plain' | 'single' | 'double' | 'block';

interface Written {
  /** UTF-16 units from the start of the text; quotes and brackets are part of the node, anchors and tags are not. */
  readonly start: number;
  /** The end of its last part, without a trailing comment. */
  readonly end: number;
  /** Whether it is inside brackets or braces. */
  readonly inFlow: boolean;
  readonly anchor?: string;
  readonly tagged: boolean;
}

/** A value that is not written, such as that of a key alone, is a plain scalar with an empty text. */
export interface ScalarNode extends Written {
  readonly kind: 'scalar';
  readonly style: ScalarStyle;
  /** The source text, before it is resolved to a type. */
  readonly text: string;
  /** Where that begins, behind a quote; of one that is not written where its tag or anchor does, if it has one. */
  readonly content?: number;
}

export interface MappingNode extends Written {
  readonly kind: 'mapping';
  readonly style: 'block' | 'flow';
  readonly entries: readonly EntryNode[];
}

export interface SequenceNode extends Written {
  readonly kind: 'sequence';
  readonly style: 'block' | 'flow';
  readonly items: readonly LayoutNode[];
}

interface AliasNode extends Written {
  readonly kind: 'alias';
  readonly alias: string;
}

export interface EntryNode {
  /** As in the data; `[…]` for a key that is not a scalar. */
  readonly key: string;
  readonly keyNode: LayoutNode;
  readonly start: number;
  readonly value: LayoutNode;
}

export type LayoutNode = ScalarNode | MappingNode | SequenceNode | AliasNode;

/** The location and style of every node of a text, one root per document; throws the library's error. */
export function yamlLayout(text: string): LayoutNode[] {
  return new LayoutBuilder(text, eventsOf(text)).build();
}

const SCALAR_STYLES: Readonly<Record<number, ScalarStyle>> = {
  [SCALAR_STYLE.PLAIN]: 'plain',
  [SCALAR_STYLE.SINGLE_QUOTED]: 'single',
  [SCALAR_STYLE.DOUBLE_QUOTED]: 'double',
};

class LayoutBuilder {
  readonly #text: string;
  readonly #padded: string;
  readonly #events: readonly Event[];
  readonly #at: (offset: number) => number;
  #next = 0;
  #flows = 0;

  constructor(text: string, padded: Padded<readonly Event[]>) {
    this.#text = text;
    this.#padded = padded.text;
    this.#events = padded.value;
    this.#at = padded.original;
  }

  build(): LayoutNode[] {
    const roots: LayoutNode[] = [];
    while (this.#next < this.#events.length) {
      const event = this.#events[this.#next];
      if (event?.type === EVENT_ID.DOCUMENT || event?.type === EVENT_ID.POP) this.#next += 1;
      else roots.push(this.#node(0));
    }
    return roots;
  }

  /** `near` is the offset for a node that is not written. */
  #node(near: number): LayoutNode {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event?.type === EVENT_ID.SCALAR) return this.#scalar(event, near);
    if (event?.type === EVENT_ID.MAPPING) return this.#mapping(event);
    if (event?.type === EVENT_ID.SEQUENCE) return this.#sequence(event);
    if (event?.type !== EVENT_ID.ALIAS) throw new Error('the event is not a node');
    const start = this.#at(event.anchorStart) - 1;
    const alias = this.#padded.slice(event.anchorStart, event.anchorEnd);
    return { kind: 'alias', alias, start, end: this.#at(event.anchorEnd), inFlow: this.#flows > 0, tagged: false };
  }

  #scalar(event: ScalarEvent, near: number): ScalarNode {
    const style = SCALAR_STYLES[event.style] ?? 'block';
    const quote = style === 'single' || style === 'double' ? 1 : 0;
    const isWritten = event.valueStart >= 0;
    const content = Math.max(event.valueStart, event.tagStart, event.anchorStart);
    const elsewhere = Math.max(near, event.anchorEnd < 0 ? 0 : this.#at(event.anchorEnd));
    return {
      kind: 'scalar',
      style,
      text: getScalarValue(this.#padded, event),
      ...(content < 0 ? {} : { content: this.#at(content) }),
      start: isWritten ? this.#at(event.valueStart) - quote : elsewhere,
      end: isWritten ? this.#at(event.valueEnd) + quote : elsewhere,
      ...this.#common(event),
    };
  }

  #mapping(event: MappingEvent): MappingNode {
    const isFlow = event.style === COLLECTION_STYLE.FLOW;
    const start = this.#at(event.start);
    const common = this.#common(event);
    if (isFlow) this.#flows += 1;
    const entries: EntryNode[] = [];
    let last = start + (isFlow ? 1 : 0);
    while (!this.#ended()) {
      const entry = this.#entry(last);
      entries.push(entry);
      last = Math.max(last, entry.value.end);
    }
    this.#next += 1;
    if (isFlow) this.#flows -= 1;
    return {
      kind: 'mapping',
      style: isFlow ? 'flow' : 'block',
      entries,
      start,
      end: isFlow ? this.#closing(last) : last,
      ...common,
    };
  }

  #entry(near: number): EntryNode {
    const key = this.#node(near);
    const value = this.#node(key.end);
    return { key: keyText(key), keyNode: key, start: key.start, value };
  }

  #sequence(event: SequenceEvent): SequenceNode {
    const isFlow = event.style === COLLECTION_STYLE.FLOW;
    const start = this.#at(event.start);
    const common = this.#common(event);
    if (isFlow) this.#flows += 1;
    const items: LayoutNode[] = [];
    let last = start + 1;
    while (!this.#ended()) {
      const item = this.#node(last);
      items.push(item);
      last = Math.max(last, item.end);
    }
    this.#next += 1;
    if (isFlow) this.#flows -= 1;
    return {
      kind: 'sequence',
      style: isFlow ? 'flow' : 'block',
      items,
      start,
      end: isFlow ? this.#closing(last) : last,
      ...common,
    };
  }

  #common(event: ScalarEvent | MappingEvent | SequenceEvent): Pick<Written, 'inFlow' | 'anchor' | 'tagged'> {
    const anchor = event.anchorStart < 0 ? {} : { anchor: this.#padded.slice(event.anchorStart, event.anchorEnd) };
    return { inFlow: this.#flows > 0, tagged: event.tagStart >= 0, ...anchor };
  }

  /** Between the last part of a flow collection and its closing bracket are only blanks, comments and punctuation. */
  #closing(from: number): number {
    const rest = /(?:[\s,:?]|(?<=\s)#[^\r\n]*(?=[\r\n]))*[\]}]/y;
    rest.lastIndex = from;
    return rest.test(this.#text) ? rest.lastIndex : from;
  }

  #ended(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === EVENT_ID.POP;
  }
}

function keyText(key: LayoutNode): string {
  if (key.kind !== 'scalar') return '[…]';
  return isUntyped(key) ? keyOf(key.text) : key.text;
}

/** Whether the text alone says which type it is. */
export function isUntyped(node: LayoutNode): boolean {
  return node.kind === 'scalar' && node.style === 'plain' && !node.tagged;
}

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
