import { isDeepStrictEqual } from 'node:util';
import { CORE_SCHEMA, YAML11_SCHEMA } from 'js-yaml';
import { isJson } from '../../base/index.ts';
import { type KeyPath, keyPathText } from '../problem.ts';
import { lineAndColumn } from '../yaml/layout.ts';
import { editError, encodeText, type Splice, spliced } from './text-edits.ts';
import { editableScalar, fileAndLine, readEdited, readYaml, type YamlText } from './yaml-document.ts';

export interface ScalarEdit {
  readonly path: KeyPath;
  /** A string; quoted if it would otherwise be read as another type. */
  readonly value: string;
}

/** A splice and the scalar that it changes. */
interface ScalarChange {
  readonly splice: Splice;
  readonly scalar: EditedScalar;
  readonly document: number;
}

/**
 * Replaces scalars of a YAML or JSON text and nothing else. Either all edits are made and parsing the result gives exactly
 * the requested values, or an error names the place and nothing is changed.
 */
export function editYaml(file: string, bytes: Uint8Array, edits: readonly ScalarEdit[]): Edited {
  const yaml = readYaml(file, bytes);
  const changes = edits.map((edit) => scalarChange(yaml, edit));
  const text = spliced(yaml.text, once(yaml, changes));
  verifyEdit(yaml, text, (models) =>
    changes.every((change) => isIn(models, change)) ? changes.reduce(withChange, models) : undefined,
  );
  return { bytes: encodeText(text, yaml.text, bytes), scalars: changes.map(({ scalar }) => scalar) };
}

/** The scalars that edits of these paths would replace, as they are written now. Throws what the edits would. */
export function readScalars(file: string, bytes: Uint8Array, paths: readonly KeyPath[]): readonly FoundScalar[] {
  const yaml = readYaml(file, bytes);
  return paths.map((path) => {
    const { node } = editableScalar(yaml, path);
    return { line: lineAndColumn(yaml.text, node.start).line, old: node.text };
  });
}

/** A scalar that may be replaced. */
export interface FoundScalar {
  /** One-based. */
  readonly line: number;
  readonly old: string;
}

export function scalarChange(yaml: YamlText, { path, value }: ScalarEdit): ScalarChange {
  const { document, node } = editableScalar(yaml, path);
  const quotes: Quotes = node.style === 'block' ? 'single' : node.style;
  const written = isAlready(yaml, document, path, value)
    ? yaml.text.slice(node.start, node.end)
    : scalarText(value, quotes, { inFlow: node.inFlow, json: yaml.json });
  return {
    splice: { start: node.start, end: node.end, text: written },
    scalar: { path, line: lineAndColumn(yaml.text, node.start).line, old: node.text, value },
    document,
  };
}

/** Whether every reader already reads this string. */
function isAlready({ models }: YamlText, document: number, path: KeyPath, value: string): boolean {
  const readings = [models.yaml11, ...(models.yaml12 === undefined ? [] : [models.yaml12])];
  return readings.every((documents) => valueAtPath(documents[document], path) === value);
}

/** The same place may be given twice with the same value. */
function once(yaml: YamlText, changes: readonly ScalarChange[]): Splice[] {
  const byStart = new Map<number, ScalarChange>();
  for (const change of changes) {
    const known = byStart.get(change.splice.start);
    if (known !== undefined && known.scalar.value !== change.scalar.value) {
      const place = fileAndLine(yaml, change.splice.start);
      const message = `${place}: ${keyPathText(change.scalar.path)} would be set to both ${known.scalar.value} and ${change.scalar.value}`;
      throw editError('EDIT_CONFLICT', message, 'set it to one value; nothing was changed');
    }
    byStart.set(change.splice.start, change);
  }
  return [...byStart.values()].map(({ splice }) => splice);
}

type Models = readonly unknown[];

/**
 * Parses the new text as YAML 1.1 and 1.2 and compares it with the expected result. `expected` may return undefined for
 * YAML 1.2, where a key such as `on` has another name.
 */
export function verifyEdit(before: YamlText, text: string, expected: (models: Models) => Models | undefined): YamlText {
  const after = readEdited(before, text);
  const [old11, old12] = [before.models.yaml11, before.models.yaml12];
  const wanted12 = old12 === undefined ? undefined : expected(old12);
  const is11 = isDeepStrictEqual(after.models.yaml11, expected(old11));
  if (is11 && (wanted12 === undefined || isDeepStrictEqual(after.models.yaml12, wanted12))) return after;
  const hint = 'edit the file by hand and report this; nothing was changed';
  throw editError('EDIT_UNVERIFIED', `${before.file} would change more than requested`, hint);
}

