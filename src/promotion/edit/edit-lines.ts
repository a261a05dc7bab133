import { count, didYouMean } from '../../base/index.ts';
import type { Edited, EditedScalar } from './edited.ts';
import { type Quotes, scalarText } from './quoting.ts';
import { decode, editError, encode, type Splice, spliced } from './text-file.ts';

/** `key: value` with any indentation; the rest of the line is the value with its comment. */
const LINE = /^[ \t]*(?:- )?[ \t]*(["']?)([^\s"'#:][^"'\r\n:]*?)\1[ \t]*:[ \t]*([^\r\n]*)$/gm;
const QUOTED = /^(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")/;
const TEMPLATE = /\{[{%]/;

interface Line {
  readonly key: string;
  readonly rest: string;
  readonly start: number;
  readonly line: number;
}

/**
 * Replaces the values of `key: value` lines in a text that is not YAML, such as a template, and nothing else. Each key must
 * occur exactly as often as expected. Quotes and comments stay; an unquoted value gets quotes if YAML needs them.
 */
export function editLines(
  file: string,
  bytes: Uint8Array,
  edits: readonly { readonly key: string; readonly value: string; readonly matches: number }[],
): Edited {
  const text = decode(file, bytes);
  const lines = linesOf(text);
  const splices = new Map<number, Splice>();
  const scalars: EditedScalar[] = [];
  for (const { key, value, matches } of edits) {
    for (const found of exactly(file, lines, key, matches)) {
      const { splice, old } = replacement(file, found, value);
      if (splices.has(splice.start) && splices.get(splice.start)?.text !== splice.text) {
        const message = `${file}:${found.line}: ${key} would be set to two values`;
        throw editError('EDIT_CONFLICT', message, 'set it to one value; nothing was changed');
      }
      splices.set(splice.start, splice);
      scalars.push({ path: [key], line: found.line, old, value });
    }
  }
  return { bytes: encode(spliced(text, [...splices.values()]), text, bytes), scalars };
}

function linesOf(text: string): Line[] {
  const body = text.startsWith('\ufeff') ? 1 : 0;
  return [...text.slice(body).matchAll(LINE)].map(({ 0: whole, 2: key = '', 3: rest = '', index }) => ({
    key,
    rest,
    start: body + index + whole.length - rest.length,
    line: text.slice(0, body + index).split('\n').length,
  }));
}

function exactly(file: string, lines: readonly Line[], key: string, matches: number): Line[] {
  const found = lines.filter((line) => line.key === key);
  if (found.length === matches && matches > 0) return found;
  if (found.length === 0) {
    const candidates = lines.map((line) => line.key);
    const hint = didYouMean(key, candidates, 'check the key; nothing was changed');
    throw editError('EDIT_NOT_FOUND', `${file} has no line ${key}: …`, hint);
  }
  const places = found.map(({ line }) => line).join(', ');
  const message = `${file}:${found[0]?.line}: ${key} occurs ${count(found.length, 'time')} (lines ${places}), expected ${matches}`;
  throw editError('EDIT_AMBIGUOUS', message, 'fix the file or the number of matches; nothing was changed');
}

function replacement(file: string, { key, rest, start, line }: Line, value: string): { splice: Splice; old: string } {
  const quoted = QUOTED.exec(rest)?.[0];
  const written = quoted ?? rest.replace(/(?:^|\s+)#.*$/, '').trimEnd();
  const why = unfitness(written, quoted, rest.slice(written.length));
  if (why !== undefined) {
    const message = `${file}:${line}: the value of ${key} ${why}`;
    throw editError('EDIT_REFUSED', message, 'write a value there, or edit it by hand; nothing was changed');
  }
  const quotes: Quotes = quoted === undefined ? 'plain' : quoted.startsWith("'") ? 'single' : 'double';
  const old = unquoted(written, quotes);
  const text = old === value && quotes !== 'plain' ? written : scalarText(value, quotes, { inFlow: false });
  return { splice: { start, end: start + written.length, text }, old };
}

/** A computed or multi-line value is not replaced. */
function unfitness(written: string, quoted: string | undefined, behind: string): string | undefined {
  if (written === '') return 'is empty';
  if (TEMPLATE.test(written)) return 'is a template expression';
  if (!/^\s*(?:$|(?<=\s)#)/.test(behind) || (quoted === undefined && /^["'[{&*!|>]/.test(written)))
    return 'is not a scalar on one line';
  return undefined;
}

function unquoted(written: string, quotes: Quotes): string {
  if (quotes === 'plain') return written;
  const inner = written.slice(1, -1);
  return quotes === 'single' ? inner.replaceAll("''", "'") : inner.replaceAll(/\\(["\\/])/g, '$1');
}
