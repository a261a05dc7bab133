import { type Fields, type KubeObject, valueAt } from '../objects.ts';
import { JOBS, PODS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { createPod } from './create-pod.ts';
import { condition, controlled, writeStatus } from './write-as.ts';

/** Runs the pods of a job; it is complete when they are done. */
export function reconcileJob(job: KubeObject, context: ControlContext): void {
  if (valueAt(job, 'spec', 'suspend') === true || valueAt(job, 'status', 'completionTime') !== undefined) return;
  const wanted = Number(valueAt(job, 'spec', 'completions') ?? valueAt(job, 'spec', 'parallelism') ?? 1);
  for (let i = controlled(PODS, job, context).length; i < wanted; i += 1) createPod(job, context);
  const pods = controlled(PODS, job, context);
  const succeeded = pods.filter((pod) => valueAt(pod, 'status', 'phase') === 'Succeeded').length;
  const now = context.writes.now();
  const startTime = valueAt(job, 'status', 'startTime') ?? now;
  const base: Fields = { startTime, ready: 0, terminating: 0, uncountedTerminatedPods: {} };
  const status: Fields =
    succeeded < wanted
      ? { ...base, active: pods.length - succeeded, succeeded }
      : { ...base, succeeded, completionTime: now, conditions: complete(job, now) };
  writeStatus(JOBS, job, status, context);
}

function complete(job: KubeObject, now: string): Fields[] {
  const reason = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  return ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    ...condition(job, { type, status: 'True', ...reason }, now),
    lastProbeTime: now,
  }));
}
