import { defined, isJson } from '../../base/index.ts';
import type { LiveShard, Stop } from '../../rollouts/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { firstImage, podTemplateOf } from '../desired/identity.ts';
import { differences } from '../plan/differences.ts';
import { withImage } from '../plan/image-choice.ts';
import { imageMatches, type LiveWorkload } from '../status/workloads.ts';
import { jobFacts } from './job-facts.ts';

/** What a cluster shows of a shard's workload; without `jobs` its pods were not listed either, and its own status says all. */
export function liveShard(workload: LiveWorkload, jobs: readonly KubeObject[] | undefined): LiveShard | undefined {
  const { object, wanted, pods } = workload;
  const image = firstImage(object);
  if (image === undefined) return undefined;
  if (jobs === undefined) return reportedBy(workload, image);
  const own = pods.filter(({ images }) => images.some((one) => imageMatches(image, one)));
  const isCronJob = object.kind === 'CronJob';
  return {
    image,
    converged: isCronJob || own.length === pods.length,
    ready: isCronJob || own.filter(({ ready }) => ready).length >= wanted,
    restarts: own.reduce((sum, { restarts }) => sum + restarts, 0),
    ...defined({ stopped: stopOf(object), jobs: isCronJob ? jobFacts(object, jobs) : undefined }),
  };
}

/** Whether a workload, live or declared, is to run nothing: 0 of 0 pods are ready, and say nothing about an image. */
export function stopOf({ kind, spec }: KubeObject): Stop | undefined {
  const { replicas, suspend, paused } = isJson(spec) ? spec : {};
  if (kind === 'CronJob') return suspend === true ? 'suspended' : undefined;
  if (replicas === 0) return 'scaled to 0';
  return kind === 'Deployment' && paused === true ? 'paused' : undefined;
}

/** What the controller of a workload reports of its pods. */
function reportedBy({ object, wanted }: LiveWorkload, image: string): LiveShard {
  const { kind, metadata, status } = object;
  const told = { image, restarts: 0, ...defined({ stopped: stopOf(object) }) };
  if (kind === 'CronJob') return { ...told, converged: true, ready: true };
  const { observedGeneration = 0, updatedReplicas = 0, replicas = 0, readyReplicas = 0 } = isJson(status) ? status : {};
  const isCurrent = Number(observedGeneration) >= Number(metadata['generation'] ?? 0);
  return {
    ...told,
    converged: isCurrent && Number(updatedReplicas) >= Number(replicas),
    ready: Number(readyReplicas) >= wanted,
  };
}

/** Names of the pods that run the live image. */
export function podsOn({ object, pods }: LiveWorkload): string[] {
  const image = firstImage(object);
  return pods.filter(({ images }) => images.some((one) => imageMatches(image, one))).map(({ name }) => name);
}

/** Fields of the template that a move may change without anything else changing (A2). */
const WITH_THE_IMAGE = /\.resources(?:\.|$)|^metadata\.annotations\.echelon\//;

/** Whether a move changes more of the pods than image and resources. */
export function altersTemplate(live: KubeObject, desired: KubeObject): boolean {
  const image = firstImage(desired);
  if (image === undefined) return false;
  const moved = podTemplateOf(withImage(live, image));
  return differences(moved, podTemplateOf(desired)).some(({ path }) => !WITH_THE_IMAGE.test(path));
}
