import { type Literal, SearchFault, type Token, tokens } from './lexer.ts';

/** A value in a condition. */
export type Value =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'literal'; readonly literal: Literal }
  | { readonly is: 'math'; readonly sign: string; readonly left: Value; readonly right: Value };

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A condition on a row. */
export type Condition =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly is: 'not'; readonly part: Condition }
  | { readonly is: 'compare'; readonly sign: Comparison; readonly left: Value; readonly right: Value }
  | { readonly is: 'like'; readonly value: Value; readonly pattern: string; readonly foldCase: boolean }
  | { readonly is: 'null'; readonly value: Value }
  | { readonly is: 'between'; readonly value: Value; readonly low: Literal; readonly high: Literal }
  | { readonly is: 'in'; readonly value: Value; readonly list: readonly Literal[] };

const MAX_SEARCH_LENGTH = 256 * 1024;
/** Maximum nesting of parentheses and `not`, to protect the stack. */
const MAX_DEPTH = 100;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

type Operand = { readonly condition: Condition } | { readonly value: Value };

/** The condition of a search; undefined for a blank one. Throws `SearchFault` when it is malformed. */
export function parseSearch(search: string): Condition | undefined {
  if (search.trim() === '') return undefined;
  if (search.length > MAX_SEARCH_LENGTH) throw new SearchFault('it is too long');
  const reader = new Reader(tokens(search));
  const condition = conditionIn(disjunction(reader, 0));
  if (!reader.atEnd()) throw new SearchFault('unexpected text at the end');
  return condition;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(all: readonly Token[]) {
    this.#tokens = all;
  }

  atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** The next token, which must be one. */
  take(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new SearchFault('unexpected end');
    this.#at += 1;
    return token;
  }

  /** Takes the word when it is next. */
  word(word: string): boolean {
    const token = this.#tokens[this.#at];
    const found = token?.is === 'word' && token.word === word;
    if (found) this.#at += 1;
    return found;
  }

  /** Takes the sign that is next when it is one of these. */
  sign(...signs: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.is !== 'sign' || !signs.includes(token.sign)) return undefined;
    this.#at += 1;
    return token.sign;
  }

  need(sign: string): void {
    if (this.sign(sign) === undefined) throw new SearchFault(`${sign} is missing`);
  }
}

function disjunction(reader: Reader, depth: number): Operand {
  return chain(reader, 'or', () => chain(reader, 'and', () => negation(reader, depth)));
}

function chain(reader: Reader, word: 'and' | 'or', part: () => Operand): Operand {
  const first = part();
  if (!reader.word(word)) return first;
  const parts = [conditionIn(first)];
  do parts.push(conditionIn(part()));
  while (reader.word(word));
  return { condition: { is: word, parts } };
}

function negation(reader: Reader, depth: number): Operand {
  if (depth > MAX_DEPTH) throw new SearchFault('it is nested too deeply');
  if (!reader.word('not')) return comparison(reader, depth);
  return { condition: { is: 'not', part: conditionIn(negation(reader, depth + 1)) } };
}

function comparison(reader: Reader, depth: number): Operand {
  const left = sum(reader, depth);
  if ('condition' in left) return left;
  const sign = reader.sign(...Object.keys(COMPARISONS));
  if (sign !== undefined) {
    const right = valueIn(sum(reader, depth));
    return condition({ is: 'compare', sign: COMPARISONS[sign] ?? '=', left: asked(left.value), right });
  }
  if (reader.word('is')) return isTest(reader, asked(left.value));
  const negated = reader.word('not');
  const test = wordTest(reader, left.value);
  if (test !== undefined) return condition(negated ? { is: 'not', part: test } : test);
  if (negated) throw new SearchFault('not must be followed by like, ilike, in or between');
  return left;
}

function wordTest(reader: Reader, value: Value): Condition | undefined {
  for (const word of ['like', 'ilike'] as const) {
    if (reader.word(word))
      return { is: 'like', value: asked(value), pattern: text(reader), foldCase: word === 'ilike' };
  }
  if (reader.word('in')) return { is: 'in', value: asked(value), list: list(reader) };
  if (!reader.word('between')) return undefined;
  const low = literal(reader);
  if (!reader.word('and')) throw new SearchFault('between requires and');
  return { is: 'between', value: asked(value), low, high: literal(reader) };
}

/** `is null`, and `is 'x'`, which means the same as `= 'x'`. */
function isTest(reader: Reader, value: Value): Operand {
  const negated = reader.word('not');
  const test: Condition = reader.word('null')
    ? { is: 'null', value }
    : { is: 'compare', sign: '=', left: value, right: { is: 'literal', literal: literal(reader) } };
  return condition(negated ? { is: 'not', part: test } : test);
}

function sum(reader: Reader, depth: number): Operand {
  return arithmetic(reader, ['+', '-'], () => arithmetic(reader, ['*', '/', '%'], () => primary(reader, depth)));
}

function arithmetic(reader: Reader, signs: readonly string[], part: () => Operand): Operand {
  let left = part();
  for (let sign = reader.sign(...signs); sign !== undefined; sign = reader.sign(...signs)) {
    left = { value: { is: 'math', sign, left: valueIn(left), right: valueIn(part()) } };
  }
  return left;
}

/** Parentheses contain a condition or a value. */
function primary(reader: Reader, depth: number): Operand {
  if (reader.sign('(') !== undefined) {
    const inside = disjunction(reader, depth + 1);
    reader.need(')');
    return inside;
  }
  if (reader.sign('-') !== undefined) return { value: { is: 'literal', literal: negative(literal(reader)) } };
  reader.sign('+');
  const token = reader.take();
  if (token.is === 'name') return { value: { is: 'field', name: token.name } };
  if (token.is === 'literal') return { value: { is: 'literal', literal: token.literal } };
  throw new SearchFault('a name or a value is missing');
}

function list(reader: Reader): Literal[] {
  reader.need('(');
  const items: Literal[] = [];
  if (reader.sign(')') !== undefined) return items;
  do items.push(literal(reader));
  while (reader.sign(',') !== undefined);
  reader.need(')');
  return items;
}

function literal(reader: Reader): Literal {
  const sign = reader.sign('-', '+');
  const token = reader.take();
  if (token.is !== 'literal') throw new SearchFault('a value is missing');
  return sign === '-' ? negative(token.literal) : token.literal;
}

function negative(value: Literal): Literal {
  if (value.type !== 'number') throw new SearchFault('only a number can be negative');
  return { type: 'number', value: -value.value };
}

function text(reader: Reader): string {
  const value = literal(reader);
  if (value.type !== 'text') throw new SearchFault('like requires text');
  return value.value;
}

/** A comparison must contain a field; `'a' = 'a'` is not a search. */
function asked(value: Value): Value {
  if (value.is === 'literal') throw new SearchFault('the left side must be a field');
  return value;
}

function condition(found: Condition): Operand {
  return { condition: found };
}

function conditionIn(operand: Operand): Condition {
  if ('condition' in operand) return operand.condition;
  throw new SearchFault('expected a condition, found a value');
}

function valueIn(operand: Operand): Value {
  if ('value' in operand) return operand.value;
  throw new SearchFault('expected a value, found a condition');
}
