import { RE2JS } from 're2js';
import { memoize } from '../../base/index.ts';

export interface SchemaPattern {
  test(text: string): boolean;
  /** The validator takes two patterns that are written alike for one. */
  toString(): string;
}

/** Every text matches a pattern that no engine accepts. Compiled when it is first needed: few files say what most patterns are for. */
export function tolerantPattern(pattern: string): SchemaPattern {
  return { test: (text) => compiled(pattern).test(text), toString: () => pattern };
}

const compiled = memoize(1_000, (pattern): SchemaPattern => schemaPattern(pattern) ?? { test: () => true });

/** The longest text that is tried in an engine that backtracks, after the linear one matched, and without that. */
const LONGEST_ASSERTED = 4_096;
const LONGEST_BACKTRACKED = 256;

/**
 * The schemas use Python regular expressions, where `(?i)` at the start is a flag. They run in linear time, whatever
 * the text. What that engine does not have, as `(?!…)`, is first left out, which matches more, and then checked in texts
 * that are not long. Undefined when no engine accepts the pattern.
 */
export function schemaPattern(pattern: string): SchemaPattern | undefined {
  const linear = linearPattern(pattern);
  if (linear !== undefined) return linear;
  const exact = backtracking(pattern);
  if (exact === undefined) return undefined;
  const wider = linearPattern(withoutAssertions(pattern));
  if (wider === undefined) return { test: (text) => text.length > LONGEST_BACKTRACKED || exact.test(text) };
  return { test: (text) => wider.test(text) && (text.length > LONGEST_ASSERTED || exact.test(text)) };
}

function linearPattern(pattern: string): SchemaPattern | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

function backtracking(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  try {
    return new RegExp(flags === null ? pattern : pattern.slice(flags[0].length), flags?.[1] ?? '');
  } catch {
    return undefined;
  }
}

/** An escaped character, a class, the start of an assertion, or a single character. */
const TOKEN = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|./gs;

const DEPTHS: Readonly<Record<string, number>> = { '(': 1, '(?=': 1, '(?!': 1, '(?<=': 1, '(?<!': 1, ')': -1 };
const ASSERTION = new Set(Object.keys(DEPTHS).filter((token) => token.length > 1));

function withoutAssertions(pattern: string): string {
  let kept = '';
  /** How many groups are open since the assertion began; 0 outside of one. */
  let inside = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (inside === 0 && !ASSERTION.has(token)) kept += token;
    else inside += DEPTHS[token] ?? 0;
  }
  return kept;
}
