import { parseInstant } from '../instants.ts';

export type Literal =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'time'; readonly value: number };

export type Token =
  | { readonly is: 'literal'; readonly literal: Literal }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'word'; readonly word: string }
  | { readonly is: 'sign'; readonly sign: string };

/** An invalid search. */
export class SearchFault extends Error {}

const WORDS = new Set(['and', 'or', 'not', 'like', 'ilike', 'is', 'null', 'between', 'in']);

const SPACE = /\s+/y;
const TEXT = /'(?:[^']|'')*'/y;
const QUOTED_NAME = /"([^"]+)"|`([^`]+)`|\[([^\]]+)\]/y;
const TIME = /\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?(?![\w.])/y;
const NUMBER = /(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|Pi|K|M|G|T|P)?(?![\w.])/y;
const NAME = /[A-Za-z_][A-Za-z_./0-9]*/y;
const SIGN = /<=|>=|<>|!=|~=|~!|[=<>()+\-*/%,]/y;

const UNITS: Readonly<Record<string, number>> = {
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

type Rule = readonly [RegExp, (match: RegExpExecArray) => Token | undefined];

const RULES: readonly Rule[] = [
  [SPACE, () => undefined],
  [TEXT, ([text]) => literal({ type: 'text', value: text.slice(1, -1).replaceAll("''", "'") })],
  [QUOTED_NAME, ([, double, back, square]) => ({ is: 'name', name: double ?? back ?? square ?? '' })],
  [TIME, ([text]) => literal({ type: 'time', value: instantOf(text) })],
  [NUMBER, ([, digits, unit]) => literal({ type: 'number', value: Number(digits) * (UNITS[unit ?? ''] ?? 1) })],
  [NAME, ([text]) => nameOrWord(text)],
  [SIGN, ([sign]) => ({ is: 'sign', sign })],
];

/** The tokens of a search; throws `SearchFault` at the first invalid character. */
export function tokens(search: string): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < search.length; ) {
    const { length, token } = nextToken(search, at);
    if (token !== undefined) found.push(token);
    at += length;
  }
  return found;
}

function nextToken(search: string, at: number): { length: number; token: Token | undefined } {
  for (const [pattern, build] of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(search);
    if (match !== null) return { length: match[0].length, token: build(match) };
  }
  throw new SearchFault(`unexpected ${search.slice(at, at + 10)}`);
}

function literal(value: Literal): Token {
  return { is: 'literal', literal: value };
}

function nameOrWord(text: string): Token {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return literal({ type: 'boolean', value: lower === 'true' });
  return WORDS.has(lower) ? { is: 'word', word: lower } : { is: 'name', name: text };
}

function instantOf(text: string): number {
  const at = parseInstant(text);
  if (at === undefined) throw new SearchFault(`${text} is not a valid date`);
  return at;
}
