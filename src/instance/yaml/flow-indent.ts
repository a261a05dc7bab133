import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** The most spaces to add to one text: it is never more than twice the largest datafile. */
const MAX_PADDING = 1024 * 1024;

export interface Padded<T> {
  readonly value: T;
  readonly text: string;
  /** The offset in the original text of an offset in the padded one. */
  readonly original: (offset: number) => number;
}

/**
 * Existing instances close a flow collection at the indentation of its key:
 *
 *     args: [
 *       a,
 *     ]
 *
 * Their loader accepts it, the YAML library rejects it ("deficient indentation"). Leading spaces mean nothing inside a flow
 * collection or a quoted text, so all of their lines that lack spaces get them, and the text is read a second time. When that does
 * not help, the text is invalid for another reason and the first error is reported.
 */
export function readPadded(text: string, read: (text: string) => Event[]): Padded<Event[]> {
  let first: unknown;
  try {
    return { value: read(text), text, original: (offset) => offset };
  } catch (thrown) {
    first = thrown;
  }
  const padded = isIndentation(first) ? withPadding(text) : undefined;
  if (padded === undefined) throw first;
  try {
    const value = read(padded.text);
    if (isUnmoved(value, padded)) return { value, text: padded.text, original: padded.original };
  } catch {
    // The first error is the one to report.
  }
  throw first;
}

function isIndentation(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('deficient indentation') && 'mark' in thrown;
}

interface PaddedText extends Omit<Padded<unknown>, 'value'> {
  /** Whether an offset of the padded text is on a line that was padded. */
  readonly isPadded: (offset: number) => boolean;
  /** How many padded lines begin before an offset of the padded text. */
  readonly linesBefore: (offset: number) => number;
}

function withPadding(text: string): PaddedText | undefined {
  const lines = flowLines(text) ?? [];
  if (lines.length === 0 || lines.reduce((sum, { pad }) => sum + pad, 0) > MAX_PADDING) return undefined;
  const parts = lines.map(({ start, pad }, index) => text.slice(lines[index - 1]?.start ?? 0, start) + ' '.repeat(pad));
  const padded = [...parts, text.slice(lines.at(-1)?.start)].join('');
  const starts = startsOf(lines);
  const ends = starts.map((start) => endOfLine(padded, start));
  const linesBefore = (offset: number): number => countUpTo(starts.length, (index) => (starts[index] ?? 0) < offset);
  return {
    text: padded,
    original: (offset) => {
      const before = linesBefore(offset);
      const line = lines[before - 1];
      if (line === undefined) return offset;
      /** Inside the padding it is the start of the line. */
      return line.start + Math.max(0, offset - (starts[before - 1] ?? 0) - line.pad);
    },
    linesBefore,
    isPadded: (offset) => offset < (ends[linesBefore(offset + 1) - 1] ?? 0),
  };
}

/** The offsets of lines in the padded text. */
function startsOf(lines: readonly FlowLine[]): number[] {
  let added = 0;
  return lines.map(({ start, pad }) => {
    const moved = start + added;
    added += pad;
    return moved;
  });
}

function endOfLine(text: string, start: number): number {
  const end = /[\r\n]/g;
  end.lastIndex = start;
  return end.exec(text)?.index ?? text.length;
}

/** Whether only flow collections and quoted texts were padded: no block node begins on such a line, no block text has one. */
function isUnmoved(events: readonly Event[], padded: PaddedText): boolean {
  const flows: boolean[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) flows.pop();
    else if (flows.at(-1) !== true && isMoved(event, padded)) return false;
    if (event.type === EVENT_ID.DOCUMENT) flows.push(false);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE)
      flows.push(flows.at(-1) === true || event.style === COLLECTION_STYLE.FLOW);
  }
  return true;
}

/** Whether the padding concerns a node outside flow collections. */
function isMoved(event: Event, { isPadded, linesBefore }: PaddedText): boolean {
  if (event.type === EVENT_ID.SCALAR && isBlock(event))
    return linesBefore(event.valueStart) !== linesBefore(event.valueEnd);
  return offsetsOf(event).some(isPadded);
}

/** The offset of a node, with its anchor and tag. */
function offsetsOf(event: Event): number[] {
  if (event.type === EVENT_ID.ALIAS) return [event.anchorStart];
  if (event.type === EVENT_ID.SCALAR) return [event.valueStart, event.anchorStart, event.tagStart].filter(isWritten);
  if (event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) return [];
  return [event.start, event.anchorStart, event.tagStart].filter(isWritten);
}

