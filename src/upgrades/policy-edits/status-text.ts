import type { Table } from '../../base/index.ts';
import type { ConfiguredOrganization } from './organization-status.ts';

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
