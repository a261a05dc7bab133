import { isJson } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { SHADOW_ANNOTATION, SHADOW_LABEL } from './shadow-labels.ts';

export interface Leaving {
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the process that waited for a Job is known to have ended. */
  readonly hasEnded: (process: string) => boolean;
}

/**
 * Jobs that nobody waits for any more, such as after kill -9: those of the same owner whose process has ended, or that are
 * older than their deadline. Jobs of others are never among them. Pure.
 */
export function leftJobs(jobs: readonly KubeObject[], { owner, now, hasEnded }: Leaving): KubeObject[] {
  return jobs.filter((job) => {
    if (job.kind !== 'Job' || shadowLabels(job)?.owner !== owner) return false;
    const process = annotationOf(job, SHADOW_ANNOTATION.process);
    return isOverdue(job, now) || (process !== undefined && hasEnded(process));
  });
}

/** The labels of a shadow's Job; undefined for any other object. */
export function shadowLabels({
  metadata,
}: KubeObject): Readonly<Record<keyof typeof SHADOW_LABEL, string>> | undefined {
  const labels = isJson(metadata['labels']) ? metadata['labels'] : {};
  const [run, side, owner] = [labels[SHADOW_LABEL.run], labels[SHADOW_LABEL.side], labels[SHADOW_LABEL.owner]];
  if (typeof run !== 'string' || typeof side !== 'string' || typeof owner !== 'string') return undefined;
  return { run, side, owner };
}

export function annotationOf({ metadata }: KubeObject, key: string): string | undefined {
  const annotations = isJson(metadata['annotations']) ? metadata['annotations'] : {};
  const value = annotations[key];
  return typeof value === 'string' ? value : undefined;
}

function isOverdue({ metadata, spec }: KubeObject, now: number): boolean {
  const created = Date.parse(String(metadata['creationTimestamp']));
  const deadline = isJson(spec) ? Number(spec['activeDeadlineSeconds']) : Number.NaN;
  return now - created > deadline * 1_000;
}
