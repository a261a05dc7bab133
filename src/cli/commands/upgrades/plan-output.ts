import { count } from '../../../base/index.ts';
import type { ClusterAction, ClusterPlan, Fault, FleetPlan, OrganizationPlan } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { markdownTable, textTable } from '../../output/table.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';

const COLOURS: Readonly<Partial<Record<ClusterAction, Colour>>> = {
  upgrade: 'green',
  'upgrade-node-pool': 'green',
  'switch-channel': 'green',
  cancel: 'red',
  'agree-gates': 'yellow',
  hold: 'yellow',
};

const CHANGES: ReadonlySet<ClusterAction> = new Set(['upgrade', 'upgrade-node-pool', 'switch-channel', 'cancel']);

interface Row {
  readonly organization: OrganizationPlan;
  readonly cluster: ClusterPlan;
}

interface Column {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly wide?: true;
}

const COLUMNS: readonly Column[] = [
  { title: 'ENVIRONMENT', cell: ({ organization }) => organization.environment, wide: true },
  { title: 'ORGANIZATION', cell: ({ organization }) => organization.name },
  { title: 'CLUSTER', cell: ({ cluster }) => cluster.name },
  { title: 'UUID', cell: ({ cluster }) => cluster.uuid, wide: true },
  { title: 'VERSION', cell: ({ cluster }) => cluster.version },
  { title: 'CHANNEL', cell: ({ cluster }) => cluster.channel, wide: true },
  { title: 'SECTOR', cell: ({ cluster }) => cluster.sector ?? '', wide: true },
  { title: 'ACTION', cell: ({ cluster }) => cluster.action },
  { title: 'TO', cell: ({ cluster }) => cluster.to ?? '' },
  { title: 'STARTS', cell: ({ cluster }) => cluster.startsAt ?? '' },
  { title: 'NODE POOL', cell: ({ cluster }) => cluster.nodePool ?? '', wide: true },
  { title: 'GATE', cell: ({ cluster }) => cluster.gate ?? '' },
  { title: 'NOT BEFORE', cell: ({ cluster }) => cluster.until ?? '', wide: true },
  { title: 'WHY', cell: ({ cluster }) => cluster.reason },
];

/** Prints a plan: what becomes of every cluster and why, then how many of each. */
export async function printPlan(io: Io, plan: FleetPlan, format: Format, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'upgrades plan')(io, plan, paint);
}

const WRITERS: Writers<FleetPlan> = {
  table: inTable({ wide: false }, (titles, cells, rows, paint) =>
    coloured(textTable(titles, cells, paint), rows, paint),
  ),
  wide: inTable({ wide: true }, (titles, cells, rows, paint) => coloured(textTable(titles, cells, paint), rows, paint)),
  ...documentWriters(planDocument),
  name: (io, plan) => {
    for (const { name } of changesIn(plan)) io.stdout.write(`cluster/${name}\n`);
  },
  markdown: inTable({ wide: false }, (titles, cells) => `${markdownTable(titles, cells)}\n`),
};

type TableOf = (titles: readonly string[], cells: string[][], rows: readonly Row[], paint: Paint) => string;

/** Clusters with nothing newer are shown by `-o wide` only. */
function inTable({ wide }: { readonly wide: boolean }, tableOf: TableOf): Writer<FleetPlan> {
  return (io, plan, paint) => {
    const rows = plan.organizations
      .flatMap((organization) => organization.clusters.map((cluster) => ({ organization, cluster })))
      .filter(({ cluster }) => wide || cluster.action !== 'none');
    const columns = COLUMNS.filter((column) => wide || column.wide !== true);
    const titles = columns.map(({ title }) => title);
    const cells = rows.map((row) => columns.map(({ cell }) => cell(row) || '-'));
    if (rows.length > 0) io.stdout.write(tableOf(titles, cells, rows, paint));
    io.stdout.write(`${paint('bold', summaryText(plan))}\n`);
  };
}

