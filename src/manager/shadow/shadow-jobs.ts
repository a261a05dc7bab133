import { EchelonError, isJson, type Json } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { podTemplateOf } from '../desired/identity.ts';
import { withImage } from '../plan/image-choice.ts';
import { labelValue } from '../plan/ownership-labels.ts';
import { dryRunPod } from './dry-run-pod.ts';
import { selectingObject } from './selectors.ts';
import { type JobSide, SHADOW_ANNOTATION, SHADOW_LABEL } from './shadow-labels.ts';

/** A shadow that is about to run; what it is called and whose it is. */
export interface JobRun {
  /** Lower-case letters and digits, at most 20: a part of names. */
  readonly run: string;
  /** A label value: who may remove its Jobs. */
  readonly owner: string;
  readonly integration: string;
  readonly shard: string;
  /** The shard in its rollout. */
  readonly id?: string;
  readonly namespace: string;
  readonly deadlineSeconds: number;
  /** When it began, by the clock of who started it. */
  readonly at: Instant;
  /** The process that waits for it. */
  readonly process?: string;
}

/** The workload that a side is made of, and the image that it runs. */
export interface JobTemplate {
  readonly workload: KubeObject;
  readonly image: string;
}

/** How long a finished Job stays when nobody removes it. */
const KEPT_SECONDS = 3_600;

/**
 * The Job of one side: the shard's own pod, once and in dry run. `objects` are those of its namespace; one whose selector
 * matches the pod is SHADOW_SELECTED, since it would take the pod for its own. Pure.
 */
export function shadowJob(
  side: JobSide,
  { workload, image }: JobTemplate,
  run: JobRun,
  objects: readonly KubeObject[],
): KubeObject {
  const name = `echelon-shadow-${run.run}-${side}`;
  const labels = { ...labelsOf(run), [SHADOW_LABEL.side]: side };
  refuseSelected(objects, { ...labels, 'job-name': name, 'batch.kubernetes.io/job-name': name }, workload);
  const template = podTemplateOf(withImage(workload, image)) ?? {};
  const jobSuffix = `shadow-${run.run}-${side === 'baseline' ? 'b' : 'c'}`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: run.namespace, labels, annotations: annotationsOf(run, image) },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: run.deadlineSeconds,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: { labels },
        spec: dryRunPod(template, { image, integration: run.integration, claims: claimsOf(workload), jobSuffix }),
      },
    },
  };
}

function labelsOf({ run, owner }: JobRun): Record<string, string> {
  return { [SHADOW_LABEL.run]: labelValue(run), [SHADOW_LABEL.owner]: labelValue(owner) };
}

function annotationsOf({ integration, shard, id, at, process }: JobRun, image: string): Json {
  return {
    [SHADOW_ANNOTATION.integration]: integration,
    [SHADOW_ANNOTATION.shard]: shard,
    [SHADOW_ANNOTATION.image]: image,
    [SHADOW_ANNOTATION.at]: String(at),
    ...(id === undefined ? {} : { [SHADOW_ANNOTATION.id]: id }),
    ...(process === undefined ? {} : { [SHADOW_ANNOTATION.process]: process }),
  };
}

/** Of a StatefulSet: its pods name these volumes without declaring them. */
function claimsOf({ spec }: KubeObject): string[] {
  const templates = isJson(spec) ? spec['volumeClaimTemplates'] : undefined;
  const list = Array.isArray(templates) ? templates.filter(isJson) : [];
  return list.flatMap(({ metadata }) => (isJson(metadata) ? [String(metadata['name'])] : []));
}

function refuseSelected(objects: readonly KubeObject[], labels: Record<string, string>, workload: KubeObject): void {
  const found = selectingObject([workload, ...objects], labels);
  if (found === undefined) return;
  throw new EchelonError({
    code: 'SHADOW_SELECTED',
    message: `the selector of ${found.kind} ${found.metadata.name} matches pods with other labels than its own, such as those of a shadow`,
    hint: 'select pods by labels that they have (matchLabels, In), not by labels that they lack',
  });
}
