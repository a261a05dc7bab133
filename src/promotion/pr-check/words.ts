import { imageVersion, parseImage, shortDigests } from '../../base/index.ts';
import type { WorkloadChange } from './workloads.ts';

/** What happens to a workload, in a few words. */
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

/** The repository is told once when only the tag changes. */
function imageText(from: string, to: string): string {
  const isSame = parseImage(from).repository === parseImage(to).repository;
  const [before, after] = [imageVersion(from), imageVersion(to)];
  return shortDigests(isSame && before !== '' && after !== '' ? `image ${before} → ${after}` : `image ${from} → ${to}`);
}
