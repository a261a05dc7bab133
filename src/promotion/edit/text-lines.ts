import type { LayoutNode } from '../../instance/index.ts';
import type { Splice } from './text-file.ts';

/** The line ending of a text: that of its first line. */
export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Before the line break. */
export function lineEnd(text: string, offset: number): number {
  const next = text.indexOf('\n', offset);
  if (next === -1) return text.length;
  return next > offset && text[next - 1] === '\r' ? next - 1 : next;
}

function nextLine(text: string, offset: number): number {
  const next = text.indexOf('\n', offset);
  return next === -1 ? text.length : next + 1;
}

/** A byte order mark takes no column. */
export function columnOf(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return offset - start - (start === 0 && text.startsWith('\ufeff') ? 1 : 0);
}

/** Where a node's content ends, without the trailing line breaks of a block scalar. */
export function contentEnd(text: string, { start, end }: LayoutNode): number {
  return Math.max(start, text.slice(0, end).trimEnd().length);
}

/** Whole lines, from the one of `from` to the one of `to`. */
export function wholeLines(text: string, from: number, to: number): Splice {
  return { start: lineStart(text, from), end: nextLine(text, to), text: '' };
}

/**
 * Merges adjacent removals; one that reaches the end of a text without a final line break also removes the line break
 * before it, so that the text still ends without one.
 */
export function joinRemovals(text: string, removals: readonly Splice[]): Splice[] {
  const joined: Splice[] = [];
  for (const next of removals.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || next.start > last.end) joined.push(next);
    else joined[joined.length - 1] = { ...last, end: Math.max(last.end, next.end) };
  }
  return joined.map((one) => (one.end === text.length && !text.endsWith('\n') ? withBreakBefore(text, one) : one));
}

function withBreakBefore(text: string, removal: Splice): Splice {
  const before = /\r?\n$/.exec(text.slice(Math.max(0, removal.start - 2), removal.start))?.[0] ?? '';
  return { ...removal, start: removal.start - before.length };
}
