import { CORE_SCHEMA, YAML11_SCHEMA } from 'js-yaml';
import { editError } from './text-file.ts';

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
