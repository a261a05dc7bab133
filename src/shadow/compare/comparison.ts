/**
 * `same`: both would do the same. `different`: they would not. `noise`: they differ only where the baseline differs from
 * itself. `inconclusive`: it is not known, because a run failed, was cut short or reported an error.
 */
export type ShadowResult = 'same' | 'different' | 'noise' | 'inconclusive';

/** A normalised message, and how often it occurs. */
export interface CountedLine {
  readonly text: string;
  readonly count: number;
}

/** What one run reported and the other did not, ordered by text. */
export interface LineDifference {
  readonly onlyInBaseline: readonly CountedLine[];
  readonly onlyInCandidate: readonly CountedLine[];
}

/** How many lines of a log are in each class; together they are all its lines. */
export interface LineTally {
  /** Reported by the other run too. */
  readonly common: number;
  /** Not reported by the other run. */
  readonly different: number;
  /** Different, and different between runs of the baseline too. */
  readonly noise: number;
  /** Exact repetitions that were collapsed. */
  readonly repeated: number;
  /** Not compared: empty lines, debug messages, and what the rules declare to be no action. */
  readonly ignored: number;
}

/** The comparison of two dry runs of a shard. */
export interface ShadowComparison {
  readonly result: ShadowResult;
  /** Why it is inconclusive, one clause each. */
  readonly reasons: readonly string[];
  readonly actions: LineDifference & { readonly noise: readonly CountedLine[]; readonly common: number };
  readonly warnings: LineDifference;
  readonly errors: LineDifference;
  readonly exitCodes: { readonly baseline: number | null; readonly candidate: number | null };
  /** SHA-256 of the actions that differ: what a user accepts who accepts them. */
  readonly digest: string;
  readonly lines: { readonly baseline: LineTally; readonly candidate: LineTally };
  /** What a reviewer should know, one sentence each. */
  readonly notes: readonly string[];
}
