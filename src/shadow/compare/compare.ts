import { byText, count, type Steps, sha256Of } from '../../base/index.ts';
import { type ClassifiedEntry, classified, type ReadingRules } from '../read/classify.ts';
import { entrySteps, type LogEntry } from '../read/log-entries.ts';
import type { ShadowOutput } from '../run.ts';
import type { LineDifference, LineTally, ShadowComparison, ShadowResult } from './comparison.ts';
import { doubtsAbout } from './doubts.ts';
import { type ComparedSets, collapsed, compareSets, type Multiset, multisetOf } from './multiset.ts';
import { noiseOf } from './noise.ts';

/** The outputs of the dry runs of one shard. */
export interface ShadowOutputs {
  readonly baseline: ShadowOutput;
  readonly candidate: ShadowOutput;
  /** Further runs of the baseline, which show how it differs from itself. */
  readonly repetitions?: readonly ShadowOutput[];
}

interface ReadOutput {
  readonly output: ShadowOutput;
  readonly entries: readonly LogEntry[];
  readonly classified: readonly ClassifiedEntry[];
  readonly actions: Multiset;
  /** Lines of collapsed repetitions. */
  readonly repeated: number;
}

const NO_NOISE = (): boolean => false;

/**
 * Compares what two dry runs report. Pure, symmetric, and independent of the order of lines. Logs may be large, so that a loop
 * which has to renew a lease reads them in steps.
 */
export function* compareSteps(outputs: ShadowOutputs, rules: ReadingRules): Steps<ShadowComparison> {
  const baseline = yield* readSteps(outputs.baseline, rules);
  const candidate = yield* readSteps(outputs.candidate, rules);
  const repetitions: ReadOutput[] = [];
  for (const output of outputs.repetitions ?? []) repetitions.push(yield* readSteps(output, rules));
  const ofBaseline = [baseline, ...repetitions].map((run) => run.actions);
  const noisy = noiseOf(ofBaseline, candidate.actions);
  const actions = compareSets(baseline.actions, candidate.actions, (text) => noisy.has(text));
  const warnings = compareKind('warning', baseline, candidate);
  const errors = compareKind('error', baseline, candidate);
  const reasons = [
    ...doubtsAbout('baseline', baseline, rules),
    ...doubtsAbout('candidate', candidate, rules),
    ...repetitions.flatMap((run, at) => doubtsAbout(`repetition ${at + 1} of the baseline`, run, rules)),
  ];
  const tally = (side: 'baseline' | 'candidate', { repeated, classified: all }: ReadOutput): LineTally => ({
    common: total([actions, warnings, errors], side, 'common'),
    different: total([actions, warnings, errors], side, 'different'),
    noise: total([actions, warnings, errors], side, 'noise'),
    repeated,
    ignored: all.reduce((lines, entry) => lines + (entry.kind === 'ignored' ? entry.lines : 0), 0),
  });
  const { onlyInBaseline, onlyInCandidate, noise, common } = actions;
  return {
    result: resultOf(reasons, actions),
    reasons,
    actions: { onlyInBaseline, onlyInCandidate, noise, common },
    warnings: differenceOf(warnings),
    errors: differenceOf(errors),
    exitCodes: { baseline: outputs.baseline.exitCode ?? null, candidate: outputs.candidate.exitCode ?? null },
    digest: digestOf(actions),
    lines: { baseline: tally('baseline', baseline), candidate: tally('candidate', candidate) },
    notes: notesOf(actions, warnings),
  };
}

const ENTRIES_PER_STEP = 100;

function* readSteps(output: ShadowOutput, rules: ReadingRules): Steps<ReadOutput> {
  const entries = yield* entrySteps(output.output);
  const all: ClassifiedEntry[] = [];
  for (const entry of entries) {
    all.push(classified(entry, rules));
    if (all.length % ENTRIES_PER_STEP === 0) yield;
  }
  const actions = multisetOf(all, 'action');
  if (!rules.collapseRepeats) return { output, entries, classified: all, actions, repeated: 0 };
  const { once, repeated } = collapsed(actions);
  return { output, entries, classified: all, actions: once, repeated };
}

function compareKind(kind: 'warning' | 'error', baseline: ReadOutput, candidate: ReadOutput): ComparedSets {
  return compareSets(multisetOf(baseline.classified, kind), multisetOf(candidate.classified, kind), NO_NOISE);
}

function resultOf(reasons: readonly string[], actions: ComparedSets): ShadowResult {
  if (reasons.length > 0) return 'inconclusive';
  if (actions.onlyInBaseline.length + actions.onlyInCandidate.length > 0) return 'different';
  return actions.noise.length > 0 ? 'noise' : 'same';
}

function total(
  sets: readonly ComparedSets[],
  side: 'baseline' | 'candidate',
  key: keyof ComparedSets['lines']['baseline'],
) {
  return sets.reduce((lines, set) => lines + set.lines[side][key], 0);
}

function differenceOf({ onlyInBaseline, onlyInCandidate }: LineDifference): LineDifference {
  return { onlyInBaseline, onlyInCandidate };
}

/** Equal for equal differences, however the lines were ordered. */
function digestOf({ onlyInBaseline, onlyInCandidate }: LineDifference): string {
  const texts = (lines: LineDifference['onlyInBaseline']): (readonly [string, number])[] =>
    lines.map((line) => [line.text, line.count] as const).toSorted(([a], [b]) => byText(a, b));
  return sha256Of(JSON.stringify([texts(onlyInBaseline), texts(onlyInCandidate)]));
}

function notesOf(actions: ComparedSets, warnings: LineDifference): string[] {
  const changed = warnings.onlyInBaseline.length + warnings.onlyInCandidate.length;
  const isEmpty = actions.common + actions.onlyInBaseline.length + actions.onlyInCandidate.length === 0;
  return [
    ...(isEmpty && actions.noise.length === 0
      ? ['neither run reported an action: there may be nothing to do, or nothing in the shard']
      : []),
    ...(changed === 0 ? [] : [`warnings differ in ${count(changed, 'line')}, which does not count`]),
  ];
}
