import type { OcmClient } from '../../../clients/ocm/index.ts';
import {
  type Labels,
  parseClusterLabels,
  parseOrganizationLabels,
  type SectorSpec,
  unblocked,
} from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { textTable } from '../../output/table.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { blocksIn } from './get-version-blocks.ts';
import { type AusFlags, openOcm } from './login.ts';
import { listMembers, type Member, organizationId, organizationLabels } from './organization.ts';

export interface StatusFlags extends AusFlags {
  readonly output: AusFormat;
  readonly showAllClusters?: boolean;
}

interface ClusterStatus {
  readonly name: string;
  readonly product: string;
  readonly version: string;
  readonly channel: string;
  /** Whether its policy is valid and its sector declared, so that it is upgraded. */
  readonly enabled: boolean;
  readonly schedule: string;
  readonly sector: string;
  readonly mutexes: readonly string[];
  readonly soakDays: string;
  readonly workloads: readonly string[];
  readonly blockedVersions: readonly string[];
  /** Without what is blocked. */
  readonly availableUpgrades: readonly string[];
}

/** Shows the whole configuration of an organization: blocks, inheritance, sectors, and clusters with their policies. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const { client, url } = openOcm(io, flags, { readOnly: true });
  const orgId = await organizationId(client, flags);
  const labels = await organizationLabels(client, orgId);
  const members = await listMembers(client, orgId);
  const { sectors, inherit, publish } = parseOrganizationLabels(labels, { strict: true });
  const blocked = blocksIn(labels);
  const clusters = members
    .filter((member) => flags.showAllClusters === true || Object.keys(member.labels).length > 0)
    .map((member) => statusOf(member, blocked, new Set(sectors.map(({ name }) => name))));
  const head = { orgId, name: await nameOf(client, orgId), environment: url };
  const all = { ...head, blockedVersions: blocked, inherit, publish, sectors, clusters };
  await writerFor(WRITERS, flags.output, 'aus status')(io, all, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

interface OrganizationStatus {
  readonly orgId: string;
  readonly name: string;
  /** Address of OCM. */
  readonly environment: string;
  readonly blockedVersions: readonly string[];
  readonly inherit: readonly string[];
  readonly publish: readonly string[];
  readonly sectors: readonly SectorSpec[];
  readonly clusters: readonly ClusterStatus[];
}

const WRITERS: Writers<OrganizationStatus, AusFormat> = {
  table: (io, all, paint) => {
    const facts = [
      ['Organization ID:', all.orgId],
      ['Organization name:', all.name],
      ['OCM environment:', all.environment],
      ['Blocked versions:', listed(all.blockedVersions)],
      ['Inherits from:', listed(all.inherit)],
      ['Publishes to:', listed(all.publish)],
    ];
    for (const [title = '', value = ''] of facts) io.stdout.write(`${title.padEnd(20)}${value}\n`);
    printSectors(io, all.sectors, paint);
    printClusters(io, all.clusters, paint);
  },
  ...documentWriters((all: OrganizationStatus) => ({ apiVersion: API_VERSION, kind: 'UpgradeStatus', ...all })),
};

async function nameOf(client: OcmClient, id: string): Promise<string> {
  const { items } = await client.listOrganizations({ by: { field: 'id', values: [id] } });
  return items[0]?.name ?? '-';
}

function statusOf(
  { name, cluster, labels }: Member,
  blocked: readonly string[],
  sectors: ReadonlySet<string>,
): ClusterStatus {
  const { policy, known } = parseClusterLabels(labels as Labels, { strict: true });
  const blockedVersions = known.blockedVersions ?? [];
  return {
    name,
    product: cluster?.productId ?? '-',
    version: cluster?.version.rawId ?? '-',
    channel: cluster?.version.channelGroup ?? '-',
    enabled: policy !== undefined && (policy.sector === undefined || sectors.has(policy.sector)),
    schedule: known.schedule ?? '-',
    sector: known.sector ?? '-',
    mutexes: known.mutexes ?? [],
    soakDays: known.soakDays === undefined ? '-' : String(known.soakDays),
    workloads: known.workloads ?? [],
    blockedVersions,
    availableUpgrades: unblocked(cluster?.version.availableUpgrades ?? [], [...blocked, ...blockedVersions]),
  };
}

function printSectors(io: Io, sectors: readonly SectorSpec[], paint: Paint): void {
  io.stdout.write(`\nSectors: ${sectors.length}\n`);
  if (sectors.length === 0) return;
  const rows = sectors.map(({ name, dependencies, maxParallelUpgrades }) => [
    ...[name, listed(dependencies), maxParallelUpgrades ?? '-'],
  ]);
  const titles = ['NAME', 'DEPENDS ON', 'MAX PARALLEL'];
  io.stdout.write(textTable(titles, rows, paint));
}

const COLUMNS = [
  ...['CLUSTER', 'PRODUCT', 'VERSION', 'CHANNEL', 'AUS', 'SCHEDULE', 'SECTOR', 'MUTEXES', 'SOAK DAYS', 'WORKLOADS'],
  ...['BLOCKED', 'AVAILABLE UPGRADES'],
];

function printClusters(io: Io, clusters: readonly ClusterStatus[], paint: Paint): void {
  io.stdout.write(`\nClusters: ${clusters.length}\n`);
  if (clusters.length === 0) return;
  const rows = clusters.map((each) => [
    ...[each.name, each.product, each.version, each.channel, each.enabled ? 'yes' : 'no', each.schedule, each.sector],
    ...[listed(each.mutexes), each.soakDays, listed(each.workloads), listed(each.blockedVersions)],
    listed(each.availableUpgrades),
  ]);
  io.stdout.write(textTable(COLUMNS, rows, paint));
}

function listed(members: readonly string[]): string {
  return members.length === 0 ? '-' : members.join(', ');
}
