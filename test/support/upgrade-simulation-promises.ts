import { compare } from 'semver';
import { LEAD_TIME } from '../../src/sim/index.ts';
import { readSchedule } from './upgrade-simulation-cron.ts';
import type { AusLabels } from './upgrade-simulation-scenario.ts';
import type { SoakAccounts } from './upgrade-simulation-soak.ts';
import {
  membersIn,
  mutexesOf,
  sectorOf,
  sourcesOf,
  type ToldCluster,
  type View,
  workloadsOf,
} from './upgrade-simulation-view.ts';

/** An upgrade that a scheduler asks for, and what was so at that time. */
export interface Asked {
  readonly view: View;
  readonly cluster: ToldCluster;
  readonly kind: 'cluster' | 'control_plane' | 'node_pool';
  readonly version: string;
  /** Milliseconds, as all times here. */
  readonly nextRun: number;
  /** What the clock of the scheduler says. */
  readonly clock: number;
  /** Clusters that are being upgraded, or will be. */
  readonly busy: readonly Busy[];
  /** What a cluster really runs. */
  readonly versionOf: (clusterId: string) => string | undefined;
  readonly soak: Pick<SoakAccounts, 'soaked' | 'seenSince'>;
}

export interface Busy {
  readonly clusterId: string;
  /** What the scheduler knew that asked for it; absent if a user did. */
  readonly view?: View;
}

/** What is broken, or nothing. Each is written down from the words of the promise alone. */
export type Promised = (asked: Asked) => string | undefined;

export const DAY_MS = 86_400_000;
/** What is lost when days are written down. */
export const TOLERANCE_MS = 1;

export function isBlocked(view: View, cluster: ToldCluster, version: string): string | undefined {
  const patterns = [view.labelsOf(cluster.orgId), cluster.labels].flatMap((labels) =>
    membersIn(labels['blocked-versions']),
  );
  return patterns.find((pattern) => isFound(pattern, version));
}

/** What is no pattern blocks. */
function isFound(pattern: string, version: string): boolean {
  try {
    return new RegExp(pattern).test(version);
  } catch {
    return true;
  }
}

const blocked: Promised = ({ view, cluster, version }) => {
  const pattern = isBlocked(view, cluster, version);
  return pattern === undefined ? undefined : `${pattern} blocks it`;
};

/** Those that share a mutex with the cluster: as it was told, and as somebody who knew better was told. */
function sharing({ view, cluster, busy }: Asked, mutex: string): ToldCluster[] {
  return busy.flatMap(({ clusterId, view: other }) => {
    const told = view.cluster(clusterId);
    if (told?.orgId !== cluster.orgId || !mutexesOf(told).has(mutex)) return [];
    if (other === undefined || other.labelsAt <= view.labelsAt) return [told];
    return [told, cluster].every(({ row }) => hasMutex(other.cluster(row.id), mutex)) ? [told] : [];
  });
}

function hasMutex(cluster: ToldCluster | undefined, mutex: string): boolean {
  return cluster !== undefined && mutexesOf(cluster).has(mutex);
}

const exclusive: Promised = (asked) => {
  const { view, cluster } = asked;
  const sector = sectorOf(cluster);
  const limit =
    sector === undefined ? undefined : view.labelsOf(cluster.orgId)[`sector-max-parallel-upgrades.${sector}`];
  for (const mutex of mutexesOf(cluster)) {
    const holders = sharing(asked, mutex);
    const names = holders.map(({ row }) => row.name).join();
    if (holders.length === 0) continue;
    if (limit === undefined) return `${mutex} is held by ${names}`;
    if (holders.some((holder) => sectorOf(holder) !== sector)) return `${mutex} is held outside ${sector} by ${names}`;
    const size = view
      .clustersOf(cluster.orgId)
      .filter((each) => sectorOf(each) === sector && mutexesOf(each).has(mutex)).length;
    if (holders.length + 1 > limitOf(limit, size))
      return `${mutex} in ${sector} is held by ${names}, its limit is ${limit} of ${size}`;
  }
  return undefined;
};

/** Half goes to the even number; never none. */
function limitOf(text: string, size: number): number {
  if (!text.endsWith('%')) return Math.max(1, Number(text));
  const exact = (Number(text.slice(0, -1)) * size) / 100;
  const down = Math.floor(exact);
  if (exact - down === 0.5) return Math.max(1, down + (down % 2));
  return Math.max(1, Math.round(exact));
}

const afterDependencies: Promised = (asked) => {
  if (asked.kind === 'node_pool') return undefined;
  const { view, cluster, version, versionOf } = asked;
  for (const workload of workloadsOf(cluster) ?? []) {
    const behind = checkpoints(view, cluster, workload).find(
      ({ row }) => compare(versionOf(row.id) ?? row.version.rawId, version) < 0,
    );
    if (behind !== undefined)
      return `${behind.row.name} of ${sectorOf(behind)} is still on ${versionOf(behind.row.id)}, with ${workload}`;
  }
  return inheritedFloor(asked);
};

