import { defined, memoize } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type {
  ClusterKey,
  KnownPolicy,
  OrgSpec,
  PolicyProblem,
  SectorSpec,
  UpgradePolicy,
} from '../policies/org-spec.ts';
import type { MutexMember } from './mutexes.ts';
import type { Rules } from './rules.ts';
import type { SectorMember } from './sectors.ts';
import type { InheritedLedger, Ledger } from './soak.ts';
import { compareVersions, type Version } from './versions.ts';

export interface NodePool {
  readonly id: string;
  readonly version: Version;
}

/** A cluster as OCM shows it. */
export interface ClusterState extends ClusterKey {
  /** Of the control plane where that is hosted. */
  readonly version: Version;
  /** In API order; not yet validated as versions. */
  readonly availableUpgrades: readonly string[];
  readonly channel: string;
  readonly availableChannels: readonly string[];
  /** ROSA with a hosted control plane: control plane and node pools are upgraded one after the other. */
  readonly hosted: boolean;
  readonly sts: boolean;
  /** In the order of the API. */
  readonly nodePools: readonly NodePool[];
  /** `ready`, or what keeps it from being served, such as `hibernating`. */
  readonly state: string;
  /** What an enforced health check reports; absent when healthy. */
  readonly healthFault?: string;
}

export type ServedCluster = ClusterState & { readonly policy: UpgradePolicy };

/** A cluster that is not upgraded, but counts in its sector and mutexes as far as its policy is known. */
export interface HeldCluster extends ClusterState {
  /** Unknown workloads count as all: a broken canary keeps holding production back. */
  readonly known: KnownPolicy;
  readonly held: string;
}

/** A scheduled upgrade: an upgrade policy as OCM has it. */
export interface ScheduledUpgrade {
  readonly kind: 'cluster' | 'control_plane' | 'node_pool';
  readonly clusterId: ClusterKey['id'];
  readonly id: string;
  readonly version: string;
  readonly state: string;
  readonly nextRun?: Instant;
  readonly nodePool?: string;
  /** Created by Echelon. */
  readonly ours: boolean;
}

export interface VersionGate {
  readonly id: string;
  /** A minor, such as `4.14`. */
  readonly prefix: string;
  readonly label: string;
}

/** Everything that a decision for one organization depends on, except the time and the rules. */
export interface OrgFacts {
  readonly blockedVersions: readonly string[];
  /** Times without upgrades, as `FROM/UNTIL=REASON`. */
  readonly freezes: readonly string[];
  readonly sectors: readonly SectorSpec[];
  /** In order of discovery. */
  readonly clusters: readonly ServedCluster[];
  readonly held: readonly HeldCluster[];
  readonly problems: readonly PolicyProblem[];
  /** In read order. */
  readonly policies: readonly ScheduledUpgrade[];
  readonly gates: readonly VersionGate[];
  /** Ids of the gates with an agreement, by cluster; an absent cluster has none. */
  readonly agreements: ReadonlyMap<ClusterKey['id'], ReadonlySet<string>>;
  /** As stored after the last observation. */
  readonly ledger: Ledger;
  readonly inherited: readonly InheritedLedger[];
}

/** What is known of an organization apart from its clusters. */
export type Surroundings = Pick<OrgFacts, 'policies' | 'gates' | 'agreements' | 'ledger' | 'inherited'>;

/** Joins an organization's declared policies with what OCM shows; a cluster that OCM does not show is left out. */
export function orgFacts(spec: OrgSpec, states: readonly ClusterState[], around: Surroundings): OrgFacts {
  const byId = new Map(states.map((state) => [state.id, state]));
  const clusters: ServedCluster[] = [];
  const held: HeldCluster[] = [];
  for (const cluster of spec.clusters) {
    const state = byId.get(cluster.id);
    if (state === undefined) continue;
    if ('held' in cluster) held.push({ ...state, known: cluster.known, held: cluster.held });
    else if (state.state !== 'ready') held.push({ ...state, known: cluster.policy, held: `it is ${state.state}` });
    else clusters.push({ ...state, policy: cluster.policy });
  }
  const { blockedVersions, freezes, sectors, problems } = spec;
  return { blockedVersions, freezes, sectors, clusters, held, problems, ...around };
}

/** A cluster that counts in its sector and mutexes, whether it may be upgraded or not. */
export interface Member extends MutexMember, Pick<ClusterState, 'uuid' | 'version'> {
  readonly workloads?: readonly string[];
}

export function memberOf(cluster: ClusterState, { sector, mutexes = [], workloads }: KnownPolicy): Member {
  return {
    id: cluster.id,
    uuid: cluster.uuid,
    name: cluster.name,
    version: cluster.version,
    mutexes: [...mutexes, cluster.id],
    ...(sector === undefined || sector === '' ? {} : { sector }),
    ...defined({ workloads }),
  };
}

/** Clusters that count; held ones too, depending on the rules. */
export function membersOf({ clusters, held }: OrgFacts, rules: Rules): Member[] {
  return [
    ...clusters.map((cluster) => memberOf(cluster, cluster.policy)),
    ...(rules.heldClustersCount ? held.map((cluster) => memberOf(cluster, cluster.known)) : []),
  ];
}

/** Members of sectors. The existing scheduler identifies them by name, so of two with the same name the later counts. */
export function sectorMembers(members: readonly Member[], rules: Rules): (Member & SectorMember)[] {
  const byIdentity = new Map<string, Member & SectorMember>();
  for (const member of members) {
    const { sector } = member;
    if (sector === undefined) continue;
    const identity = rules.observedSoakOnly ? member.id : member.name;
    byIdentity.set(JSON.stringify([sector, identity]), { ...member, sector });
  }
  return [...byIdentity.values()];
}

/** The first node pool that is behind the control plane; they are upgraded one at a time. */
export function laggingPool({ hosted, nodePools, version }: ClusterState): NodePool | undefined {
  return hosted ? nodePools.find((pool) => compareVersions(pool.version, version) < 0) : undefined;
}

/** Versions whose soak concerns a cluster: what OCM offers, and the control plane's version while a node pool lags behind. */
export function versionsAhead(cluster: ClusterState): readonly string[] {
  const { availableUpgrades, version } = cluster;
  return laggingPool(cluster) === undefined || availableUpgrades.includes(version)
    ? availableUpgrades
    : [version, ...availableUpgrades];
}

const Y_STREAM = /^(.+)-(\d+)\.(\d+)$/;

/** The channel of the next minor, or for `eus` of the next even one; undefined for a channel without a minor. */
export const nextChannel = memoize(1_000, (channel): string | undefined => {
  const [, prefix, major, minor] = Y_STREAM.exec(channel) ?? [];
  if (minor === undefined) return undefined;
  const step = prefix === 'eus' && Number(minor) % 2 === 0 ? 2 : 1;
  return `${prefix}-${major}.${Number(minor) + step}`;
});

/** The channel to switch to, where the cluster's version offers it. */
export function offeredChannel({ channel, availableChannels }: ClusterState): string | undefined {
  const next = nextChannel(channel);
  return next !== undefined && availableChannels.includes(next) ? next : undefined;
}
