import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { readPadded } from './flow-indent.ts';
import { keyOf } from './yaml11.ts';

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

/** The tree of a text that is known to parse. */
export function sourceTree(text: string): SourceNode {
  return new TreeBuilder(text).build();
}

class TreeBuilder {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, SourceNode>();
  readonly #at: (offset: number) => number;
  #next = 0;

  constructor(text: string) {
    const padded = readPadded(text, (candidate) => parseEvents(candidate, {}));
    this.#text = padded.text;
    this.#events = padded.value;
    this.#at = padded.original;
  }

  build(): SourceNode {
    this.#next = 1;
    return this.#node(0);
  }

  /** `near` is the offset for a node that is not written, such as the value of a key without one. */
  #node(near: number): SourceNode {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return { offset: near };
    if (event.type === EVENT_ID.ALIAS) return this.#alias(event.anchorStart, event.anchorEnd);
    const node = this.#fresh(event, near);
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), node);
    return node;
  }

  #fresh(event: Event, near: number): SourceNode {
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event, near);
    if (event.type === EVENT_ID.MAPPING) {
      const offset = this.#at(event.start);
      return { offset, entries: this.#entries(offset) };
    }
    if (event.type === EVENT_ID.SEQUENCE) {
      const offset = this.#at(event.start);
      return { offset, items: this.#items(offset) };
    }
    return { offset: near };
  }

  /** An alias has its own offset and the content of its anchor. */
  #alias(start: number, end: number): SourceNode {
    const target = this.#anchors.get(this.#text.slice(start, end));
    return { ...target, offset: this.#at(start) };
  }

  #scalar(event: ScalarEvent, near: number): SourceNode {
    const start = Math.max(event.valueStart, event.tagStart, event.anchorStart);
    return { offset: start < 0 ? near : this.#at(start), scalar: getScalarValue(this.#text, event) };
  }

  #entries(start: number): SourceEntry[] {
    const entries: SourceEntry[] = [];
    while (!this.#ended()) {
      const isPlain = this.#plain();
      const { scalar = '', offset: keyOffset } = this.#node(entries.at(-1)?.keyOffset ?? start);
      entries.push({ key: isPlain ? keyOf(scalar) : scalar, keyOffset, value: this.#node(keyOffset) });
    }
    this.#next += 1;
    return entries;
  }

  #plain(): boolean {
    const event = this.#events[this.#next];
    return event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0;
  }

  #items(start: number): SourceNode[] {
    const items: SourceNode[] = [];
    while (!this.#ended()) items.push(this.#node(items.at(-1)?.offset ?? start));
    this.#next += 1;
    return items;
  }

  #ended(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === EVENT_ID.POP;
  }
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
  const entry = node.entries?.findLast(({ key }) => key === step) ?? mergedEntry(node, step);
  return entry === undefined ? undefined : { node: entry.value, keyOffset: entry.keyOffset };
}

function mergedEntry(node: SourceNode, key: string): SourceEntry | undefined {
  const merged = node.entries?.filter((entry) => entry.key === '<<').flatMap(({ value }) => value.items ?? [value]);
  for (const source of merged ?? []) {
    const entry = source.entries?.find((candidate) => candidate.key === key) ?? mergedEntry(source, key);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** One-based line and column of an offset. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
