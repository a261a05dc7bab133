import type { Instant } from '../../gates/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { PodDetails } from '../rollout/pod-details.ts';
import { type JobEnd, jobEnd } from './job-end.ts';
import { annotationOf, shadowLabels } from './left-jobs.ts';
import { SHADOW_ANNOTATION } from './shadow-labels.ts';

interface EndedJob {
  readonly job: KubeObject;
  readonly end: JobEnd;
}

/** The Jobs of one comparison, as the cluster shows them. */
export interface ShardRuns {
  /** The shard in its rollout. */
  readonly id: string;
  readonly integration: string;
  readonly image: string;
  readonly baseline: string;
  readonly at: Instant;
  readonly jobs: readonly KubeObject[];
  /** Absent while one of them runs. */
  readonly ends?: { readonly baseline: EndedJob; readonly candidate: EndedJob };
}

interface FoundRuns {
  readonly whole: readonly ShardRuns[];
  /** Jobs without their other side: who started them was stopped in between. */
  readonly half: readonly KubeObject[];
}

/** The comparisons that an owner has in a namespace. Jobs of others, and Jobs that are being deleted, are not among them. Pure. */
export function shardRuns({ jobs, pods }: PodDetails, owner: string): FoundRuns {
  const own = jobs.filter(
    (job) => shadowLabels(job)?.owner === owner && job.metadata['deletionTimestamp'] === undefined,
  );
  const byRun = Map.groupBy(own, (job) => shadowLabels(job)?.run);
  const found = [...byRun.values()].map((group) => ({ group, runs: runsOf(group, pods) }));
  return {
    whole: found.flatMap(({ runs }) => runs ?? []),
    half: found.flatMap(({ group, runs }) => (runs === undefined ? group : [])),
  };
}

function runsOf(group: readonly KubeObject[], pods: readonly KubeObject[]): ShardRuns | undefined {
  const side = (name: string): KubeObject | undefined => group.find((job) => shadowLabels(job)?.side === name);
  const [baseline, candidate] = [side('baseline'), side('candidate')];
  if (baseline === undefined || candidate === undefined) return undefined;
  const id = annotationOf(candidate, SHADOW_ANNOTATION.id);
  const at = Number(annotationOf(candidate, SHADOW_ANNOTATION.at));
  if (id === undefined || !Number.isSafeInteger(at)) return undefined;
  const ends = { baseline: jobEnd(baseline, pods), candidate: jobEnd(candidate, pods) };
  const imageOf = (job: KubeObject): string => annotationOf(job, SHADOW_ANNOTATION.image) ?? '';
  return {
    ...{
      id,
      integration: annotationOf(candidate, SHADOW_ANNOTATION.integration) ?? '',
      image: imageOf(candidate),
      baseline: imageOf(baseline),
      at: at as Instant,
      jobs: group,
    },
    ...(ends.baseline === undefined || ends.candidate === undefined
      ? {}
      : {
          ends: { baseline: { job: baseline, end: ends.baseline }, candidate: { job: candidate, end: ends.candidate } },
        }),
  };
}
