import type { WorkloadChange } from './workloads.ts';

/** What happens to a workload, in a few words. */
export function changeText({ change, image, resources, replicas, other }: WorkloadChange): string {
  if (change === 'added') return image?.to === undefined ? 'added' : shortDigest(`added, ${image.to}`);
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
  const [before, after] = [splitImage(from), splitImage(to)];
  const same = before.repository === after.repository && before.tag !== '' && after.tag !== '';
  return shortDigest(same ? `image ${before.tag} → ${after.tag}` : `image ${from} → ${to}`);
}

/** As much of a digest as tells two apart. */
function shortDigest(text: string): string {
  return text.replaceAll(/(@sha256:[0-9a-f]{12})[0-9a-f]+/g, '$1…');
}

function splitImage(image: string): { repository: string; tag: string } {
  const found = /^(.*?)(?::([^:/@]+(?:@.*)?))$/.exec(image);
  return { repository: found?.[1] ?? image, tag: found?.[2] ?? '' };
}
