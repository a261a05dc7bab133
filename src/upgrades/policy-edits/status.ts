import type { Table } from '../../base/index.ts';
import type { Labels } from '../policies/label-keys.ts';
import { parseClusterLabels, parseOrganizationLabels } from '../policies/labels.ts';
import type { SectorSpec } from '../policies/org-spec.ts';
import { unblocked } from './agreements.ts';
import type { Member } from './members.ts';
import { listIn } from './organization.ts';

/** The configuration of one cluster. */
interface ConfiguredCluster {
  readonly name: string;
  readonly product: string;
  readonly version: string;
  readonly channel: string;
  /** Whether its policy is valid and its sector declared. */
  readonly enabled: boolean;
  readonly schedule: string;
  readonly sector: string;
  readonly mutexes: readonly string[];
  readonly soakDays: string;
  readonly workloads: readonly string[];
  readonly blockedVersions: readonly string[];
  readonly freezes: readonly string[];
  /** Without blocked versions. */
  readonly availableUpgrades: readonly string[];
}

/** The whole configuration of an organization: blocks, freezes, inheritance, sectors, and clusters with their policies. */
export interface ConfiguredOrganization {
  readonly blockedVersions: readonly string[];
  /** Times without upgrades, as in the label. */
  readonly freezes: readonly string[];
  readonly inherit: readonly string[];
  readonly publish: readonly string[];
  readonly sectors: readonly SectorSpec[];
  readonly clusters: readonly ConfiguredCluster[];
}

export function organizationStatus(labels: Labels, members: readonly Member[]): ConfiguredOrganization {
  const { sectors, inherit, publish } = parseOrganizationLabels(labels, { strict: true });
  const [blocked, freezes] = [listIn('blockedVersions', labels), listIn('freezes', labels)];
  const names = new Set(sectors.map(({ name }) => name));
  return {
    ...{ blockedVersions: blocked, freezes, inherit, publish, sectors },
    clusters: members.map((member) => clusterStatus(member, blocked, names)),
  };
}

function clusterStatus(
  { name, cluster, labels }: Member,
  blocked: readonly string[],
  sectors: ReadonlySet<string>,
): ConfiguredCluster {
  const { policy, known } = parseClusterLabels(labels, { strict: true });
  const { blockedVersions = [], freezes = [], mutexes = [], workloads = [] } = known;
  return {
    name,
    product: cluster?.productId ?? '-',
    version: cluster?.version.rawId ?? '-',
    channel: cluster?.version.channelGroup ?? '-',
    enabled: policy !== undefined && (policy.sector === undefined || sectors.has(policy.sector)),
    schedule: known.schedule ?? '-',
    sector: known.sector ?? '-',
    mutexes,
    soakDays: known.soakDays === undefined ? '-' : String(known.soakDays),
    workloads,
    blockedVersions,
    freezes,
    availableUpgrades: unblocked(cluster?.version.availableUpgrades ?? [], [...blocked, ...blockedVersions]),
  };
}

export interface OrganizationStatus extends ConfiguredOrganization {
  readonly orgId: string;
  readonly name: string;
  /** Address of OCM. */
  readonly environment: string;
}

export function statusFacts(all: OrganizationStatus): [title: string, value: string][] {
  return [
    ['Organization ID:', all.orgId],
    ['Organization name:', all.name],
    ['OCM environment:', all.environment],
    ['Blocked versions:', listed(all.blockedVersions)],
    ['Freezes:', listed(all.freezes)],
    ['Inherits from:', listed(all.inherit)],
    ['Publishes to:', listed(all.publish)],
  ];
}

export function sectorTable({ sectors }: ConfiguredOrganization): Table {
  return {
    titles: ['NAME', 'DEPENDS ON', 'MAX PARALLEL'],
    rows: sectors.map(({ name, dependencies, maxParallelUpgrades }) => [
      ...[name, listed(dependencies), maxParallelUpgrades ?? '-'],
    ]),
  };
}

const CLUSTER_TITLES = [
  ...['CLUSTER', 'PRODUCT', 'VERSION', 'CHANNEL', 'AUS', 'SCHEDULE', 'SECTOR', 'MUTEXES', 'SOAK DAYS', 'WORKLOADS'],
  ...['BLOCKED', 'AVAILABLE UPGRADES'],
];

export function clusterTable({ clusters }: ConfiguredOrganization): Table {
  const rows = clusters.map((each) => [
    ...[each.name, each.product, each.version, each.channel, each.enabled ? 'yes' : 'no', each.schedule, each.sector],
    ...[listed(each.mutexes), each.soakDays, listed(each.workloads), listed(each.blockedVersions)],
    listed(each.availableUpgrades),
  ]);
  return { titles: CLUSTER_TITLES, rows };
}

function listed(members: readonly string[]): string {
  return members.length === 0 ? '-' : members.join(', ');
}
