import { count } from '../../base/index.ts';
import type { ExplainedFile } from './explain-files.ts';
import type { NamedRun } from './log-names.ts';
import type { ProblemChanges } from './problems.ts';
import type { Choice } from './select.ts';
import type { WorkloadDifference } from './workloads.ts';

/** A run with the image that it takes. */
export type PlannedRun = NamedRun & {
  /** `repository:tag`. */
  readonly image: string;
};

export type RunEnd = 'passed' | 'failed' | 'timed-out' | 'not-started' | 'skipped';

export interface RunResult {
  /** Of the run. */
  readonly name: string;
  readonly end: RunEnd;
  /** Null when a signal ended it; absent when it did not begin. */
  readonly exitCode?: number | null;
  readonly seconds: number;
  /** Why it did not begin, or what stopped it. */
  readonly reason?: string;
  /** Path of the log, as the user may open it. */
  readonly log?: string;
  /** The end of the log, secrets removed. */
  readonly tail?: string;
}

/** What could not be rendered, told apart like problems. */
export interface RenderTrouble {
  readonly message: string;
  /** Base has it too. */
  readonly known: boolean;
}

export interface WorkloadReport {
  readonly difference: WorkloadDifference;
  readonly troubles: readonly RenderTrouble[];
  /** Guard limits that an apply would run into, one sentence each. */
  readonly guard: readonly string[];
}

export interface CheckedCommit {
  /** As it was named. */
  readonly ref: string;
  /** Absent for a working tree. */
  readonly commit?: string;
}

/** Everything that a check found out. */
export interface CheckReport {
  readonly base: CheckedCommit;
  readonly head: CheckedCommit;
  readonly files: readonly ExplainedFile[];
  readonly validation: ProblemChanges;
  /** Absent when rendering was not asked for. */
  readonly workloads?: WorkloadReport;
  readonly integrations: readonly Choice[];
  readonly runs: readonly PlannedRun[];
  /** What runs do not cover. */
  readonly notes: readonly { readonly integration: string; readonly text: string }[];
  /** Absent when only the plan was asked for. */
  readonly results?: readonly RunResult[];
}

export interface Verdict {
  readonly ok: boolean;
  /** One clause for each thing that fails the check. */
  readonly failures: readonly string[];
}

/** A change is refused for what it brings, not for what was there. */
export function verdictOf({ validation, workloads, results = [] }: CheckReport): Verdict {
  const errors = validation.added.filter(({ severity }) => severity === 'error').length;
  const troubles = (workloads?.troubles ?? []).filter(({ known }) => !known).length;
  const bad = results.filter(({ end }) => end !== 'passed' && end !== 'skipped').length;
  const failures = [
    ...(errors === 0 ? [] : [`${count(errors, 'new error')}`]),
    ...(troubles === 0 ? [] : [`${count(troubles, 'namespace')} cannot be rendered any more`]),
    ...(bad === 0 ? [] : [`${bad} of ${count(results.length, 'run')} failed`]),
  ];
  return { ok: failures.length === 0, failures };
}

/** `terraform-resources` of which images, in the words of all outputs. */
export function shardsText({ only, without }: Pick<NamedRun, 'only' | 'without'>): string {
  if (only !== undefined) return `only ${only.join(', ')}`;
  return without === undefined ? 'all' : `all but ${without.join(', ')}`;
}
