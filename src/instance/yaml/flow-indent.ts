import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { type FlowLine, flowLines } from './flow-lines.ts';

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

/** Where the lines begin in the padded text. */
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

/** Where a node begins, with its anchor and tag. */
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
