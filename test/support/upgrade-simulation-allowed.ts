import { minorOf } from '../../src/upgrades/engine/versions.ts';
import type { Version } from '../../src/upgrades/index.ts';
import { GATE_LABELS } from '../../src/upgrades/policies/fields.ts';
import type { StateJson } from '../../src/upgrades/scheduler/state.ts';
import type { Simulation } from './upgrade-simulation.ts';
import { BAD_CLUSTER_LABELS } from './upgrade-simulation-fleet.ts';
import { DAY_MS, PROMISES } from './upgrade-simulation-promises.ts';
import type { SoakAccounts } from './upgrade-simulation-soak.ts';
import { mutexesOf, type ToldCluster, type View } from './upgrade-simulation-view.ts';

/** An upgrade that only the schedule and other upgrades can keep a cluster from. */
export interface Allowed {
  readonly clusterId: string;
  readonly version: string;
  /** Those whose upgrades it may have to wait for, and itself. */
  readonly rivals: ReadonlySet<string>;
}

/** What a cluster may take at any time; when is another matter. */
const AT_ANY_TIME = ['U1', 'U3', 'U4', 'healthGate'] as const;
const KNOWN_GATES: ReadonlySet<string> = new Set(Object.values(GATE_LABELS));

/** Upgrades that nothing in the configuration forbids, as one pass observed it. */
export async function allowedUpgrades(
  simulation: Simulation,
  view: View,
  organizations: readonly string[],
): Promise<Allowed[]> {
  const soak = { soaked: await claims(simulation), seenSince: simulation.soak.seenSince.bind(simulation.soak) };
  const versionOf = (id: string): string | undefined => simulation.world.state.clusters.get(id)?.version;
  const { now } = simulation;
  const isAllowed = (cluster: ToldCluster, version: string): boolean => {
    const times = { nextRun: now, clock: now };
    const asked = { view, cluster, version, versionOf, soak, ...times, busy: [], kind: 'cluster' as const };
    const isOpen = AT_ANY_TIME.every((promise) => PROMISES[promise]?.(asked) === undefined);
    return isOpen && isAgreed(simulation, cluster, version);
  };
  return organizations
    .flatMap((orgId) => view.clustersOf(orgId))
    .filter((cluster) => isServed(simulation, cluster))
    .flatMap((cluster) => {
      const version = cluster.row.version.availableUpgrades.find((each) => isAllowed(cluster, each));
      return version === undefined ? [] : [{ clusterId: cluster.row.id, version, rivals: rivalsOf(view, cluster) }];
    });
}

/** What the histories say, which may be less than what was to be seen: some of it was lost. */
async function claims({ store }: Simulation): Promise<SoakAccounts['soaked']> {
  const known = new Map<string, StateJson>();
  for (const key of store.keys()) {
    const text = new TextDecoder().decode((await store.read(key))?.value);
    known.set(key.slice(key.lastIndexOf('/') + 1), JSON.parse(text));
  }
  return (orgId, version, workload) =>
    (known.get(orgId)?.versions[version]?.workloads[workload]?.soak_days ?? 0) * DAY_MS;
}

/** Its labels can be read, it is not busy, and no node pool is behind. */
function isServed({ world }: Simulation, { row, labels }: ToldCluster): boolean {
  const isBad = BAD_CLUSTER_LABELS.some((bad) => Object.entries(bad).every(([key, value]) => labels[key] === value));
  const pools = world.state.nodePools.by('cluster', row.id);
  const policies = world.state.policies.by('cluster', row.id);
  return !isBad && policies.length === 0 && pools.every(({ version }) => version === row.version.rawId);
}

/** Gates of another minor were agreed to. OCM also requires one that is unknown here; the cluster then waits forever. */
function isAgreed({ world }: Simulation, { row }: ToldCluster, version: string): boolean {
  const minor = minorOf(version as Version);
  if (minor === minorOf(row.version.rawId as Version)) return true;
  const agreed = new Set(world.state.agreements.by('cluster', row.id).map(({ gateId }) => gateId));
  return [...world.state.gates.all()]
    .filter(({ versionPrefix, stsOnly }) => versionPrefix === minor && (!stsOnly || row.sts))
    .every(({ id, label }) => KNOWN_GATES.has(label) && agreed.has(id));
}

function rivalsOf(view: View, cluster: ToldCluster): ReadonlySet<string> {
  const mutexes = mutexesOf(cluster);
  const sharing = view.clustersOf(cluster.orgId).filter((each) => !mutexes.isDisjointFrom(mutexesOf(each)));
  return new Set(sharing.map(({ row }) => row.id));
}
