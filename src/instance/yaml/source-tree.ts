import { EVENT_ID, type Event, getScalarValue, parseEvents, type ScalarEvent } from 'js-yaml';
import { readPadded } from './flow-indent.ts';

/** Where the parts of a YAML (or JSON) text stand. Offsets count UTF-16 units. */
export interface SourceNode {
  readonly offset: number;
  /** The text of a scalar as written, before any type is given to it. */
  readonly scalar?: string;
  readonly entries?: readonly SourceEntry[];
  readonly items?: readonly SourceNode[];
}

export interface SourceEntry {
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
    return this.#node();
  }

  #node(): SourceNode {
    const event = this.#events[this.#next];
    this.#next += 1;
    if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return { offset: 0 };
    if (event.type === EVENT_ID.ALIAS) return this.#alias(event.anchorStart, event.anchorEnd);
    const node = this.#fresh(event);
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), node);
    return node;
  }

  #fresh(event: Event): SourceNode {
    if (event.type === EVENT_ID.SCALAR) return this.#scalar(event);
    if (event.type === EVENT_ID.MAPPING) return { offset: this.#at(event.start), entries: this.#entries() };
    if (event.type === EVENT_ID.SEQUENCE) return { offset: this.#at(event.start), items: this.#items() };
    return { offset: 0 };
  }

  /** An alias stands where it is written, with the content of what it names. */
  #alias(start: number, end: number): SourceNode {
    const target = this.#anchors.get(this.#text.slice(start, end));
    return { ...target, offset: this.#at(start) };
  }

  #scalar(event: ScalarEvent): SourceNode {
    return { offset: this.#at(event.valueStart), scalar: getScalarValue(this.#text, event) };
  }

  #entries(): SourceEntry[] {
    const entries: SourceEntry[] = [];
    while (!this.#ended()) {
      const key = this.#node();
      const value = this.#node();
      entries.push({ key: key.scalar ?? '', keyOffset: key.offset, value });
    }
    this.#next += 1;
    return entries;
  }

  #items(): SourceNode[] {
    const items: SourceNode[] = [];
    while (!this.#ended()) items.push(this.#node());
    this.#next += 1;
    return items;
  }

  #ended(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === EVENT_ID.POP;
  }
}

/** Keys that stand twice in one mapping, at their second and later places. */
export function duplicateKeys(root: SourceNode): SourceEntry[] {
  const found: SourceEntry[] = [];
  const visit = (node: SourceNode): void => {
    const seen = new Set<string>();
    for (const entry of node.entries ?? []) {
      if (seen.has(entry.key) && entry.key !== '<<') found.push(entry);
      seen.add(entry.key);
      visit(entry.value);
    }
    for (const item of node.items ?? []) visit(item);
  };
  visit(root);
  return found;
}

/**
 * The offset of a key or value by its path; of the deepest part that exists when the path leads further.
 * Keys that came in by a merge (`<<`) are found in what was merged.
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

/** The scalar as it is written at a path, for messages that must show what was typed. */
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
