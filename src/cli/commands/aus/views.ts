import { count, defined, textTable } from '../../../base/index.ts';
import {
  type ClosedGate,
  clusterTable,
  type OrganizationStatus,
  type PolicyFinding,
  sectorTable,
  servedOrganizations,
  statusFacts,
} from '../../../upgrades/index.ts';
import type { InstanceFlags } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import { API_VERSION, document, documentWriters, type Writers, writerFor } from '../../output/formats.ts';
import { fitting, line, type Paint, paintFor } from '../../output/terminal.ts';
import { type AusFlags, openAus } from './input.ts';

/** Prints the policies of an organization, in the shape that `apply policies` reads. Invalid ones are left out and reported. */
export async function getPolicies(io: Io, flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  const { policies, invalid } = await service.policies();
  for (const name of invalid)
    io.stderr.write(line(`warning: the policy of ${name} is not valid and is left out: run echelon aus validate`));
  io.stdout.write(await document('json', policies));
  return EXIT.ok;
}

export interface GetGatesFlags extends AusFlags {
  readonly output: AusFormat;
}

const TITLES = ['CLUSTER', 'VERSION', 'GATED VERSION', 'GATE', 'ID', 'DESCRIPTION', 'DOCUMENTATION'];

/** Lists version gates of clusters that lack an agreement. */
export async function getGates(io: Io, flags: GetGatesFlags): Promise<number> {
  const rows = await openAus(io, flags, { readOnly: true }).service.closedGates();
  await writerFor(GATES_WRITERS, flags.output, 'aus get gates')(io, rows, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

const GATES_WRITERS: Writers<readonly ClosedGate[], AusFormat> = {
  table: (io, rows, paint) => {
    const cells = rows.map(({ cluster, version, gate }) => [
      ...[cluster, version, gate.versionPrefix, gate.label, gate.id],
      ...[gate.description || '-', gate.documentationUrl || '-'],
    ]);
    if (rows.length === 0) io.stderr.write('no version gate needs an agreement\n');
    else io.stdout.write(textTable(TITLES, cells, paint, fitting(io)));
  },
  ...documentWriters((rows: readonly ClosedGate[]) => ({
    apiVersion: API_VERSION,
    kind: 'VersionGateList',
    items: rows.map(({ gate, ...row }) => ({
      ...{ ...row, gatedVersion: gate.versionPrefix, gate: gate.label, id: gate.id },
      ...{ description: gate.description, documentation: gate.documentationUrl },
    })),
  })),
};

/** Prints a part of an organization's configuration, in the shape that `apply` reads. */
export async function getJson(io: Io, part: 'versionBlocks' | 'freezes' | 'sectors', flags: AusFlags): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  io.stdout.write(await document('json', await service[part]()));
  return EXIT.ok;
}

export interface StatusFlags extends AusFlags {
  readonly output: AusFormat;
  readonly showAllClusters?: boolean;
}

/** Shows the whole configuration of an organization: blocks, inheritance, sectors, and clusters with their policies. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const { service, url } = openAus(io, flags, { readOnly: true });
  const { orgId, name, ...configured } = await service.status(flags.showAllClusters === true);
  const all = { orgId, name, environment: url, ...configured };
  await writerFor(STATUS_WRITERS, flags.output, 'aus status')(io, all, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

const STATUS_WRITERS: Writers<OrganizationStatus, AusFormat> = {
  table: (io, all, paint) => {
    for (const [title, value] of statusFacts(all)) io.stdout.write(line(`${title.padEnd(20)}${value}`));
    const tables = { Sectors: sectorTable(all), Clusters: clusterTable(all) };
    for (const [name, { titles, rows }] of Object.entries(tables)) {
      io.stdout.write(`\n${name}: ${rows.length}\n`);
      if (rows.length > 0) io.stdout.write(textTable(titles, rows, paint, fitting(io)));
    }
  },
  ...documentWriters((all: OrganizationStatus) => ({ apiVersion: API_VERSION, kind: 'UpgradeStatus', ...all })),
};

/** The configuration of the scheduler is optional: owners of an organization may not have it. */
export interface AusValidateFlags extends AusFlags, InstanceFlags {
  readonly configFile?: string;
  readonly output: AusFormat;
}

interface Findings {
  readonly orgId: string;
  readonly findings: readonly PolicyFinding[];
  readonly errors: number;
}

const VALIDATE_WRITERS: Writers<Findings, AusFormat> = {
  table: (io, { findings, errors }, paint) => {
    writeFindings(io, findings, paint);
    io.stdout.write(`${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}.\n`);
  },
  ...documentWriters(({ orgId, findings }: Findings) => ({
    apiVersion: API_VERSION,
    kind: 'PolicyFindingList',
    orgId,
    items: findings,
  })),
};

/** Reads all labels of an organization as the scheduler does, and reports problems. Exits 1 on errors. */
export async function ausValidate(io: Io, flags: AusValidateFlags, now = new Date()): Promise<number> {
  const { service } = openAus(io, flags, { readOnly: true });
  const { orgId, findings } = await service.validate(now, await servedBy(io, flags));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const write = writerFor(VALIDATE_WRITERS, flags.output, 'aus validate');
  await write(io, { orgId, findings, errors }, paintFor(io.stderr, io.env, flags.color));
  return errors > 0 ? EXIT.failed : EXIT.ok;
}

async function servedBy(
  io: Io,
  { configFile, data, config }: AusValidateFlags,
): Promise<((orgId: string) => boolean) | undefined> {
  if (configFile === undefined && data === undefined) return undefined;
  const { upgradesPorts } = await import('../upgrades/ports.ts');
  const settings = defined({ configFile, data, config });
  const { isServed, notes } = await servedOrganizations(settings, upgradesPorts(io, settings, { readOnly: true }));
  for (const note of notes) io.stderr.write(line(`warning: ${note}`));
  return isServed;
}

export function writeFindings(io: Io, findings: readonly PolicyFinding[], paint: Paint): void {
  for (const { severity, cluster, key, message, hint } of findings) {
    const whose = cluster === undefined ? '' : `${cluster}: `;
    const what = paint(severity === 'error' ? 'red' : 'yellow', `${severity}:`);
    io.stderr.write(line(`${what} ${whose}${key}: ${message}`) + line(`    ${hint}`));
  }
}

/** The output formats of the existing plugin. */
export const AUS_FORMATS = ['table', 'json', 'yaml'] as const;
type AusFormat = (typeof AUS_FORMATS)[number];
