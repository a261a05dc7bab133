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
import type { Context, Printer } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { document, documentWriters, print, type Writers } from '../../output/formats.ts';
import type { AusFlags, AusShownFlags, AusStatusFlags, AusValidateFlags } from './commands.ts';
import { openAus } from './input.ts';

type AusFormat = AusShownFlags['output'];

/** Prints the policies of an organization, in the shape that `apply policies` reads. Invalid ones are left out and reported. */
export async function getPolicies(ctx: Context, flags: AusFlags): Promise<number> {
  const { service } = openAus(ctx, flags, { readOnly: true });
  const { policies, invalid } = await service.policies();
  for (const name of invalid)
    ctx.err.line(`warning: the policy of ${name} is not valid and is left out: run echelon aus validate`);
  ctx.out.write(await document('json', policies));
  return EXIT.ok;
}

const TITLES = ['CLUSTER', 'VERSION', 'GATED VERSION', 'GATE', 'ID', 'DESCRIPTION', 'DOCUMENTATION'];

/** Lists version gates of clusters that lack an agreement. */
export async function getGates(ctx: Context, flags: AusShownFlags): Promise<number> {
  const rows = await openAus(ctx, flags, { readOnly: true }).service.closedGates();
  await print(ctx, GATES_WRITERS, flags.output, rows);
  return EXIT.ok;
}

const GATES_WRITERS: Writers<readonly ClosedGate[], AusFormat> = {
  table: ({ out, err }, rows) => {
    const cells = rows.map(({ cluster, version, gate }) => [
      ...[cluster, version, gate.versionPrefix, gate.label, gate.id],
      ...[gate.description || '-', gate.documentationUrl || '-'],
    ]);
    if (rows.length === 0) err.write('no version gate needs an agreement\n');
    else out.write(textTable(TITLES, cells, out.paint, out.style()));
  },
  ...documentWriters('VersionGateList', (rows: readonly ClosedGate[]) => ({
    items: rows.map(({ gate, ...row }) => ({
      ...{ ...row, gatedVersion: gate.versionPrefix, gate: gate.label, id: gate.id },
      ...{ description: gate.description, documentation: gate.documentationUrl },
    })),
  })),
};

/** Prints a part of an organization's configuration, in the shape that `apply` reads. */
export async function getJson(
  ctx: Context,
  part: 'versionBlocks' | 'freezes' | 'sectors',
  flags: AusFlags,
): Promise<number> {
  const { service } = openAus(ctx, flags, { readOnly: true });
  ctx.out.write(await document('json', await service[part]()));
  return EXIT.ok;
}

/** Shows the whole configuration of an organization: blocks, inheritance, sectors, and clusters with their policies. */
export async function status(ctx: Context, flags: AusStatusFlags): Promise<number> {
  const { service, url } = openAus(ctx, flags, { readOnly: true });
  const { orgId, name, ...configured } = await service.status(flags.showAllClusters === true);
  const all = { orgId, name, environment: url, ...configured };
  await print(ctx, STATUS_WRITERS, flags.output, all);
  return EXIT.ok;
}

const STATUS_WRITERS: Writers<OrganizationStatus, AusFormat> = {
  table: ({ out }, all) => {
    for (const [title, value] of statusFacts(all)) out.line(`${title.padEnd(20)}${value}`);
    const tables = { Sectors: sectorTable(all), Clusters: clusterTable(all) };
    for (const [name, { titles, rows }] of Object.entries(tables)) {
      out.write(`\n${name}: ${rows.length}\n`);
      if (rows.length > 0) out.write(textTable(titles, rows, out.paint, out.style()));
    }
  },
  ...documentWriters('UpgradeStatus', (all: OrganizationStatus) => all),
};

interface Findings {
  readonly orgId: string;
  readonly findings: readonly PolicyFinding[];
  readonly errors: number;
}

const VALIDATE_WRITERS: Writers<Findings, AusFormat> = {
  table: ({ out, err }, { findings, errors }) => {
    writeFindings(err, findings);
    out.write(`${count(errors, 'error')}, ${count(findings.length - errors, 'warning')}.\n`);
  },
  ...documentWriters('PolicyFindingList', ({ orgId, findings }: Findings) => ({ orgId, items: findings })),
};

/** Reads all labels of an organization as the scheduler does, and reports problems. Exits 1 on errors. */
export async function ausValidate(ctx: Context, flags: AusValidateFlags): Promise<number> {
  const { service } = openAus(ctx, flags, { readOnly: true });
  const { orgId, findings } = await service.validate(ctx.clock.now(), await servedBy(ctx, flags));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  await print(ctx, VALIDATE_WRITERS, flags.output, { orgId, findings, errors });
  return errors > 0 ? EXIT.failed : EXIT.ok;
}

async function servedBy(
  ctx: Context,
  { configFile, data, config }: AusValidateFlags,
): Promise<((orgId: string) => boolean) | undefined> {
  if (configFile === undefined && data === undefined) return undefined;
  const { upgradesPorts } = await import('../upgrades/ports.ts');
  const settings = defined({ configFile, data, config });
  const { isServed, notes } = await servedOrganizations(settings, upgradesPorts(ctx, settings, { readOnly: true }));
  for (const note of notes) ctx.err.line(`warning: ${note}`);
  return isServed;
}

export function writeFindings({ paint, line }: Printer, findings: readonly PolicyFinding[]): void {
  for (const { severity, cluster, key, message, hint } of findings) {
    const whose = cluster === undefined ? '' : `${cluster}: `;
    const what = paint(severity === 'error' ? 'red' : 'yellow', `${severity}:`);
    line(`${what} ${whose}${key}: ${message}`);
    line(`    ${hint}`);
  }
}
