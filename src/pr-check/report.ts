import { count } from '../base/index.ts';
import type { Problem } from '../instance/index.ts';
import type { PlannedWaves } from '../rollouts/index.ts';
import type { ShadowReport } from '../shadow/index.ts';
import type { ExplainedFile } from './changed-files.ts';
import type { NamedRun } from './plan-runs.ts';
import type { Selection } from './select-integrations.ts';
import type { WorkloadReport } from './workloads.ts';

/** A run with its image. */
export type PlannedRun = NamedRun & {
  /** `repository:tag`. */
  readonly image: string;
};

type RunEnd = 'passed' | 'failed' | 'timed-out' | 'not-started' | 'skipped';

export interface RunResult {
  /** Name of the run. */
  readonly name: string;
  readonly end: RunEnd;
  /** Null if a signal ended it; absent if it did not start. */
  readonly exitCode?: number | null;
  readonly seconds: number;
  /** Why it did not start, or what stopped it. */
  readonly reason?: string;
  /** Path of the log for the user. */
  readonly log?: string;
  /** The end of the log, redacted. */
  readonly tail?: string;
}

interface CheckedCommit {
  /** As given. */
  readonly ref: string;
  /** Absent for a working tree. */
  readonly commit?: string;
  /** Of the base: commits that the ref has and the head lacks; absent for none. */
  readonly behind?: number;
}

/** The results of a check. */
export interface CheckReport {
  readonly base: CheckedCommit;
  readonly head: CheckedCommit;
  readonly files: readonly ExplainedFile[];
  readonly validation: ProblemChanges;
  /** Absent if rendering was not requested. */
  readonly workloads?: WorkloadReport;
  /** Absent where new images reach all shards at once. */
  readonly rollout?: PlannedWaves;
  readonly integrations: readonly Selection[];
  readonly runs: readonly PlannedRun[];
  /** What the runs do not cover. */
  readonly notes: readonly { readonly integration: string; readonly text: string }[];
  /** Absent if only the plan was requested. */
  readonly results?: readonly RunResult[];
  /** Absent if not requested. */
  readonly shadows?: ShadowChecks;
}

/** What images that a change introduces would do, compared with those at base. */
export interface ShadowChecks {
  readonly reports: readonly ShadowReport[];
  /** What was not compared. */
  readonly notes: readonly string[];
}

interface Verdict {
  readonly ok: boolean;
  /** One clause per failure. */
  readonly failures: readonly string[];
}

/** `1 commit behind main: …`. */
export function behindText({ ref }: CheckReport['base'], behind: number): string {
  return `${count(behind, 'commit')} behind ${ref}: its changes are compared with where it began`;
}

/** A change fails only for problems that it adds. */
export function verdictOf({ validation, workloads, results = [], shadows }: CheckReport): Verdict {
  const errors = validation.added.filter(({ severity }) => severity === 'error').length;
  const troubles = (workloads?.troubles ?? []).filter(({ known }) => !known).length;
  const bad = results.filter(({ end }) => end !== 'passed' && end !== 'skipped').length;
  const compared = (shadows?.reports ?? []).flatMap(({ shards }) => shards.map(({ comparison }) => comparison.result));
  const unlike = compared.filter((result) => result === 'different').length;
  const unknown = compared.filter((result) => result === 'inconclusive').length;
  const failures = [
    ...(errors === 0 ? [] : [`${count(errors, 'new error')}`]),
    ...(troubles === 0 ? [] : [`${count(troubles, 'namespace')} no longer rendered`]),
    ...(bad === 0 ? [] : [`${bad} of ${count(results.length, 'run')} failed`]),
    ...(unlike === 0 ? [] : [`${unlike} of ${count(compared.length, 'shadow')} different`]),
    ...(unknown === 0 ? [] : [`${unknown} of ${count(compared.length, 'shadow')} inconclusive`]),
  ];
  return { ok: failures.length === 0, failures };
}

/** The shards of a run, with the same wording in all outputs. */
export function shardsText({ only, without }: Pick<NamedRun, 'only' | 'without'>): string {
  if (only !== undefined) return `only ${only.join(', ')}`;
  return without === undefined ? 'all' : `all but ${without.join(', ')}`;
}

/** An instance's problems by how a change affects them. */
interface ProblemChanges {
  readonly added: readonly Problem[];
  /** Already at base. */
  readonly kept: readonly Problem[];
  /** Fixed by the change. */
  readonly gone: readonly Problem[];
}

/** Compares by problem and place in the data; line numbers may shift. */
export function compareProblems(base: readonly Problem[], head: readonly Problem[]): ProblemChanges {
  const before = Map.groupBy(base, keyOf);
  const added: Problem[] = [];
  const kept: Problem[] = [];
  for (const problem of head) {
    const same = before.get(keyOf(problem))?.shift();
    (same === undefined ? added : kept).push(problem);
  }
  return { added, kept, gone: [...before.values()].flat() };
}

function keyOf({ rule, severity, file, at, message }: Problem): string {
  return JSON.stringify([rule, severity, file, at ?? '', message]);
}
