import { inTurns } from '../../base/index.ts';
import { compareSteps } from '../compare/compare.ts';
import type { ShadowComparison } from '../compare/comparison.ts';
import type { ReadingRules } from '../read/classify.ts';
import type { ShadowOutput, ShadowRun, ShadowRunner } from '../run.ts';

/** The dry runs of one shard. */
export interface ShadowPair {
  readonly baseline: ShadowRun;
  readonly candidate: ShadowRun;
  /** Runs of the baseline before these, to see how it differs from itself. */
  readonly repetitions: readonly ShadowRun[];
}

export interface PairOptions {
  readonly rules: ReadingRules;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ComparedPair {
  readonly comparison: ShadowComparison;
  readonly baseline: ShadowOutput;
  readonly candidate: ShadowOutput;
}

/** Runs the repetitions, then both images at the same time, and compares what they report. */
export async function comparePair(
  runner: ShadowRunner,
  { baseline, candidate, repetitions }: ShadowPair,
  { rules, timeoutMs, signal }: PairOptions,
): Promise<ComparedPair> {
  const start = (run: ShadowRun): Promise<ShadowOutput> => runner.start(run, { timeoutMs, signal });
  const earlier = await Promise.all(repetitions.map(start));
  const [before, after] = await Promise.all([start(baseline), start(candidate)]);
  const outputs = { baseline: before, candidate: after, repetitions: earlier };
  const comparison = await inTurns(compareSteps(outputs, rules));
  return { comparison, baseline: before, candidate: after };
}
