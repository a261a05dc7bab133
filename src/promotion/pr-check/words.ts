import { imageVersion, parseImage, shortDigests } from '../../base/index.ts';
import type { WorkloadChange } from './workloads.ts';

/** A short description of a workload's change. */
export function changeText({ change, image, resources, replicas, other }: WorkloadChange): string {
  if (change === 'added') return image?.to === undefined ? 'added' : shortDigests(`added, ${image.to}`);
  if (change === 'removed') return 'removed';
  return [
    ...(image === undefined ? [] : [imageText(image.from ?? 'none', image.to ?? 'none')]),
    ...(resources === true ? ['resources'] : []),
    ...(replicas === undefined ? [] : [`replicas ${replicas.from} → ${replicas.to}`]),
    ...(other === true ? ['other fields'] : []),
  ].join(', ');
}

/** Leaves the repository out if only the tag changes. */
function imageText(from: string, to: string): string {
  const isSame = parseImage(from).repository === parseImage(to).repository;
  const [before, after] = [imageVersion(from), imageVersion(to)];
  return shortDigests(isSame && before !== '' && after !== '' ? `image ${before} → ${after}` : `image ${from} → ${to}`);
}
