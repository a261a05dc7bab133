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
import type { Padded } from './flow-indent.ts';
import { eventsOf } from './yaml11.ts';
import { keyOf } from './yaml11-types.ts';

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
