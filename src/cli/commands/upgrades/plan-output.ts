import { count } from '../../../base/index.ts';
import {
  type ClusterAction,
  type ClusterPlan,
  clusterChanges,
  type Fault,
  type OrganizationPlan,
  planCounts,
  planDocument,
  planObstacles,
  type UpgradePlan,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Colour, Paint } from '../../output/colour.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { markdownTable, textTable } from '../../output/table.ts';
import { line } from '../../output/terminal.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';

const COLOURS: Readonly<Partial<Record<ClusterAction, Colour>>> = {
  upgrade: 'green',
  'upgrade-node-pool': 'green',
  'switch-channel': 'green',
  cancel: 'red',
  'agree-gates': 'yellow',
  hold: 'yellow',
};

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

/** Prints a plan: every cluster with its action and reason, then a summary. */
export async function printPlan(io: Io, plan: UpgradePlan, format: Format, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'upgrades plan')(io, plan, paint);
}

const WRITERS: Writers<UpgradePlan> = {
  table: inTable({ wide: false }, (titles, cells, rows, paint) =>
    coloured(textTable(titles, cells, paint), rows, paint),
  ),
  wide: inTable({ wide: true }, (titles, cells, rows, paint) => coloured(textTable(titles, cells, paint), rows, paint)),
  ...documentWriters((plan: UpgradePlan) => ({ apiVersion: API_VERSION, kind: 'UpgradePlan', ...planDocument(plan) })),
  name: (io, plan) => {
    for (const { name } of clusterChanges(plan)) io.stdout.write(line(`cluster/${name}`));
  },
  markdown: inTable({ wide: false }, (titles, cells) => `${markdownTable(titles, cells)}\n`),
};

type TableOf = (titles: readonly string[], cells: string[][], rows: readonly Row[], paint: Paint) => string;

/** Clusters with nothing newer are shown only with `-o wide`. */
function inTable({ wide }: { readonly wide: boolean }, tableOf: TableOf): Writer<UpgradePlan> {
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

/** The colour only repeats the text. */
function coloured(table: string, rows: readonly Row[], paint: Paint): string {
  const [title = '', ...lines] = table.split('\n');
  const painted = lines.map((text, index) => {
    const action = rows[index]?.cluster.action;
    const colour = action === undefined ? undefined : COLOURS[action];
    if (colour === undefined || action === undefined) return text;
    return text.replace(` ${action} `, ` ${paint(colour, action)} `);
  });
  return [title, ...painted].join('\n');
}

function summaryText(plan: UpgradePlan): string {
  const summary = planCounts(plan);
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
    ...(summary['agree-gates'] === 0 ? [] : [`${summary['agree-gates']} waiting for gate agreements`]),
    ...(summary.hold === 0 ? [] : [`${summary.hold} held`]),
    `${summary.none} with nothing newer`,
  ];
  return `Plan: ${changes.join(', ')}; ${rest.join(', ')}.`;
}

/** Reports on standard error what could not be observed, and what stops or delays an organization; whether the service failed. */
export function reportObstacles(io: Io, plan: UpgradePlan, paint: Paint): boolean {
  const obstacles = planObstacles(plan);
  for (const obstacle of obstacles) {
    if (obstacle.kind === 'fault') writeFault(io, obstacle.subject, obstacle.fault, paint);
    else io.stderr.write(line(`${paint('yellow', `${obstacle.kind}:`)} ${obstacle.subject}: ${obstacle.reason}`));
  }
  return obstacles.some(({ kind }) => kind === 'fault');
}

export function writeFault(io: Io, what: string, { code, message, hint }: Fault, paint: Paint): void {
  io.stderr.write(line(`${paint('red', 'error:')} ${what}: ${message} [${code}]`) + line(`    ${hint}`));
}
