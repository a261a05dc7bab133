import { defined } from '../../base/index.ts';
import type { Fault, PolicyProblem } from '../../upgrades/index.ts';
import { type ClusterRow, clusterPath } from '../clusters/rows.ts';
import { inOrder } from '../past.ts';
import type { ShardsData, UpgradesData } from '../state.ts';

/** The count of one kind. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

export interface FleetProblem {
  readonly where: string;
  readonly message: string;
  readonly hint: string;
  /** A page with details. */
  readonly href?: string;
  readonly severity: 'error' | 'warning';
}

/** Fleet statistics. */
export interface UpgradesSummary {
  readonly clusters: number;
  readonly organizations: number;
  readonly versions: readonly Counted[];
  readonly gates: readonly Counted[];
  readonly actions: readonly Counted[];
}

export function upgradesSummary(rows: readonly ClusterRow[]): UpgradesSummary {
  const tally = (of: (row: ClusterRow) => string): Counted[] =>
    [...Map.groupBy(rows, of)].map(([name, { length }]) => ({ name, count: length }));
  const waiting = rows.filter(({ gate, cluster }) => gate !== '' && cluster.action !== 'none');
  const gates = [...Map.groupBy(waiting, ({ gate }) => gate)].map(([name, { length }]) => ({ name, count: length }));
  return {
    clusters: rows.length,
    organizations: new Set(rows.map(({ cluster }) => `${cluster.environment}/${cluster.orgId}`)).size,
    versions: tally(({ cluster }) => cluster.version).sort((a, b) => inOrder(b.name, a.name)),
    gates: gates.sort((a, b) => b.count - a.count),
    actions: tally(({ cluster }) => cluster.action).sort((a, b) => b.count - a.count),
  };
}

export function shardStates({ shards }: ShardsData): Counted[] {
  const states = [...Map.groupBy(shards, ({ state }) => state)];
  return states.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
}

/** Problems of OCM environments, organizations and clusters; those that affect most come first. */
export function upgradeProblems({ plan, notes }: UpgradesData, rows: readonly ClusterRow[]): FleetProblem[] {
  const paths = new Map(rows.map(({ cluster }) => [cluster.id as string, clusterPath(cluster)]));
  return [
    ...plan.environments.flatMap(({ name, fault, unread = [] }) =>
      [...(fault === undefined ? [] : [fault]), ...unread].map((each) => problemOf(name, each)),
    ),
    ...plan.organizations.flatMap(({ environment, name, skipped, faults, stopped, delayed, problems }) => [
      ...[...skipped, ...faults].map((fault) => problemOf(`${environment}/${name}`, fault)),
      ...(stopped === undefined ? [] : [stoppedProblem(`${environment}/${name}`, stopped)]),
      ...(delayed === undefined ? [] : [delayedProblem(`${environment}/${name}`, delayed)]),
      ...problems.map((problem) => labelProblem(`${environment}/${name}`, problem, paths)),
    ]),
    ...notes.map((message) => ({ where: 'console', message, hint: '', severity: 'warning' as const })),
  ];
}

export function shardProblems({ faults, errors }: ShardsData): FleetProblem[] {
  const invalid: FleetProblem = {
    where: 'instance',
    message: errors === 1 ? '1 error in the instance' : `${errors} errors in the instance`,
    hint: 'run echelon validate',
    severity: 'error',
  };
  return [...faults.map((fault) => problemOf('shards', fault)), ...(errors === 0 ? [] : [invalid])];
}

function problemOf(where: string, { message, hint }: Fault): FleetProblem {
  return { where, message, hint, severity: 'error' };
}

function stoppedProblem(where: string, why: string): FleetProblem {
  return { where, message: `stopped: ${why}`, hint: 'fix its labels', severity: 'error' };
}

function delayedProblem(where: string, message: string): FleetProblem {
  return { where, message, hint: 'check the clock of the scheduler', severity: 'warning' };
}

function labelProblem(
  organization: string,
  { scope, key, message, hint, severity }: PolicyProblem,
  paths: ReadonlyMap<string, string>,
): FleetProblem {
  if (scope.kind === 'organization') return { where: organization, message: `${key}: ${message}`, hint, severity };
  const href = paths.get(scope.cluster.id);
  return {
    where: `${organization}/${scope.cluster.name}`,
    message: `${key}: ${message}`,
    hint,
    severity,
    ...defined({ href }),
  };
}
