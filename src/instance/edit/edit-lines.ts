import { count, didYouMean } from '../../base/index.ts';
import { type Edited, type EditedScalar, type FoundScalar, type Quotes, scalarText } from './edit-yaml.ts';
import { decodeText, editError, encodeText, type Splice, spliced } from './text-edits.ts';

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

/** The values of the lines of a key, as `editLines` would replace them; throws for one that it would refuse. */
export function readLines(file: string, bytes: Uint8Array, key: string): readonly FoundScalar[] {
  return linesOf(decodeText(file, bytes))
    .filter((line) => line.key === key)
    .map((found) => ({ line: found.line, old: writtenValue(file, found).old }));
}

/** The value of the only line that sets a variable; throws if there is none, or more than one. */
export function readVariable(file: string, bytes: Uint8Array, key: string): FoundScalar {
  const { line, value } = onlyLine(file, decodeText(file, bytes), key);
  return { line, old: quotedValue(value).old };
}

/**
 * Replaces the values of `key: value` lines in a text that is not YAML, such as a template, and nothing else. Each key must
 * occur exactly as often as expected; with a line, only the value in that one is replaced. Quotes and comments stay; an unquoted value gets quotes if YAML needs them.
 */
export function editLines(
  file: string,
  bytes: Uint8Array,
  edits: readonly {
    readonly key: string;
    readonly value: string;
    readonly matches: number;
    /** One-based. */
    readonly line?: number;
  }[],
): Edited {
  const text = decodeText(file, bytes);
  const lines = linesOf(text);
  const splices = new Map<number, Splice>();
  const scalars: EditedScalar[] = [];
  for (const { key, value, matches, line } of edits) {
    const all = exactly(file, lines, key, matches);
    for (const found of line === undefined ? all : all.filter((each) => each.line === line)) {
      const { splice, old } = replacement(file, found, value);
      if (splices.has(splice.start) && splices.get(splice.start)?.text !== splice.text) {
        const message = `${file}:${found.line}: ${key} would be set to two values`;
        throw editError('EDIT_CONFLICT', message, 'set it to one value; nothing was changed');
      }
      splices.set(splice.start, splice);
      scalars.push({ path: [key], line: found.line, old, value });
    }
  }
  return { bytes: encodeText(spliced(text, [...splices.values()]), text, bytes), scalars };
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

function replacement(file: string, found: Line, value: string): { splice: Splice; old: string } {
  const { written, quotes, old } = writtenValue(file, found);
  const text = old === value && quotes !== 'plain' ? written : scalarText(value, quotes, { inFlow: false });
  return { splice: { start: found.start, end: found.start + written.length, text }, old };
}

function writtenValue(file: string, { key, rest, line }: Line): { written: string; quotes: Quotes; old: string } {
  const quoted = QUOTED.exec(rest)?.[0];
  const written = quoted ?? rest.replace(/(?:^|\s+)#.*$/, '').trimEnd();
  const why = unfitness(written, quoted, rest.slice(written.length));
  if (why !== undefined) {
    const message = `${file}:${line}: the value of ${key} ${why}`;
    throw editError('EDIT_REFUSED', message, 'write a value there, or edit it by hand; nothing was changed');
  }
  const quotes: Quotes = quoted === undefined ? 'plain' : quoted.startsWith("'") ? 'single' : 'double';
  return { written, quotes, old: unquoted(written, quotes) };
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

const ENV_LINE = /^(?:export )?([A-Za-z_][A-Za-z0-9_]*)=([^\r\n]*)/gm;
/** A shell and make both read the file, and quotes would reach make. */
const UNSAFE = /[^A-Za-z0-9_.,:/@%+=~-]/;

interface EnvLine {
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
  const text = decodeText(file, bytes);
  const splices = new Map<number, Splice>();
  const scalars = edits.map(({ key, value }): EditedScalar => {
    const found = onlyLine(file, text, key);
    if (UNSAFE.test(value) || value === '') {
      const hint = 'use letters, digits and . , : / @ % + = ~ _ - only; nothing was changed';
      throw editError('EDIT_VALUE', `${file}:${found.line}: ${key} cannot be set to ${JSON.stringify(value)}`, hint);
    }
    const { quote, old } = quotedValue(found.value);
    if (splices.has(found.start) && splices.get(found.start)?.text !== value) {
      const message = `${file}:${found.line}: ${key} would be set to two values`;
      throw editError('EDIT_CONFLICT', message, 'set it to one value; nothing was changed');
    }
    const start = found.start + quote.length;
    splices.set(found.start, { start, end: start + old.length, text: value });
    return { path: [key], line: found.line, old, value };
  });
  return { bytes: encodeText(spliced(text, [...splices.values()]), text, bytes), scalars };
}

function quotedValue(value: string): { quote: string; old: string } {
  const [, quote = '', old = ''] = /^(["']?)(.*)\1$/.exec(value) ?? [];
  return { quote, old };
}

/** A trailing comment is not part of the value. */
function envLinesOf(text: string): EnvLine[] {
  const body = text.startsWith('\ufeff') ? 1 : 0;
  return [...text.slice(body).matchAll(ENV_LINE)].map(({ 0: whole, 1: key = '', 2: rest = '', index }) => ({
    key,
    value: rest.replace(/\s+#.*$/, '').trimEnd(),
    start: body + index + whole.length - rest.length,
    line: text.slice(0, body + index).split('\n').length,
  }));
}

function onlyLine(file: string, text: string, key: string): EnvLine {
  const lines = envLinesOf(text);
  const found = lines.filter((line) => line.key === key);
  const [only] = found;
  if (only === undefined) {
    const candidates = lines.map((line) => line.key);
    const hint = didYouMean(key, candidates, `add a line export ${key}=… first; nothing was changed`);
    throw editError('EDIT_NOT_FOUND', `${file} has no line that sets ${key}`, hint);
  }
  const all = [...new Set([...found.map(({ line }) => line), ...assignmentsOf(text, key)])].toSorted((a, b) => a - b);
  if (found.length === 1 && all.length === 1) return only;
  const message = `${file}:${only.line}: ${key} is set ${count(Math.max(found.length, all.length), 'time')}, in lines ${all.join(', ')}`;
  throw editError('EDIT_AMBIGUOUS', message, 'keep one of them; nothing was changed');
}

/** Lines that a shell may read as an assignment, in whatever form: indented, quoted, after another one. */
function assignmentsOf(text: string, key: string): number[] {
  const assigns = new RegExp(`(?:^|[\\s;&|"'(])${key}\\+?=`);
  return text
    .split('\n')
    .flatMap((line, at) => (!/^\s*#/.test(line) && assigns.test(line.replace(/^\ufeff/, '')) ? [at + 1] : []));
}