/** The words say it; the colour repeats it. */
function coloured(table: string, rows: readonly Row[], paint: Paint): string {
  const [title = '', ...lines] = table.split('\n');
  const painted = lines.map((line, index) => {
    const action = rows[index]?.cluster.action;
    const colour = action === undefined ? undefined : COLOURS[action];
    if (colour === undefined || action === undefined) return line;
    return line.replace(` ${action} `, ` ${paint(colour, action)} `);
  });
  return [title, ...painted].join('\n');
}

function isChange({ cluster }: Pick<Row, 'cluster'>): boolean {
  return CHANGES.has(cluster.action);
}

export function changesIn(plan: FleetPlan): ClusterPlan[] {
  return plan.organizations.flatMap(({ clusters }) => clusters.filter((cluster) => isChange({ cluster })));
}

type Summary = Readonly<Record<ClusterAction, number>>;

export function summaryOf(plan: FleetPlan): Summary {
  const summary: Record<ClusterAction, number> = {
    upgrade: 0,
    'upgrade-node-pool': 0,
    cancel: 0,
    'switch-channel': 0,
    'agree-gates': 0,
    wait: 0,
    hold: 0,
    none: 0,
  };
  for (const { clusters } of plan.organizations) for (const { action } of clusters) summary[action] += 1;
  return summary;
}

function summaryText(plan: FleetPlan): string {
  const summary = summaryOf(plan);
  const changes = [
    count(summary.upgrade, 'upgrade'),
    ...(summary['upgrade-node-pool'] === 0 ? [] : [count(summary['upgrade-node-pool'], 'node pool upgrade')]),
    ...(summary['switch-channel'] === 0
      ? []
      : [count(summary['switch-channel'], 'channel switch', 'channel switches')]),
    ...(summary.cancel === 0 ? [] : [count(summary.cancel, 'cancellation')]),
  ];
  const rest = [
    `${summary.wait} waiting`,
    ...(summary['agree-gates'] === 0 ? [] : [`${summary['agree-gates']} to agree to gates`]),
    ...(summary.hold === 0 ? [] : [`${summary.hold} held`]),
    `${summary.none} with nothing newer`,
  ];
  return `Plan: ${changes.join(', ')}; ${rest.join(', ')}.`;
}

/** For programs. */
function planDocument(plan: FleetPlan): object {
  return {
    apiVersion: API_VERSION,
    kind: 'UpgradePlan',
    summary: summaryOf(plan),
    environments: plan.environments,
    organizations: plan.organizations.map(({ problems, ...organization }) => ({
      ...organization,
      problems: problems.map(({ scope, ...problem }) => ({
        ...problem,
        ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
      })),
    })),
  };
}

/** Tells on standard error what could not be looked at, and what stops an organization; whether the service failed. */
export function reportObstacles(io: Io, plan: FleetPlan, paint: Paint): boolean {
  const failed = plan.environments.filter(({ fault }) => fault !== undefined);
  for (const { name, fault } of failed) if (fault !== undefined) writeFault(io, name, fault, paint);
  for (const { environment, orgId, name, skipped, faults, stopped } of plan.organizations) {
    const what = name === orgId ? `${environment}/${name}` : `${environment}/${name} (${orgId})`;
    for (const fault of [...skipped, ...faults]) writeFault(io, what, fault, paint);
    if (stopped !== undefined) io.stderr.write(`${paint('yellow', 'stopped:')} ${what}: ${stopped}\n`);
  }
  return failed.length > 0 || plan.organizations.some(({ skipped, faults }) => skipped.length > 0 || faults.length > 0);
}

export function writeFault(io: Io, what: string, { code, message, hint }: Fault, paint: Paint): void {
  io.stderr.write(`${paint('red', 'error:')} ${what}: ${message} [${code}]\n    ${hint}\n`);
}
