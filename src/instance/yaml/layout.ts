import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { defined } from '../../base/index.ts';
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
  /** Offset of the content, behind a quote; of an empty value, of its tag or anchor. */
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
  /** The node with the anchor; undefined inside of that node. */
  readonly target?: Exclude<LayoutNode, AliasNode>;
}

export interface EntryNode {
  /** The key as in the data; `[…]` for one that is not a scalar. */
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
  readonly #anchors = new Map<string, Exclude<LayoutNode, AliasNode>>();
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
      if (event?.type === EVENT_ID.DOCUMENT) this.#anchors.clear();
      if (event?.type === EVENT_ID.DOCUMENT || event?.type === EVENT_ID.POP) this.#next += 1;
      else roots.push(this.#node(0));
    }
    return roots;
  }

  /** `near` is the offset for a node that is not written. */
  #node(near: number): LayoutNode {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event?.type === EVENT_ID.ALIAS) return this.#alias(event);
    const node = this.#content(event, near);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return node;
  }

  #content(event: Event | undefined, near: number): Exclude<LayoutNode, AliasNode> {
    if (event?.type === EVENT_ID.SCALAR) return this.#scalar(event, near);
    if (event?.type === EVENT_ID.MAPPING) return this.#mapping(event);
    if (event?.type === EVENT_ID.SEQUENCE) return this.#sequence(event);
    throw new Error('the event is not a node');
  }

  #alias(event: AliasEvent): AliasNode {
    const start = this.#at(event.anchorStart) - 1;
    const alias = this.#padded.slice(event.anchorStart, event.anchorEnd);
    const target = this.#anchors.get(alias);
    const common = { inFlow: this.#flows > 0, tagged: false, ...defined({ target }) };
    return { kind: 'alias', alias, start, end: this.#at(event.anchorEnd), ...common };
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

/** The first document of a text that is known to parse; undefined where there is none. */
export function firstDocument(text: string): LayoutNode | undefined {
  return yamlLayout(text)[0];
}

/**
 * The offset of a key or value by its path; of the deepest existing part when the path goes further.
 * Merged keys (`<<`) are found at their source.
 */
export function offsetOf(root: LayoutNode | undefined, path: KeyPath, at: 'key' | 'value'): number {
  let node = root;
  let offset = (root && writtenOffset(root)) ?? 0;
  for (const step of path) {
    const next = node && childOf(node, step);
    if (next === undefined) return offset;
    node = next.node;
    offset = at === 'key' ? next.keyOffset : (writtenOffset(node) ?? next.keyOffset);
  }
  return offset;
}

/** The source text of the scalar at a path, for messages that show what was typed. */
export function writtenAt(root: LayoutNode | undefined, path: KeyPath): string | undefined {
  let node = root;
  for (const step of path) node = node && childOf(node, step)?.node;
  return node && scalarText(node);
}

/** Duplicate keys of a mapping, at their second and later occurrence; the target of aliases is checked once. */
export function duplicateKeys(root: LayoutNode | undefined): { readonly key: string; readonly keyOffset: number }[] {
  const found: { key: string; keyOffset: number }[] = [];
  const visited = new Set<LayoutNode>();
  const visit = (node: LayoutNode): void => {
    const content = contentOf(node);
    if (content === undefined || visited.has(content)) return;
    visited.add(content);
    if (content.kind === 'sequence') for (const item of content.items) visit(item);
    if (content.kind !== 'mapping') return;
    found.push(...repeatedKeys(content));
    for (const { value } of content.entries) visit(value);
  };
  if (root !== undefined) visit(root);
  return found.toSorted((a, b) => a.keyOffset - b.keyOffset);
}

function repeatedKeys({ start, entries }: MappingNode): { key: string; keyOffset: number }[] {
  const seen = new Set<string>();
  let keyOffset = start;
  return entries.flatMap((entry) => {
    const key = keyIn(entry);
    keyOffset = writtenOffset(entry.keyNode) ?? keyOffset;
    const isRepeated = seen.has(key) && key !== '<<';
    seen.add(key);
    return isRepeated ? [{ key, keyOffset }] : [];
  });
}

/** The node that an alias stands for; undefined inside of that node. */
function contentOf(node: LayoutNode): Exclude<LayoutNode, AliasNode> | undefined {
  return node.kind === 'alias' ? node.target : node;
}

function scalarText(node: LayoutNode): string | undefined {
  const content = contentOf(node);
  return content?.kind === 'scalar' ? content.text : undefined;
}

function keyIn({ key, keyNode }: EntryNode): string {
  return keyNode.kind === 'alias' ? (scalarText(keyNode) ?? key) : key;
}

/** Undefined for a node that is not written, such as the value of a key without one: it stands where the one before does. */
function writtenOffset(node: LayoutNode): number | undefined {
  if (node.kind === 'alias') return node.start + 1;
  return node.kind === 'scalar' ? node.content : node.start;
}

function childOf(node: LayoutNode, step: string | number): { node: LayoutNode; keyOffset: number } | undefined {
  const content = contentOf(node);
  if (content?.kind === 'sequence' && typeof step === 'number') {
    const item = content.items[step];
    return (
      item && {
        node: item,
        keyOffset: writtenOffset(item) ?? lastOffset(content.items.slice(0, step)) ?? content.start,
      }
    );
  }
  const found = content?.kind === 'mapping' && typeof step === 'string' ? findEntry(content, step) : undefined;
  if (found === undefined) return undefined;
  const { entry, mapping } = found;
  const before = (): LayoutNode[] =>
    mapping.entries.slice(0, mapping.entries.indexOf(entry)).map(({ keyNode }) => keyNode);
  const keyOffset = writtenOffset(entry.keyNode) ?? lastOffset(before());
  return { node: entry.value, keyOffset: keyOffset ?? mapping.start };
}

/** The offset of the last node that is written. */
function lastOffset(nodes: readonly LayoutNode[]): number | undefined {
  const last = nodes.findLast((node) => writtenOffset(node) !== undefined);
  return last && writtenOffset(last);
}

/** The last of equal keys counts; a mapping's own keys come before merged ones, and an earlier source before a later. */
function findEntry(
  mapping: MappingNode,
  key: string,
  visited = new Set<MappingNode>(),
): { entry: EntryNode; mapping: MappingNode } | undefined {
  if (visited.has(mapping)) return undefined;
  visited.add(mapping);
  const entry = mapping.entries.findLast((each) => keyIn(each) === key);
  if (entry !== undefined) return { entry, mapping };
  for (const source of mergedSources(mapping)) {
    const found = findEntry(source, key, visited);
    if (found !== undefined) return found;
  }
  return undefined;
}

function mergedSources({ entries }: MappingNode): MappingNode[] {
  return entries
    .filter((entry) => keyIn(entry) === '<<')
    .flatMap(({ value }) => {
      const content = contentOf(value);
      return content?.kind === 'sequence' ? content.items.map(contentOf) : [content];
    })
    .filter((content) => content?.kind === 'mapping');
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
