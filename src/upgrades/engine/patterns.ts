import { RE2JS } from 're2js';
import { memoize, messageOf } from '../../base/index.ts';

/** Longer ones are refused; a block names versions. */
export const MAX_PATTERN_LENGTH = 500;
const MAX_KNOWN = 1_000;

type Compiled = { readonly regex: RE2JS } | { readonly fault: string };

/** Patterns come from anybody who may label a cluster, so they run on an engine whose time is linear. */
const compile = memoize(MAX_KNOWN, (pattern): Compiled => {
  if (pattern.length > MAX_PATTERN_LENGTH) return { fault: `it is longer than ${MAX_PATTERN_LENGTH} characters` };
  try {
    return { regex: RE2JS.compile(pattern) };
  } catch (thrown) {
    return { fault: messageOf(thrown).replace(/^error parsing regexp: /, '') };
  }
});

/** What is wrong with a pattern of RE2, or nothing. */
export function patternFault(pattern: string): string | undefined {
  const compiled = compile(pattern);
  return 'fault' in compiled ? compiled.fault : undefined;
}

export type Block = { readonly pattern: string } | { readonly pattern: string; readonly fault: string };

/**
 * The first pattern that is found anywhere in the version (unanchored, so the empty one is found in all), or the first
 * that is no pattern: a list that cannot be read blocks.
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
