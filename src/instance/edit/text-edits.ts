import { defined, EchelonError } from '../../base/index.ts';
import type { Snapshot } from '../snapshot.ts';
import type { LayoutNode } from '../yaml/layout.ts';

/** Larger files are not edited by hand. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The text of a file, a byte order mark included: encoding it again gives the same bytes. */
export function decodeText(file: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) {
    throw editError('EDIT_TOO_LARGE', `${file} has more than ${MAX_BYTES} bytes`, 'use a smaller file');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw editError('EDIT_NOT_UTF8', `${file} is not UTF-8 text`, 'save it as UTF-8; nothing was changed', cause);
  }
}

/** A file before and after an edit. */
export interface FileEdit {
  readonly file: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** A replaced part of a text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Splices must not overlap; two insertions at one offset keep their order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, text: by } of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < done) throw new Error(`splices overlap at ${start}`);
    result += text.slice(done, start) + by;
    done = end;
  }
  return result + text.slice(done);
}

/** Returns the original bytes if the text is unchanged. */
export function encodeText(text: string, before: string, bytes: Uint8Array): Uint8Array {
  return text === before ? bytes : new TextEncoder().encode(text);
}

export function editError(code: string, message: string, hint: string, cause?: unknown): EchelonError {
  return new EchelonError({ code, message, hint, ...defined({ cause }) });
}

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

/** Only files of a folder can be edited; `code` is that of the error. */
export function requireDirectory({ kind, origin }: Pick<Snapshot, 'kind' | 'origin'>, code: string): void {
  if (kind === 'directory') return;
  throw new EchelonError({
    code,
    message: `${origin} is a ${kind}, which cannot be edited`,
    hint: 'pass a checkout of the data repository with --data',
  });
}
