import { didYouMean } from '../base/index.ts';

/** Names that a mistyped one is compared with: those of a map, or a set. */
export type Candidates = ReadonlyMap<string, unknown> | ReadonlySet<string>;

/** `did you mean a, b?`, or the fallback. */
export type Suggest = (name: string, candidates: Candidates, otherwise: string) => string;

/**
 * Comparing a name with every file of an instance takes a millisecond, and a renamed file breaks thousands of references.
 * So each name is looked up once, and names beyond these get the fallback.
 */
const MOST_LOOKUPS = 100;

/** Suggestions of one run over an instance, whose candidates do not change meanwhile. */
export function suggestions(): Suggest {
  const known = new Map<Candidates, Map<string, string>>();
  let lookups = 0;
  return (name, candidates, otherwise) => {
    const hints = known.get(candidates) ?? new Map<string, string>();
    known.set(candidates, hints);
    const hint = hints.get(name);
    if (hint !== undefined) return hint;
    if (lookups >= MOST_LOOKUPS) return otherwise;
    lookups += 1;
    const found = didYouMean(name, candidates.keys(), otherwise);
    hints.set(name, found);
    return found;
  };
}
