import { byText, type Column, count, defined, type Table, tableOf } from '../../base/index.ts';
import type { PlanItem } from '../engine/choose.ts';
import type { ItemResult } from '../scheduler/apply.ts';
import { isSkipped } from '../scheduler/plan-organization.ts';
import type { Fault } from '../scheduler/ports.ts';
import type { AppliedPlan } from '../scheduler/scheduler.ts';
import {
  CLUSTER_ACTIONS,
  type ClusterAction,
  type ClusterPlan,
  type OrganizationPlan,
  type PlannedServiceLog,
  type UpgradePlan,
} from './plan.ts';

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

const CHANGES: ReadonlySet<ClusterAction> = new Set(['upgrade', 'upgrade-node-pool', 'switch-channel', 'cancel']);

/** Whether an apply does something to the cluster. */
function isClusterChange({ action }: Pick<ClusterPlan, 'action'>): boolean {
  return CHANGES.has(action);
}

/** What an apply of the plan does. */
export function clusterChanges({ organizations }: UpgradePlan): ClusterPlan[] {
  return organizations.flatMap(({ clusters }) => clusters.filter(isClusterChange));
}

/** How many clusters there are of each action. */
function planCounts({ organizations }: UpgradePlan): Readonly<Record<ClusterAction, number>> {
  const all = organizations.flatMap(({ clusters }) => clusters);
  const entries = CLUSTER_ACTIONS.map((action) => [action, all.filter((each) => each.action === action).length]);
  return Object.fromEntries(entries) as Record<ClusterAction, number>;
}

/** Why a plan is incomplete, or later than its owner expects. */
type PlanObstacle =
  /** Errors of the service or of OCM. */
  | { readonly kind: 'fault'; readonly subject: string; readonly fault: Fault }
  /** Errors in the organization's configuration. */
  | { readonly kind: 'stopped'; readonly subject: string; readonly reason: string }
  /** Soak that is not counted for now. */
  | { readonly kind: 'delayed'; readonly subject: string; readonly reason: string };

/** What could not be observed, and what stops or delays an organization. */
export function planObstacles({ environments, organizations }: UpgradePlan): PlanObstacle[] {
  const faultsOf = (subject: string, faults: readonly Fault[]): PlanObstacle[] =>
    faults.map((fault) => ({ kind: 'fault', subject, fault }));
  return [
    ...environments.flatMap(({ name, fault }) => faultsOf(name, fault === undefined ? [] : [fault])),
    ...organizations.flatMap(({ environment, orgId, name, skipped, faults, stopped, delayed }): PlanObstacle[] => {
      const subject = name === orgId ? `${environment}/${name}` : `${environment}/${name} (${orgId})`;
      const own = faultsOf(subject, [...skipped, ...faults]);
      return [
        ...own,
        ...(stopped === undefined ? [] : [{ kind: 'stopped' as const, subject, reason: stopped }]),
        ...(delayed === undefined ? [] : [{ kind: 'delayed' as const, subject, reason: delayed }]),
      ];
    }),
  ];
}

/** How many service logs an apply of the plan sends to users. */
export function serviceLogCount({ organizations }: UpgradePlan): number {
  return organizations.reduce((sum, { serviceLogs }) => sum + serviceLogs.length, 0);
}

/** For programs. */
export function planDocument(plan: UpgradePlan): object {
  return {
    summary: { ...planCounts(plan), serviceLogs: serviceLogCount(plan) },
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

/** A plan item that was not applied. */
interface UndoneItem {
  readonly outcome: ItemResult['outcome'];
  /** `first/prod-1: upgrade 4.18.3` */
  readonly subject: string;
  readonly reason: string;
}

/** The result of an apply. */
interface ApplySummary {
  readonly done: number;
  readonly undone: readonly UndoneItem[];
  /** Service logs that were written. */
  readonly notices: number;
  readonly faults: readonly { readonly subject: string; readonly fault: Fault }[];
}

export function applySummary({ organizations }: AppliedPlan): ApplySummary {
  const undone = organizations.flatMap(({ outcome, results }) => {
    const nameOf = clusterNames(outcome);
    return results
      .filter((result) => result.outcome !== 'done')
      .map((result) => undoneItem(`${outcome.name}/${nameOf(result.item)}`, result));
  });
  return {
    done: organizations.reduce((sum, { results }) => sum + results.length, 0) - undone.length,
    undone,
    notices: organizations.reduce((sum, { notices }) => sum + notices.length, 0),
    faults: organizations.flatMap(({ outcome, faults }) =>
      faults.map((fault) => ({ subject: `${outcome.environment}/${outcome.name}`, fault })),
    ),
  };
}

function undoneItem(cluster: string, result: ItemResult): UndoneItem {
  const { item } = result;
  return {
    outcome: result.outcome,
    subject: `${cluster}: ${item.action} ${targetOf(item)}`,
    reason: 'fault' in result ? result.fault.message : 'reason' in result ? result.reason : '',
  };
}

/** `Done: 3 changes made, 1 not, 2 service logs written.` */
export function applySummaryText({ done, undone, notices }: ApplySummary): string {
  const rest = [
    ...(undone.length === 0 ? [] : [`${undone.length} not`]),
    ...(notices === 0 ? [] : [`${count(notices, 'service log')} written`]),
  ];
  return `${[`Done: ${count(done, 'change')} made`, ...rest].join(', ')}.`;
}

/** For programs. */
export function resultDocument({ environments, organizations }: AppliedPlan): object {
  return {
    environments,
    organizations: organizations.map(({ outcome, results, notices, faults }) => {
      const nameOf = clusterNames(outcome);
      return {
        environment: outcome.environment,
        orgId: outcome.orgId,
        name: outcome.name,
        results: results.map((result) => ({
          cluster: nameOf(result.item),
          clusterId: result.item.clusterId,
          action: result.item.action,
          to: targetOf(result.item),
          outcome: result.outcome,
          ...('policyId' in result ? defined({ policyId: result.policyId }) : {}),
          ...('reason' in result ? { reason: result.reason } : {}),
          ...('fault' in result ? { reason: result.fault.message, code: result.fault.code } : {}),
        })),
        serviceLogs: notices.map(({ cluster, summary }) => ({ cluster: cluster.name, summary })),
        faults: [...(isSkipped(outcome) ? outcome.skipped : outcome.faults), ...faults],
      };
    }),
  };
}

type Applied = AppliedPlan['organizations'][number]['outcome'];

function clusterNames(outcome: Applied): (item: PlanItem) => string {
  const clusters = isSkipped(outcome) ? [] : outcome.clusters;
  const names = new Map<string, string>(clusters.map(({ id, name }) => [id, name]));
  return ({ clusterId }) => names.get(clusterId) ?? clusterId;
}

function targetOf(item: PlanItem): string {
  return item.action === 'switch-channel' ? item.to : item.version;
}