/** Clusters with the workload in the sectors that a cluster depends on; a sector without any stands for its own. */
function checkpoints(view: View, cluster: ToldCluster, workload: string): ToldCluster[] {
  const labels = view.labelsOf(cluster.orgId);
  const found: ToldCluster[] = [];
  const seen = new Set<string>();
  const visit = (sector: string): void => {
    for (const dependency of dependenciesOf(labels, sector)) {
      if (seen.has(dependency)) continue;
      seen.add(dependency);
      const members = view
        .clustersOf(cluster.orgId)
        .filter((each) => sectorOf(each) === dependency && mayRun(each, workload));
      found.push(...members);
      if (members.length === 0) visit(dependency);
    }
  };
  visit(sectorOf(cluster) ?? '');
  return found;
}

function dependenciesOf(labels: AusLabels, sector: string): string[] {
  return membersIn(labels[`sector-deps.${sector}`]);
}

function mayRun(cluster: ToldCluster, workload: string): boolean {
  return workloadsOf(cluster)?.includes(workload) ?? true;
}

/**
 * Those whose history is used have the version everywhere: with the workload, or at all if they do not know it. Their
 * history may be stored anew while somebody decides; any that was there meanwhile will do.
 */
function inheritedFloor({ view, cluster, version, soak }: Asked): string | undefined {
  const workloads = workloadsOf(cluster) ?? [];
  const sources = sourcesOf(view, cluster.orgId).filter((source) => source !== cluster.orgId);
  const histories = sources.map((source) => soak.seenSince(source, view.startedAt));
  const never = sources.find((_, index) => histories[index]?.length === 0);
  if (never !== undefined) return `${never}, whose history is inherited, was never seen`;
  const behind = combinations(histories).map((sources) => lowest(counting(sources, workloads)));
  const [first] = behind;
  if (first === undefined || behind.some((each) => each === undefined || compare(each.row.version.rawId, version) >= 0))
    return undefined;
  return `${first.row.name}, whose history is inherited, was seen on ${first.row.version.rawId}`;
}

function combinations(histories: readonly (readonly (readonly ToldCluster[])[])[]): ToldCluster[][] {
  return histories.reduce<ToldCluster[][]>(
    (before, each) => (each.length === 0 ? before : before.flatMap((some) => each.map((more) => [...some, ...more]))),
    [[]],
  );
}

function counting(sources: readonly ToldCluster[], workloads: readonly string[]): readonly ToldCluster[] {
  const known = workloads.every((workload) => sources.some((each) => workloadsOf(each)?.includes(workload)));
  return known
    ? sources.filter((each) => workloadsOf(each)?.some((workload) => workloads.includes(workload)))
    : sources;
}

function lowest(clusters: readonly ToldCluster[]): ToldCluster | undefined {
  return clusters.toSorted((a, b) => compare(a.row.version.rawId, b.row.version.rawId))[0];
}

const soaked: Promised = ({ view, cluster, version, kind, soak }) => {
  if (kind === 'node_pool') return undefined;
  const days = Number(cluster.labels['soak-days'] ?? Number.NaN);
  if (!(days >= 0)) return 'nobody knows how long it is to soak';
  for (const workload of workloadsOf(cluster) ?? []) {
    const organizations = [cluster.orgId, ...sourcesOf(view, cluster.orgId)];
    const total = organizations.reduce((sum, orgId) => sum + soak.soaked(orgId, version, workload), 0);
    if (total + TOLERANCE_MS < days * DAY_MS)
      return `${workload} can have soaked ${(total / DAY_MS).toFixed(3)} days at most, of ${days}`;
  }
  return undefined;
};

/** A slot is asked for within this time before it. */
const WINDOW_MS = 2 * 3_600_000;

const onSchedule: Promised = ({ cluster, nextRun, clock }) => {
  const text = cluster.labels['schedule'] ?? '';
  const start = new Date(nextRun).toISOString();
  if (!readSchedule(text)?.matches(new Date(nextRun))) return `${start} is no slot of ${JSON.stringify(text)}`;
  if (nextRun - clock < LEAD_TIME) return `${start} is less than ${LEAD_TIME / 60_000} minutes ahead`;
  return nextRun - clock > WINDOW_MS ? `${start} is more than two hours ahead` : undefined;
};

/** A rule, and no promise of its own. */
const inHealth: Promised = ({ cluster: { row } }) => {
  if (row.state !== 'ready') return `it is ${row.state}`;
  return row.healthState === 'unhealthy' ? 'it is unhealthy' : undefined;
};

export const PROMISES: Readonly<Record<string, Promised>> = {
  U1: blocked,
  U2: exclusive,
  U3: afterDependencies,
  U4: soaked,
  U5: onSchedule,
  healthGate: inHealth,
};
