/** The most padded lines in one text; each costs a parse of the text before it. */
const MAX_PADDED_LINES = 500;
/** The most characters to parse again for one text: about a tenth of a second. */
const MAX_REPARSED = 20 * 1024 * 1024;
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
 */
export function readPadded<T>(text: string, read: (text: string) => T): Padded<T> {
  const inserted: number[] = [];
  let padded = text;
  let first: unknown;
  let reparsed = 0;
  while (inserted.length <= MAX_PADDED_LINES && reparsed <= MAX_REPARSED) {
    try {
      return { value: read(padded), text: padded, original: (offset) => unpad(offset, inserted) };
    } catch (thrown) {
      first ??= thrown;
      const line = deficientLine(padded, thrown);
      if (line === undefined) break;
      inserted.push(line);
      reparsed += padded.length;
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

/** The library reports a tab between a key and its value as the same error; padding before the key would move it. */
function isBlank(text: string, start: number, end: number): boolean {
  return text.slice(start, end).trim() === '';
}

/** Errors are found from start to end, so every insertion comes before the later ones. */
function unpad(offset: number, inserted: readonly number[]): number {
  let shift = 0;
  for (const at of inserted) {
    if (at + PAD <= offset) shift += PAD;
    else if (at < offset) shift += offset - at;
  }
  return offset - shift;
}
