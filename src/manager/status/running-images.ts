import type { DesiredNamespace } from '../desired/desired-namespace.ts';
import { firstImage } from '../desired/identity.ts';
import type { ShardStatus } from './status.ts';

/** A workload by its place. */
interface Workload extends Pick<ShardStatus, 'cluster' | 'namespace' | 'kind'> {
  readonly object: string;
}

interface FoundImage {
  readonly image: string;
  /** Why it may not be the one that runs. */
  readonly note?: string;
}

/** The image of each workload: the live one where it was observed, else the declared one with a note. */
export function runningImages(
  shards: readonly ShardStatus[],
  namespaces: readonly DesiredNamespace[],
  why: string,
): (workload: Workload) => FoundImage | undefined {
  const live = new Map(
    shards.flatMap(({ cluster, namespace, kind, name, live: image }) =>
      image === undefined ? [] : [[keyOf({ cluster, namespace, kind, object: name }), image] as const],
    ),
  );
  const declared = new Map(
    namespaces.flatMap(({ cluster, namespace, objects }) =>
      objects.map((object) => [
        keyOf({ cluster, namespace, kind: object.kind, object: object.metadata.name }),
        firstImage(object),
      ]),
    ),
  );
  return (workload) => {
    const [running, expected] = [live.get(keyOf(workload)), declared.get(keyOf(workload))];
    if (running !== undefined) return { image: running };
    return expected === undefined ? undefined : { image: expected, note: `the baseline is the declared image: ${why}` };
  };
}

function keyOf({ cluster, namespace, kind, object }: Workload): string {
  return JSON.stringify([cluster, namespace, kind, object]);
}
