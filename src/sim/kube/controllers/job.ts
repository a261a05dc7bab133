import { type Fields, type KubeObject, valueAt } from '../objects.ts';
import { JOBS, PODS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { createPod } from './create-pod.ts';
import { condition, controlled, writeStatus } from './write-as.ts';

/** Runs the pods of a job; it is complete when they are done, and has failed when its retries are used up. */
export function reconcileJob(job: KubeObject, context: ControlContext): void {
  if (valueAt(job, 'spec', 'suspend') === true || valueAt(job, 'status', 'completionTime') !== undefined) return;
  const wanted = Number(valueAt(job, 'spec', 'completions') ?? valueAt(job, 'spec', 'parallelism') ?? 1);
  const inPhase = (phase: string): number =>
    controlled(PODS, job, context).filter((pod) => valueAt(pod, 'status', 'phase') === phase).length;
  const isGivenUp = inPhase('Failed') > Number(valueAt(job, 'spec', 'backoffLimit') ?? 6);
  const missing = isGivenUp ? 0 : wanted + inPhase('Failed') - controlled(PODS, job, context).length;
  for (let i = 0; i < missing; i += 1) createPod(job, context);
  const [succeeded, failed] = [inPhase('Succeeded'), inPhase('Failed')];
  const now = context.writes.now();
  const startTime = valueAt(job, 'status', 'startTime') ?? now;
  const counts = { succeeded, ...(failed === 0 ? {} : { failed }) };
  const base: Fields = { startTime, ready: 0, terminating: 0, uncountedTerminatedPods: {}, ...counts };
  writeStatus(JOBS, job, { ...base, ...progress(job, { wanted, succeeded, failed, isGivenUp }, context) }, context);
}

interface Progress {
  readonly wanted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly isGivenUp: boolean;
}

function progress(
  job: KubeObject,
  { wanted, succeeded, failed, isGivenUp }: Progress,
  context: ControlContext,
): Fields {
  const now = context.writes.now();
  if (isGivenUp) return { conditions: over(job, ['FailureTarget', 'Failed'], GIVEN_UP, now) };
  if (succeeded < wanted) return { active: controlled(PODS, job, context).length - succeeded - failed };
  return { completionTime: now, conditions: over(job, ['SuccessCriteriaMet', 'Complete'], REACHED, now) };
}

const REACHED = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
const GIVEN_UP = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };

function over(job: KubeObject, types: readonly string[], reason: Fields, now: string): Fields[] {
  return types.map((type) => ({
    ...condition(job, { type, status: 'True', ...reason }, now),
    lastProbeTime: now,
  }));
}