function isIn(models: Models, { document, scalar }: ScalarChange): boolean {
  return valueAtPath(models[document], scalar.path) !== undefined;
}

function withChange(models: Models, { document, scalar }: ScalarChange): Models {
  return models.with(document, withValue(models[document], scalar.path, scalar.value));
}

/** A copy of a model with another value at a path; aliases of the old value keep it. */
export function withValue(model: unknown, path: KeyPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number' && Array.isArray(model)) return model.with(step, withValue(model[step], rest, value));
  if (typeof step === 'string' && isJson(model)) return { ...model, [step]: withValue(model[step], rest, value) };
  return model;
}

export function valueAtPath(model: unknown, path: KeyPath): unknown {
  let value = model;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJson(value) ? value[String(step)] : undefined;
  }
  return value;
}

export interface EditedScalar extends FoundScalar {
  readonly path: KeyPath;
  readonly value: string;
}

export interface Edited {
  /** The same object as the input if nothing changes. */
  readonly bytes: Uint8Array;
  /** One per edit, in order, also if the value was already set. */
  readonly scalars: readonly EditedScalar[];
}

/** How a scalar is written: plain, or in single or double quotes. */
export type Quotes = 'plain' | 'single' | 'double';

const TEXT = 'tag:yaml.org,2002:str';

/** Words that some YAML 1.1 reader does not read as a string, case-insensitive. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|~|[-+]?\.inf|\.nan|=|<<)$/i;
/** Numbers of YAML 1.1 and 1.2, and some that only look like one. */
const NUMBERS = [
  /^[-+]?[\d_.:]+(?:e[-+]?\d+)?$/i,
  /^[-+]?0b[01_]+$/i,
  /^[-+]?0o[0-7_]+$/i,
  /^[-+]?0x[\da-f_]+$/i,
  /^\d{4}-\d\d?-\d\d?(?:$|[Tt\s])/,
];

/** Whether YAML 1.1 and 1.2 both read an unquoted scalar of this text as this text. */
function isText(value: string): boolean {
  if (WORDS.test(value) || NUMBERS.some((pattern) => pattern.test(value))) return false;
  return [YAML11_SCHEMA, CORE_SCHEMA].every((schema) => schema.resolveImplicitScalarTag(value).tag.tagName === TEXT);
}

/** Characters that start something other than a plain scalar; `-`, `?` and `:` only before a space, but they are quoted for clarity. */
const LEADING_INDICATOR = /^[-?:,[\]{}#&*!|>'"%@`]/;
const ENDS_PLAIN = /:(?:\s|$)|\s#|^\s|\s$|^\.\.\.(?:\s|$)/;
/** Inside brackets and braces; older readers also stop at a colon or question mark without a space. */
const ENDS_PLAIN_IN_FLOW = /[,[\]{}:?]/;

/** Whether every reader reads the unquoted value as the same string. */
function isPlainSafe(value: string, inFlow: boolean): boolean {
  if (value === '' || !isPrintable(value) || value.includes('\t')) return false;
  if (LEADING_INDICATOR.test(value) || ENDS_PLAIN.test(value)) return false;
  return isText(value) && !(inFlow && ENDS_PLAIN_IN_FLOW.test(value));
}

/** Characters that must be escaped, including YAML 1.1 line breaks and byte order marks. */
const UNPRINTABLE = /[^\t\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

function isPrintable(value: string): boolean {
  return !UNPRINTABLE.test(value);
}

/** The value as a scalar in the existing quotes, or in the quotes that it needs. */
export function scalarText(
  value: string,
  quotes: Quotes,
  where: { readonly inFlow: boolean; readonly json?: boolean },
) {
  if (!value.isWellFormed()) {
    const hint = 'use a valid Unicode value; nothing was changed';
    throw editError('EDIT_VALUE', 'the value contains an unpaired surrogate, which is not valid UTF-8', hint);
  }
  if (where.json || quotes === 'double' || !isPrintable(value)) return doubleQuoted(value);
  if (quotes === 'plain' && isPlainSafe(value, where.inFlow)) return value;
  return `'${value.replaceAll("'", "''")}'`;
}

/** Uses only escapes that are also valid JSON. */
function doubleQuoted(value: string): string {
  const escaped = [...JSON.stringify(value)].map((char) => (UNPRINTABLE.test(char) ? unicodeEscape(char) : char));
  return escaped.join('');
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
