import type { ConfiguredCluster, ConfiguredOrganization } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { API_VERSION } from '../../output/format.ts';
import { textTable } from '../../output/table.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';
import type { AusFormat } from './aus-format.ts';
import { type AusFlags, openAus } from './login.ts';

export interface StatusFlags extends AusFlags {
  readonly output: AusFormat;
  readonly showAllClusters?: boolean;
}

/** Shows the whole configuration of an organization: blocks, inheritance, sectors, and clusters with their policies. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const { service, url } = openAus(io, flags, { readOnly: true });
  const { orgId, name, ...configured } = await service.status(flags.showAllClusters === true);
  const all = { orgId, name, environment: url, ...configured };
  await writerFor(WRITERS, flags.output, 'aus status')(io, all, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

interface OrganizationStatus extends ConfiguredOrganization {
  readonly orgId: string;
  readonly name: string;
  /** Address of OCM. */
  readonly environment: string;
}

const WRITERS: Writers<OrganizationStatus, AusFormat> = {
  table: (io, all, paint) => {
    const facts = [
      ['Organization ID:', all.orgId],
      ['Organization name:', all.name],
      ['OCM environment:', all.environment],
      ['Blocked versions:', listed(all.blockedVersions)],
      ['Freezes:', listed(all.freezes)],
      ['Inherits from:', listed(all.inherit)],
      ['Publishes to:', listed(all.publish)],
    ];
    for (const [title = '', value = ''] of facts) io.stdout.write(line(`${title.padEnd(20)}${value}`));
    printSectors(io, all.sectors, paint);
    printClusters(io, all.clusters, paint);
  },
  ...documentWriters((all: OrganizationStatus) => ({ apiVersion: API_VERSION, kind: 'UpgradeStatus', ...all })),
};

function printSectors(io: Io, sectors: ConfiguredOrganization['sectors'], paint: Paint): void {
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

function printClusters(io: Io, clusters: readonly ConfiguredCluster[], paint: Paint): void {
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
