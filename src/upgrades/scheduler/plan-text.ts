import { byText, type Column, count, type Table, tableOf } from '../../base/index.ts';
import type { ClusterAction, ClusterPlan, OrganizationPlan, PlannedServiceLog, UpgradePlan } from './fleet-plan.ts';
import { planCounts, serviceLogCount } from './plan-document.ts';

interface Row {
  readonly organization: OrganizationPlan;
  readonly cluster: ClusterPlan;
  readonly starts: string;
}

export interface UpgradePlanTable extends Table {
  /** The action of each row. */
  readonly actions: readonly ClusterAction[];
  /** What tells each row from all others. */
  readonly keys: readonly string[];
}

/** Every cluster with its action and reason. Clusters with nothing newer only in the wide table. */
export function upgradePlanTable(
  plan: UpgradePlan,
  which: 'usual' | 'wide',
  startText = ({ startsAt = '' }: ClusterPlan): string => startsAt,
): UpgradePlanTable {
  const rows = plan.organizations
    .flatMap((organization) =>
      organization.clusters.map((cluster) => ({ organization, cluster, starts: startText(cluster) })),
    )
    .filter(({ cluster }) => which === 'wide' || cluster.action !== 'none')
    .sort(inOrder);
  return {
    ...tableOf(rows, COLUMNS, which),
    actions: rows.map(({ cluster }) => cluster.action),
    keys: rows.map(({ organization: { environment, orgId }, cluster: { id } }) => `${environment}/${orgId}/${id}`),
  };
}

/** As users look for a cluster: by organization, sector and name. */
function inOrder(a: Row, b: Row): number {
  return (
    byText(a.organization.environment, b.organization.environment) ||
    byText(a.organization.name, b.organization.name) ||
    byText(a.cluster.sector ?? '', b.cluster.sector ?? '') ||
    byText(a.cluster.name, b.cluster.name)
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ENVIRONMENT', cell: ({ organization }) => organization.environment, wide: true },
  { title: 'ORGANIZATION', cell: ({ organization }) => organization.name },
  { title: 'CLUSTER', cell: ({ cluster }) => cluster.name },
  { title: 'UUID', cell: ({ cluster }) => cluster.uuid, wide: true },
  { title: 'VERSION', cell: ({ cluster }) => cluster.version },
  { title: 'CHANNEL', cell: ({ cluster }) => cluster.channel, wide: true },
  { title: 'SECTOR', cell: ({ cluster }) => cluster.sector ?? '', wide: true },
  { title: 'ACTION', cell: ({ cluster }) => cluster.action },
  { title: 'TO', cell: ({ cluster: { to = '', nodePool } }) => (nodePool === undefined ? to : `${to} (${nodePool})`) },
  { title: 'STARTS', cell: ({ starts }) => starts },
  { title: 'GATE', cell: ({ cluster }) => cluster.gate ?? '' },
  { title: 'NOT BEFORE', cell: ({ cluster }) => cluster.until ?? '', wide: true },
  { title: 'WHY', cell: ({ cluster }) => cluster.reason },
];

/** `Plan: 1 upgrade; 3 waiting, 2 with nothing newer.` */
export function upgradePlanSummary(plan: UpgradePlan): string {
  const summary = planCounts(plan);
  const logs = serviceLogCount(plan);
  const changes = [
    count(summary.upgrade, 'upgrade'),
    ...(summary['upgrade-node-pool'] === 0 ? [] : [count(summary['upgrade-node-pool'], 'node pool upgrade')]),
    ...(summary['switch-channel'] === 0
      ? []
      : [count(summary['switch-channel'], 'channel switch', 'channel switches')]),
    ...(summary.cancel === 0 ? [] : [count(summary.cancel, 'cancellation')]),
    ...(logs === 0 ? [] : [count(logs, 'service log')]),
  ];
  const rest = [
    `${summary.wait} waiting`,
    ...(summary['agree-gates'] === 0 ? [] : [`${summary['agree-gates']} waiting for gate agreements`]),
    ...(summary.hold === 0 ? [] : [`${summary.hold} held`]),
    `${summary.none} with nothing newer`,
  ];
  return `Plan: ${changes.join(', ')}; ${rest.join(', ')}.`;
}

/** `Make 3 changes and send 2 service logs` */
export function applyQuestion(changes: number, logs: number): string {
  const parts = [
    ...(changes === 0 ? [] : [`make ${count(changes, 'change')}`]),
    ...(logs === 0 ? [] : [`send ${count(logs, 'service log')}`]),
  ];
  const text = parts.join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The service logs that an apply sends, one row for each reason: to whom, and why. */
export function serviceLogTable({ organizations }: UpgradePlan, which: 'usual' | 'wide'): Table {
  const rows = organizations.flatMap((organization) => {
    const { serviceLogs } = organization;
    const groups = Map.groupBy(serviceLogs, ({ cluster, reason }) =>
      which === 'wide' ? `${cluster} ${reason}` : reason,
    );
    return [...groups.values()].map((logs) => ({ organization, logs }));
  });
  return tableOf(rows, LOG_COLUMNS, which);
}

interface LogRow {
  readonly organization: OrganizationPlan;
  readonly logs: readonly PlannedServiceLog[];
}

const LOG_COLUMNS: readonly Column<LogRow>[] = [
  { title: 'ENVIRONMENT', cell: ({ organization }) => organization.environment, wide: true },
  { title: 'ORGANIZATION', cell: ({ organization }) => organization.name },
  { title: 'SERVICE LOG TO', cell: ({ logs: [first, ...rest] }) => clustersText(first?.cluster ?? '', rest.length) },
  { title: 'WHY', cell: ({ logs: [first] }) => first?.reason ?? '' },
];

function clustersText(first: string, more: number): string {
  return more === 0 ? first : `${first} and ${count(more, 'other cluster')}`;
}
