import { defined } from '../../base/index.ts';
import type { Fault, PolicyProblem } from '../../upgrades/index.ts';
import { type ClusterRow, clusterPath } from '../clusters/rows.ts';
import { inOrder } from '../past.ts';
import type { ShardsData, UpgradesData } from '../state.ts';

/** How many of one kind. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

export interface Trouble {
  readonly where: string;
  readonly message: string;
  readonly hint: string;
  /** A page that tells more. */
  readonly href?: string;
  readonly severity: 'error' | 'warning';
}

/** Numbers of the fleet. */
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

/** What is wrong with OCM, organizations and clusters; what stops most first. */
export function upgradeTroubles({ plan, notes }: UpgradesData, rows: readonly ClusterRow[]): Trouble[] {
  const paths = new Map(rows.map(({ cluster }) => [cluster.id as string, clusterPath(cluster)]));
  return [
    ...plan.environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [troubleOf(name, fault)])),
    ...plan.organizations.flatMap(({ environment, name, skipped, faults, stopped, problems }) => [
      ...[...skipped, ...faults].map((fault) => troubleOf(`${environment}/${name}`, fault)),
      ...(stopped === undefined ? [] : [stoppedTrouble(`${environment}/${name}`, stopped)]),
      ...problems.map((problem) => problemTrouble(`${environment}/${name}`, problem, paths)),
    ]),
    ...notes.map((message) => ({ where: 'console', message, hint: '', severity: 'warning' as const })),
  ];
}

export function shardTroubles({ faults, errors }: ShardsData): Trouble[] {
  const invalid: Trouble = {
    where: 'instance',
    message: errors === 1 ? 'it has 1 error' : `it has ${errors} errors`,
    hint: 'run echelon validate',
    severity: 'error',
  };
  return [...faults.map((fault) => troubleOf('shards', fault)), ...(errors === 0 ? [] : [invalid])];
}

function troubleOf(where: string, { message, hint }: Fault): Trouble {
  return { where, message, hint, severity: 'error' };
}

function stoppedTrouble(where: string, why: string): Trouble {
  return { where, message: `it is stopped: ${why}`, hint: 'put that right in its labels', severity: 'error' };
}

function problemTrouble(
  organization: string,
  { scope, key, message, hint, severity }: PolicyProblem,
  paths: ReadonlyMap<string, string>,
): Trouble {
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
