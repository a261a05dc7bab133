import { count, defined, mapLimited } from '../../base/index.ts';
import { parallelLimit } from '../engine/mutexes.ts';
import { clusterKey } from '../policies/label-keys.ts';
import { parseClusterLabels } from '../policies/labels.ts';
import { type Fault, type SectorSpec, type UpgradePolicy, warning } from '../policies/org-spec.ts';
import type { Member, PolicyApi, ScheduledUpgradeRow } from './members.ts';

interface PolicyOwner {
  readonly name: string;
  readonly policy: UpgradePolicy;
}

interface Stuck<Cluster extends PolicyOwner> {
  readonly cluster: Cluster;
  readonly reason: string;
}

/**
 * Clusters that never reach a version which no cluster runs yet. The others are found in rounds: those without required
 * soak go first, then each that has for every workload another cluster that got there before.
 */
export function stuckClusters<Cluster extends PolicyOwner>(
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

function obstacle<Cluster extends PolicyOwner>(
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
function checkpointsOf<Cluster extends PolicyOwner>(
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

/** Parallel reads of policies. */
const CONCURRENCY = 5;
const DAY_MS = 24 * 3_600_000;
const UNDER_WAY = new Set(['started', 'delayed']);

/** Clusters that block others forever. Reads policies only of clusters that share a mutex. */
export async function endlessUpgrades(
  api: PolicyApi,
  members: readonly Member[],
  now: Date,
): Promise<EndlessUpgrade[]> {
  const known = members.map((member) => ({ member, ...parseClusterLabels(member.labels, { strict: true }).known }));
  const uses = Map.groupBy(
    known.flatMap(({ mutexes = [] }) => mutexes),
    (mutex) => mutex,
  );
  const shared = known.filter(({ mutexes = [] }) => mutexes.some((mutex) => (uses.get(mutex)?.length ?? 0) > 1));
  const found = await mapLimited(shared, CONCURRENCY, async ({ member, mutexes = [], sector }) => {
    const endless = await endlessUpgrade(api, member, now);
    const place = { cluster: member.name, mutexes, ...defined({ sector }) };
    return endless === undefined ? [] : [{ ...place, ...endless }];
  });
  return found.flat();
}

type Reason = Pick<EndlessUpgrade, 'reason' | 'hint'>;

async function endlessUpgrade(api: PolicyApi, { cluster }: Member, now: Date): Promise<Reason | undefined> {
  if (cluster === undefined) return undefined;
  const kind = cluster.hypershift ? 'control-plane' : 'classic';
  const { items } = await api.listUpgradePolicies({ kind, clusterId: cluster.id });
  return items.map((upgrade) => reasonOf(upgrade, now)).find((reason) => reason !== undefined);
}

function reasonOf({ scheduleType, state, version, nextRun }: ScheduledUpgradeRow, now: Date): Reason | undefined {
  if (scheduleType === 'automatic')
    return {
      reason: 'it has a policy of automatic upgrades, which never ends',
      hint: 'delete that policy in OCM; the cluster labels replace it',
    };
  const isLate = nextRun !== undefined && now.getTime() - Date.parse(nextRun) > DAY_MS;
  if (!isLate || !UNDER_WAY.has(state?.value ?? '')) return undefined;
  return {
    reason: `its upgrade to ${version ?? 'another version'} should have started at ${nextRun} and has not finished`,
    hint: 'check that cluster, or its upgrade policy in OCM',
  };
}

/** A cluster with an upgrade policy that never ends by itself, so that it holds its mutexes forever. */
export interface EndlessUpgrade {
  readonly cluster: string;
  readonly mutexes: readonly string[];
  readonly sector?: string;
  /** The reason, such as `it has a policy of automatic upgrades`. */
  readonly reason: string;
  /** How to fix it. */
  readonly hint: string;
}

interface MutexFacts {
  readonly clusters: readonly { readonly name: string; readonly policy: UpgradePolicy }[];
  readonly sectors: readonly SectorSpec[];
  readonly endless?: readonly EndlessUpgrade[];
}

const MOST_NAMED = 3;

/** Mutexes that are never free, and the clusters that wait for them. */
export function mutexLints(facts: MutexFacts): (Fault & { readonly cluster: string })[] {
  const { endless = [] } = facts;
  return endless.flatMap((holder) =>
    holder.mutexes.flatMap((mutex) => {
      const waiting = facts.clusters.filter((cluster) => waitsFor(cluster, mutex, holder, facts));
      if (waiting.length === 0) return [];
      const names = waiting.slice(0, MOST_NAMED).map(({ name }) => name);
      const others = waiting.length > names.length ? [...names, '…'] : names;
      const message = `mutex ${mutex} is never free, and ${count(waiting.length, 'cluster')} never upgraded (${others.join(', ')}): ${holder.reason}`;
      return [{ cluster: holder.cluster, ...warning(clusterKey('mutexes'), message, holder.hint) }];
    }),
  );
}

/** In a sector with a limit, clusters are upgraded while the limit leaves room. */
function waitsFor(
  { name, policy }: MutexFacts['clusters'][number],
  mutex: string,
  holder: EndlessUpgrade,
  { clusters, sectors, endless = [] }: MutexFacts,
): boolean {
  if (name === holder.cluster || !policy.mutexes?.includes(mutex)) return false;
  const { sector } = policy;
  const limit = sectors.find((each) => each.name === sector)?.maxParallelUpgrades;
  if (limit === undefined || sector === undefined || holder.sector !== sector) return true;
  const inSector = clusters.filter((each) => each.policy.sector === sector && each.policy.mutexes?.includes(mutex));
  const holding = endless.filter((each) => each.sector === sector && each.mutexes.includes(mutex));
  const unseen = holding.filter((each) => !inSector.some((cluster) => cluster.name === each.cluster));
  return holding.length >= (parallelLimit(limit, inSector.length + unseen.length) ?? 0);
}
