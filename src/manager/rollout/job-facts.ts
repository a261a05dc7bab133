import { isJson } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import type { JobFacts } from '../../rollouts/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { firstImage } from '../desired/identity.ts';
import { controllerOf } from './pod-details.ts';

/** The jobs that a CronJob started. */
export function jobFacts(cronJob: KubeObject, jobs: readonly KubeObject[]): JobFacts[] {
  const uid = String(cronJob.metadata['uid']);
  return jobs
    .filter((job) => controllerOf(job)?.uid === uid)
    .map((job) => ({ image: firstImage(job) ?? '', startedAt: instantOf(startOf(job)), state: stateOf(job) }));
}

function startOf({ metadata, status }: KubeObject): number {
  const told = isJson(status) ? status['startTime'] : undefined;
  const time = Date.parse(String(told ?? metadata['creationTimestamp']));
  return Number.isNaN(time) ? 0 : time;
}

/** The condition says when retries are used up; a pod that failed is only one attempt. */
function stateOf({ status }: KubeObject): JobFacts['state'] {
  const conditions = isJson(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isJson) : [];
  const has = (type: string): boolean => conditions.some((one) => one['type'] === type && one['status'] === 'True');
  if (has('Complete')) return 'succeeded';
  return has('Failed') ? 'failed' : 'running';
}
