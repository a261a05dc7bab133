import { distance } from 'fastest-levenshtein';
import { EchelonError } from '../errors.ts';
import { byText } from './text.ts';

const MOST = 3;
/** Multiple of the best distance: next to a candidate one edit away, one that is six edits away is noise. */
const FARTHEST = 2;

/** No one mistypes a longer name, and comparing two names takes the product of their lengths. */
const LONGEST_NAME = 256;

/** The candidates closest to a mistyped name, best first; empty when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string[] {
  if (name.length > LONGEST_NAME) return [];
  const wanted = name.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const close = [...new Set(candidates)]
    .map((candidate) => ({ candidate, far: closeness(wanted, candidate.toLowerCase(), limit) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far || byText(a.candidate, b.candidate));
  return close
    .filter(({ far }) => far <= FARTHEST * (close[0]?.far ?? 0))
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/** A name that only lacks a prefix or suffix has distance 1, however long the missing part; infinite above the limit. */
function closeness(wanted: string, candidate: string, limit: number): number {
  if (wanted === candidate) return 0;
  const contains = wanted.length >= 3 && (candidate.startsWith(wanted) || candidate.endsWith(wanted));
  if (contains) return 1;
  const isFar = Math.abs(wanted.length - candidate.length) > limit;
  return isFar ? Number.POSITIVE_INFINITY : distance(wanted, candidate);
}

/** `did you mean a, b?`, or the fallback when nothing is close. */
export function didYouMean(name: string, candidates: Iterable<string>, otherwise: string): string {
  const close = nearest(name, candidates);
  return close.length === 0 ? otherwise : `did you mean ${close.join(' or ')}?`;
}

/** The valid names: keys of a map, or a set. */
export type Candidates = ReadonlyMap<string, unknown> | ReadonlySet<string>;

/** `did you mean a, b?`, or the fallback. */
export type Suggest = (name: string, candidates: Candidates, otherwise: string) => string;

/**
 * Comparing a name with every file of an instance takes a millisecond, and a renamed file breaks thousands of references:
 * each name is compared once, and names beyond this number get the fallback.
 */
const MOST_LOOKUPS = 100;

/** Suggestions of one run over an instance, whose candidates do not change meanwhile. */
export function suggestions(): Suggest {
  const cached = new Map<Candidates, Map<string, string>>();
  let lookups = 0;
  return (name, candidates, otherwise) => {
    const hints = cached.get(candidates) ?? new Map<string, string>();
    cached.set(candidates, hints);
    const hint = hints.get(name);
    if (hint !== undefined) return hint;
    if (lookups >= MOST_LOOKUPS) return otherwise;
    lookups += 1;
    const found = didYouMean(name, candidates.keys(), otherwise);
    hints.set(name, found);
    return found;
  };
}

/** A mistyped name is an error with suggestions, or with the command that lists all, not an empty list. */
export function requireNames(
  what: string,
  names: readonly string[] | undefined,
  known: readonly string[],
  see = `${what}s`,
): void {
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    throw new EchelonError({
      code: `${what.toUpperCase()}_UNKNOWN`,
      message: `no ${what} ${name} in this instance`,
      hint: didYouMean(name, known, `list them with: echelon get ${see}`),
    });
  }
}

/** Whether a name passes an optional filter. */
export function passes(filter: readonly string[] | undefined, name: string): boolean {
  return filter === undefined || filter.length === 0 || filter.includes(name);
}

/** Whether a name matches one of the patterns, in which `*` stands for any text. Linear in the length of the name. */
export function namesMatching(patterns: readonly string[] | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const literals = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const open = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (name) => literals.has(name) || open.some((parts) => matches(name, parts));
}

/** The first part is how the name begins, the last how it ends; the others come in between, in this order. */
function matches(name: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
