/** Lines that one text may have padded; each costs a parse of what stands before it. */
const MAX_PADDED_LINES = 500;
/** Characters that the lines of one text may cost to parse again: about a second. */
const MAX_REPARSED = 64 * 1024 * 1024;
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
 * Their loader takes it, the YAML library refuses it ("deficient indentation"). Blanks at the start of a line mean
 * nothing inside a flow collection, so the refused lines are read with blanks before them. When that does not help,
 * the text is broken in another way and the first fault stands.
 */
export function readPadded<T>(text: string, read: (text: string) => T): Padded<T> {
  const inserted: number[] = [];
  let padded = text;
  let first: unknown;
  const most = Math.min(MAX_PADDED_LINES, Math.ceil(MAX_REPARSED / (text.length + 1)));
  while (inserted.length <= most) {
    try {
      return { value: read(padded), text: padded, original: (offset) => unpad(offset, inserted) };
    } catch (thrown) {
      first ??= thrown;
      const line = deficientLine(padded, thrown);
      if (line === undefined) break;
      inserted.push(line);
      padded = `${padded.slice(0, line)}${' '.repeat(PAD)}${padded.slice(line)}`;
    }
  }
  throw first;
}

function deficientLine(text: string, thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !thrown.message.startsWith('deficient indentation')) return undefined;
  const position = 'mark' in thrown ? (thrown.mark as { position?: number } | undefined)?.position : undefined;
  if (position === undefined) return undefined;
  const start = Math.max(text.lastIndexOf('\n', position - 1), text.lastIndexOf('\r', position - 1)) + 1;
  return isBlank(text, start, position) ? start : undefined;
}

/** A tab between a key and its value is the same fault to the library; blanks before the key would move it. */
function isBlank(text: string, start: number, end: number): boolean {
  return text.slice(start, end).trim() === '';
}

/** Faults are met from the start of the text to its end, so every insertion is before the later ones. */
function unpad(offset: number, inserted: readonly number[]): number {
  let shift = 0;
  for (const at of inserted) {
    if (at + PAD <= offset) shift += PAD;
    else if (at < offset) shift += offset - at;
  }
  return offset - shift;
}
