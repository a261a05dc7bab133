import { RE2JS } from 're2js';
import { memoize, messageOf } from '../../base/index.ts';

/** Longer patterns are refused: a block only names versions. */
export const MAX_PATTERN_LENGTH = 500;
const MAX_KNOWN = 1_000;

type Compiled = { readonly regex: RE2JS } | { readonly fault: string };

/** Patterns come from anyone who may label a cluster, so they run on an engine with linear time. */
const compile = memoize(MAX_KNOWN, (pattern): Compiled => {
  if (pattern.length > MAX_PATTERN_LENGTH) return { fault: `it is longer than ${MAX_PATTERN_LENGTH} characters` };
  try {
    return { regex: RE2JS.compile(pattern) };
  } catch (thrown) {
    return { fault: messageOf(thrown).replace(/^error parsing regexp: /, '') };
  }
});

/** Why a text is not a valid RE2 pattern; undefined for a valid one. */
export function patternFault(pattern: string): string | undefined {
  const compiled = compile(pattern);
  return 'fault' in compiled ? compiled.fault : undefined;
}

type Block = { readonly pattern: string } | { readonly pattern: string; readonly fault: string };

/**
 * The first pattern that matches anywhere in the version (unanchored, so the empty one matches all), or the first that is
 * not valid: a list that cannot be read blocks.
 */
export function findBlock(patterns: readonly string[], version: string): Block | undefined {
  let found: Block | undefined;
  for (const pattern of patterns) {
    const compiled = compile(pattern);
    if ('fault' in compiled) return { pattern, fault: compiled.fault };
    if (found === undefined && compiled.regex.test(version)) found = { pattern };
  }
  return found;
}
