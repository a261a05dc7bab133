import { defined } from '../../base/index.ts';
import type { LiveShard } from '../../rollouts/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { firstImage, podTemplateOf } from '../desired/identity.ts';
import { differences } from '../plan/differences.ts';
import { withImage } from '../plan/image-choice.ts';
import { imageMatches, type LiveWorkload } from '../status/workloads.ts';
import { jobFacts } from './job-facts.ts';

/** What a cluster shows of a shard's workload. */
export function liveShard({ object, wanted, pods }: LiveWorkload, jobs: readonly KubeObject[]): LiveShard | undefined {
  const image = firstImage(object);
  if (image === undefined) return undefined;
  const own = pods.filter(({ images }) => images.some((one) => imageMatches(image, one)));
  const isCronJob = object.kind === 'CronJob';
  return {
    image,
    converged: isCronJob || own.length === pods.length,
    ready: isCronJob || own.filter(({ ready }) => ready).length >= wanted,
    restarts: own.reduce((sum, { restarts }) => sum + restarts, 0),
    ...defined({ jobs: isCronJob ? jobFacts(object, jobs) : undefined }),
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
