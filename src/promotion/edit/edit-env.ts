import { count, didYouMean } from '../../base/index.ts';
import type { Edited, EditedScalar } from './edited.ts';
import { decode, editError, encode, type Splice, spliced } from './text-file.ts';

const LINE = /^(?:export )?([A-Za-z_][A-Za-z0-9_]*)=([^\r\n]*)/gm;
/** A shell and make both read the file, and quotes would reach make. */
const UNSAFE = /[^A-Za-z0-9_.,:/@%+=~-]/;

interface Line {
  readonly key: string;
  /** As written, without trailing spaces. */
  readonly value: string;
  readonly start: number;
  readonly line: number;
}

/**
 * Replaces values of `export KEY=VALUE` or `KEY=VALUE` lines and nothing else; a key must occur exactly once. Quotes around
 * a value stay.
 */
export function editEnv(
  file: string,
  bytes: Uint8Array,
  edits: readonly { readonly key: string; readonly value: string }[],
): Edited {
  const text = decode(file, bytes);
  const lines = linesOf(text);
  const splices = new Map<number, Splice>();
  const scalars = edits.map(({ key, value }): EditedScalar => {
    const found = onlyLine(file, lines, key);
    if (UNSAFE.test(value) || value === '') {
      const hint = 'use letters, digits and . , : / @ % + = ~ _ - only; nothing was changed';
      throw editError('EDIT_VALUE', `${file}:${found.line}: ${key} cannot be set to ${JSON.stringify(value)}`, hint);
    }
    const [, quote = '', old = ''] = /^(["']?)(.*)\1$/.exec(found.value) ?? [];
    if (splices.has(found.start) && splices.get(found.start)?.text !== value) {
      const message = `${file}:${found.line}: ${key} would be set to two values`;
      throw editError('EDIT_CONFLICT', message, 'set it to one value; nothing was changed');
    }
    const start = found.start + quote.length;
    splices.set(found.start, { start, end: start + old.length, text: value });
    return { path: [key], line: found.line, old, value };
  });
  return { bytes: encode(spliced(text, [...splices.values()]), text, bytes), scalars };
}

/** A trailing comment is not part of the value. */
function linesOf(text: string): Line[] {
  const body = text.startsWith('\ufeff') ? 1 : 0;
  return [...text.slice(body).matchAll(LINE)].map(({ 0: whole, 1: key = '', 2: rest = '', index }) => ({
    key,
    value: rest.replace(/\s+#.*$/, '').trimEnd(),
    start: body + index + whole.length - rest.length,
    line: text.slice(0, body + index).split('\n').length,
  }));
}

function onlyLine(file: string, lines: readonly Line[], key: string): Line {
  const found = lines.filter((line) => line.key === key);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    const candidates = lines.map((line) => line.key);
    const hint = didYouMean(key, candidates, `add a line export ${key}=… first; nothing was changed`);
    throw editError('EDIT_NOT_FOUND', `${file} has no line that sets ${key}`, hint);
  }
  const places = found.map(({ line }) => line).join(', ');
  const message = `${file}:${only.line}: ${key} is set ${count(found.length, 'time')}, in lines ${places}`;
  throw editError('EDIT_AMBIGUOUS', message, 'keep one of them; nothing was changed');
}
