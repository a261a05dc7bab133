import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** The most lines to pad one by one; each costs a parse of the text before it. */
const MAX_REJECTED_LINES = 500;
/** The most characters to parse again for one text: about a tenth of a second. */
const MAX_REPARSED = 20 * 1024 * 1024;
/** The most closing lines to pad at once, so that the padding of a text is not a multiple of it. */
const MAX_CLOSING_LINES = 20_000;
const PAD = 40;

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
 * Their loader accepts it, the YAML library rejects it ("deficient indentation"). Leading spaces mean
 * nothing inside a flow collection, so the rejected lines are padded with spaces. When that does not help,
 * the text is invalid for another reason and the first error is reported.
 *
 * With the first rejected line all later ones that begin with a closing bracket are padded, so that the number of such
 * collections does not multiply the work; those in a block text, where spaces count, are taken back. Where that does not
 * fit either, lines are padded one by one, as they are rejected.
 */
export function readPadded(text: string, read: (text: string) => Event[]): Padded<Event[]> {
  const work: Work = { text, read, attempts: 0, reparsed: 0 };
  let first: unknown;
  try {
    return { value: read(text), text, original: (offset) => offset };
  } catch (thrown) {
    first = thrown;
  }
  const line = rejectedLine(text, first);
  if (line === undefined) throw first;
  const padded = padRejected(work, [line, ...closingLines(text, line)]) ?? padRejected(work, [line]);
  if (padded === undefined) throw first;
  return padded;
}

interface Work {
  readonly text: string;
  readonly read: (text: string) => Event[];
  attempts: number;
  reparsed: number;
}

/** Pads these lines and what is rejected besides; undefined when that does not help. Lines are offsets of the text. */
function padRejected(work: Work, lines: readonly number[]): Padded<Event[]> | undefined {
  let padding = lines;
  while (work.attempts < MAX_REJECTED_LINES && work.reparsed <= MAX_REPARSED) {
    const padded = withPadding(work.text, padding);
    work.attempts += 1;
    work.reparsed += work.text.length;
    try {
      const value = work.read(padded.text);
      const outside = outsideBlocks(padding, value, padded.original);
      if (outside.length === padding.length) return { value, ...padded };
      padding = outside;
    } catch (thrown) {
      const line = rejectedLine(padded.text, thrown);
      if (line === undefined) return undefined;
      padding = withLine(padding, padded.original(line));
    }
  }
  return undefined;
}

/** The line that the library rejects for its indentation. */
function rejectedLine(text: string, thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !thrown.message.startsWith('deficient indentation')) return undefined;
  const position = 'mark' in thrown ? (thrown.mark as { position?: number } | undefined)?.position : undefined;
  if (position === undefined) return undefined;
  const start = Math.max(text.lastIndexOf('\n', position - 1), text.lastIndexOf('\r', position - 1)) + 1;
  return isBlank(text, start, position) ? start : undefined;
}

/** The library reports a tab between a key and its value as the same error; padding before the key would move it. */
function isBlank(text: string, start: number, end: number): boolean {
  return text.slice(start, end).trim() === '';
}

/** Later lines whose first character closes a flow collection; the first line of a block text gives that its indentation. */
function closingLines(text: string, after: number): number[] {
  const closing = /(?<![|>][-+\d]*[ \t]*\r?)[\r\n](?=[ \t]*[\]}])/g;
  closing.lastIndex = after;
  const lines: number[] = [];
  while (lines.length < MAX_CLOSING_LINES && closing.test(text)) lines.push(closing.lastIndex);
  return lines;
}

/** A line may be padded more than once: its collection may stand far to the right. */
function withLine(lines: readonly number[], line: number): number[] {
  const before = countUpTo(lines.length, (index) => (lines[index] ?? 0) <= line);
  return lines.toSpliced(before, 0, line);
}

function outsideBlocks(
  lines: readonly number[],
  events: readonly Event[],
  original: (offset: number) => number,
): readonly number[] {
  const blocks = events.filter(isBlock).map(({ valueStart, valueEnd }) => [original(valueStart), original(valueEnd)]);
  if (blocks.length === 0) return lines;
  let next = 0;
  return lines.filter((line) => {
    while ((blocks[next]?.[1] ?? Number.POSITIVE_INFINITY) <= line) next += 1;
    return line < (blocks[next]?.[0] ?? Number.POSITIVE_INFINITY);
  });
}

function isBlock(event: Event): event is ScalarEvent {
  const style = event.type === EVENT_ID.SCALAR ? event.style : undefined;
  return style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
}

function withPadding(text: string, lines: readonly number[]): Omit<Padded<unknown>, 'value'> {
  const parts = lines.map((line, index) => text.slice(index === 0 ? 0 : lines[index - 1], line));
  const padded = [...parts, text.slice(lines.at(-1) ?? 0)].join(' '.repeat(PAD));
  /** Where the padding of the line begins in the padded text. */
  const startOf = (index: number): number => (lines[index] ?? 0) + index * PAD;
  const original = (offset: number): number => {
    const before = countUpTo(lines.length, (index) => startOf(index) + PAD <= offset);
    const inside = before < lines.length ? Math.max(0, offset - startOf(before)) : 0;
    return offset - before * PAD - inside;
  };
  return { text: padded, original };
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