function isWritten(offset: number): boolean {
  return offset >= 0;
}

function isBlock({ style }: ScalarEvent): boolean {
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

/** How many of so many satisfy a condition that holds up to one of them. */
function countUpTo(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A line that goes on with a flow collection or a quoted text, and stands too far to the left for the YAML library. */
interface FlowLine {
  readonly start: number;
  /** The spaces that it lacks. */
  readonly pad: number;
}

const END = /[\r\n]/g;
const NOT_BLANK = /[^ \t]/g;
const IN_DOUBLE = /["\\\r\n]/g;
const IN_SINGLE = /['\r\n]/g;
const MARKER = /(?:---|\.\.\.)(?=\s|$)/y;

/**
 * The lines inside flow collections and quoted texts that are not deeper than the key or dash they belong to, in one scan. The
 * scan knows just enough of YAML to tell where those begin; the caller checks the result. Undefined when one is never closed.
 */
function flowLines(text: string): FlowLine[] | undefined {
  const scan = scanned(text);
  return scan.isClosed ? scan.lines : undefined;
}

/** Nodes of a text, fewer than it really has: entries of flow collections and lists, keys and their values. */
export function leastNodes(text: string): number {
  return scanned(text).nodes;
}

function scanned(text: string): Scan {
  const scan = new Scan(text);
  let at = 0;
  while (at < text.length) at = scan.blockLine(at);
  return scan;
}

const DEPTHS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** A line outside flow collections, read up to `at`. */
interface BlockLine {
  readonly start: number;
  at: number;
  /** The column of its innermost key or dash so far. */
  parent: number;
}

interface Flow {
  depth: number;
  /** A quote here begins a quoted text; elsewhere it is part of a plain one. */
  mayQuote: boolean;
}

const QUOTES = new Set(['"', "'"]);
const BLOCK_TEXTS = new Set(['|', '>']);
const PROPERTIES = new Set(['&', '!']);
const OPENING = new Set(['[', '{', ',', ':']);
const NEUTRAL = new Set([' ', '\t', '?', '&', '!']);

function mayQuoteAfter(char: string, before: boolean): boolean {
  return OPENING.has(char) || (NEUTRAL.has(char) && before);
}

class Scan {
  readonly #text: string;
  readonly lines: FlowLine[] = [];
  isClosed = true;
  nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads a line outside flow collections, and those that its values go on in; returns the start of the next. */
  blockLine(start: number): number {
    const at = this.#first(NOT_BLANK, start);
    const line: BlockLine = { start, at, parent: at - start - 1 };
    if (at === start && this.#isMarker(at)) line.at = this.#first(NOT_BLANK, at + 3);
    for (;;) {
      this.#skipIndicators(line);
      const first = line.at;
      const end = this.#node(first, line.parent);
      const colon = this.#first(NOT_BLANK, end);
      if (this.#text[colon] !== ':') return this.#afterNode(first, end, line.parent);
      this.nodes += 2;
      line.parent = first - start;
      line.at = this.#first(NOT_BLANK, colon + 1);
    }
  }

  /** Dashes, question marks and colons, anchors and tags before a node. */
  #skipIndicators(line: BlockLine): void {
    for (;;) {
      const char = this.#text[line.at] ?? '\n';
      const isIndicator = '-?:'.includes(char) && this.#isSpace(line.at + 1);
      if (!isIndicator && !PROPERTIES.has(char)) return;
      if (isIndicator) {
        this.nodes += 1;
        line.parent = line.at - line.start;
      }
      line.at = this.#first(NOT_BLANK, isIndicator ? line.at + 1 : this.#word(line.at));
    }
  }

  /** To the end of a node that may be a key, or of the line. */
  #node(at: number, parent: number): number {
    const char = this.#text[at] ?? '';
    if (char === '[' || char === '{') return this.#collection(at, parent);
    if (QUOTES.has(char)) return this.#quoted(at, parent);
    return BLOCK_TEXTS.has(char) ? this.#first(END, at) : this.#plain(at);
  }

  /** The next line after a node that is no key. */
  #afterNode(first: number, end: number, parent: number): number {
    const char = this.#text[first] ?? '';
    if (this.#isEnd(first)) return this.#nextLine(first);
    if (BLOCK_TEXTS.has(char)) return this.#blockText(first, parent);
    return '[{"\'#'.includes(char) ? this.#nextLine(end) : this.#plainText(end, parent);
  }

  /** To its end: a colon before a space, or the end of the line. */
  #plain(start: number): number {
    for (let at = start; ; at += 1) {
      const char = this.#text[at];
      if (char === undefined || char === '\n' || char === '\r') return at;
      if (char === ':' && this.#isSpace(at + 1)) return at;
      if (char === '#' && (at === start || this.#isSpace(at - 1))) return this.#first(END, at);
    }
  }

  /** A plain text goes on in deeper lines, where brackets and quotes mean nothing. */
  #plainText(at: number, parent: number): number {
    return this.#deeper(this.#nextLine(at), parent + 1);
  }

  #blockText(at: number, parent: number): number {
    const header = this.#text.slice(at, at + 3).match(/[1-9]/)?.[0];
    const start = this.#nextLine(at);
    let first = start;
    while (first < this.#text.length && this.#isEnd(this.#first(NOT_BLANK, first))) first = this.#nextLine(first);
    const indent = header === undefined ? this.#indent(first) : parent + Number(header);
    return indent <= parent ? start : this.#deeper(start, indent);
  }

  /** The first line that is neither empty nor indented so far. */
  #deeper(start: number, indent: number): number {
    let at = start;
    while (at < this.#text.length && (this.#indent(at) >= indent || this.#isEnd(this.#first(NOT_BLANK, at))))
      at = this.#nextLine(at);
    return at;
  }

  /** To after its closing bracket. */
  #collection(start: number, parent: number): number {
    const flow: Flow = { depth: 0, mayQuote: true };
    let at = start;
    while (at < this.#text.length) {
      at = this.#flowToken(at, parent, flow);
      if (flow.depth === 0) return at;
    }
    this.isClosed = false;
    return at;
  }

  #flowToken(at: number, parent: number, flow: Flow): number {
    const char = this.#text[at] ?? '';
    if (this.#isEnd(at)) return this.#flowLine(at, parent);
    if (char === '#' && this.#isSpace(at - 1)) return this.#first(END, at);
    const begins = flow.mayQuote;
    flow.depth += DEPTHS[char] ?? 0;
    this.nodes += Number(char === ',');
    flow.mayQuote = mayQuoteAfter(char, begins);
    if (begins && QUOTES.has(char)) return this.#quoted(at, parent);
    return begins && PROPERTIES.has(char) ? this.#word(at) : at + 1;
  }

  /** To after its closing quote. */
  #quoted(start: number, parent: number): number {
    const isDouble = this.#text[start] === '"';
    let at = start + 1;
    while (at < this.#text.length) {
      at = this.#first(isDouble ? IN_DOUBLE : IN_SINGLE, at);
      const escaped = this.#escaped(at, isDouble);
      if (this.#isEnd(at)) at = this.#flowLine(at, parent);
      else if (escaped === 0) return at + 1;
      else at += escaped;
    }
    this.isClosed = false;
    return at;
  }

  /** The length of an escape, without the end of a line. */
  #escaped(at: number, isDouble: boolean): number {
    if (!isDouble) return this.#text.startsWith("''", at) ? 2 : 0;
    if (this.#text[at] !== '\\') return 0;
    return this.#isEnd(at + 1) ? 1 : 2;
  }

  /** Notes the line after this end of a line, and returns its start. */
  #flowLine(end: number, parent: number): number {
    const start = this.#nextLine(end);
    if (this.#isMarker(start)) this.isClosed = false;
    const indent = this.#indent(start);
    if (indent <= parent && !this.#isEnd(start + indent)) this.lines.push({ start, pad: parent + 1 - indent });
    return start;
  }

  /** Spaces at the start of a line; a tab is no indentation. */
  #indent(start: number): number {
    let at = start;
    while (this.#text[at] === ' ') at += 1;
    return at - start;
  }

  #word(start: number): number {
    let at = start + 1;
    while (at < this.#text.length && !this.#isSpace(at) && !',[]{}'.includes(this.#text[at] ?? '')) at += 1;
    return at;
  }

  #nextLine(from: number): number {
    const end = this.#first(END, from);
    return this.#text[end] === '\r' && this.#text[end + 1] === '\n' ? end + 2 : end + 1;
  }

  /** The offset of the next match of the pattern, or the end of the text. */
  #first(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.exec(this.#text)?.index ?? this.#text.length;
  }

  #isMarker(at: number): boolean {
    MARKER.lastIndex = at;
    return MARKER.test(this.#text);
  }

  #isEnd(at: number): boolean {
    const char = this.#text[at];
    return char === undefined || char === '\n' || char === '\r';
  }

  #isSpace(at: number): boolean {
    const char = this.#text[at];
    return char === ' ' || char === '\t' || this.#isEnd(at);
  }
}
