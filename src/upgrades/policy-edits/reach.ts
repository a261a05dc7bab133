import type { SectorSpec, UpgradePolicy } from '../policies/org-spec.ts';

interface Member {
  readonly name: string;
  readonly policy: UpgradePolicy;
}

interface Stuck<Cluster extends Member> {
  readonly cluster: Cluster;
  readonly reason: string;
}

/**
 * Clusters that never reach a version which no cluster runs yet. The others are found in rounds: those without required
 * soak go first, then each that has for every workload another cluster that got there before.
 */
export function stuckClusters<Cluster extends Member>(
  clusters: readonly Cluster[],
  sectors: readonly SectorSpec[],
): Stuck<Cluster>[] {
  const checkpoints = checkpointsOf(clusters, sectors);
  const reached = new Set<Cluster>();
  const soaking = new Set<string>();
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const cluster of clusters) {
      if (reached.has(cluster) || obstacle(cluster, { reached, soaking, checkpoints }) !== undefined) continue;
      reached.add(cluster);
      for (const workload of cluster.policy.workloads) soaking.add(workload);
    }
  }
  return clusters
    .filter((cluster) => !reached.has(cluster))
    .map((cluster) => ({ cluster, reason: obstacle(cluster, { reached, soaking, checkpoints }) ?? '' }));
}

type Checkpoints<Cluster> = (sector: string, workload: string) => readonly Cluster[];

interface Round<Cluster> {
  readonly reached: ReadonlySet<Cluster>;
  /** Workloads of clusters that got there. */
  readonly soaking: ReadonlySet<string>;
  readonly checkpoints: Checkpoints<Cluster>;
}

function obstacle<Cluster extends Member>(
  { policy }: Cluster,
  { reached, soaking, checkpoints }: Round<Cluster>,
): string | undefined {
  for (const workload of policy.workloads) {
    const waitsFor = checkpoints(policy.sector ?? '', workload).find((other) => !reached.has(other));
    if (waitsFor !== undefined) {
      return `its sector waits for ${waitsFor.name} of sector ${waitsFor.policy.sector}, which never gets one either`;
    }
    if (policy.soakDays > 0 && !soaking.has(workload))
      return `no other cluster with the workload ${workload} runs one before it`;
  }
  return undefined;
}

/** Clusters that a sector must not overtake: of each dependency with the workload, else of those behind it. */
function checkpointsOf<Cluster extends Member>(
  clusters: readonly Cluster[],
  sectors: readonly SectorSpec[],
): Checkpoints<Cluster> {
  const dependencies = new Map(sectors.map((sector) => [sector.name, sector.dependencies]));
  const known = new Map<string, readonly Cluster[]>();
  const find: Checkpoints<Cluster> = (sector, workload) => {
    const key = JSON.stringify([sector, workload]);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, []);
    const all = (dependencies.get(sector) ?? []).flatMap((dependency) => {
      const own = clusters.filter(({ policy }) => policy.sector === dependency && policy.workloads.includes(workload));
      return own.length > 0 ? own : find(dependency, workload);
    });
    known.set(key, all);
    return all;
  };
  return find;
}
