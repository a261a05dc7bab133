import type { ClusterAction } from '../../upgrades/index.ts';
import type { ClusterRow } from '../clusters/rows.ts';
import { oncePer } from '../once.ts';
import { inOrder } from '../past.ts';
import type { ShardsData } from '../state.ts';

/** What the figures of the overview count: every action is in one of them. */
export const ACTION_GROUPS = {
  due: ['upgrade', 'upgrade-node-pool', 'switch-channel'],
  waiting: ['wait', 'agree-gates'],
  held: ['hold', 'cancel'],
  current: ['none'],
} as const satisfies Readonly<Record<string, readonly ClusterAction[]>>;

/** The count of one kind. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** Fleet statistics. */
export interface UpgradesSummary {
  readonly clusters: number;
  readonly organizations: number;
  readonly versions: readonly Counted[];
  /** Of those that wait, and of those that are held. */
  readonly gates: readonly Counted[];
  readonly holds: readonly Counted[];
  readonly actions: readonly Counted[];
}

export const upgradesSummary = oncePer((rows: readonly ClusterRow[]): UpgradesSummary => {
  const tally = (of: (row: ClusterRow) => string): Counted[] =>
    [...Map.groupBy(rows, of)].map(([name, { length }]) => ({ name, count: length }));
  const gatesOf = (group: 'waiting' | 'held'): Counted[] => {
    const actions: readonly ClusterAction[] = ACTION_GROUPS[group];
    const own = rows.filter(({ cluster }) => actions.includes(cluster.action));
    const counted = [...Map.groupBy(own, ({ gate }) => gate)].map(([name, { length }]) => ({ name, count: length }));
    return counted.sort((a, b) => b.count - a.count);
  };
  return {
    clusters: rows.length,
    organizations: new Set(rows.map(({ cluster }) => `${cluster.environment}/${cluster.orgId}`)).size,
    versions: tally(({ cluster }) => cluster.version).sort((a, b) => inOrder(b.name, a.name)),
    gates: gatesOf('waiting'),
    holds: gatesOf('held'),
    actions: tally(({ cluster }) => cluster.action).sort((a, b) => b.count - a.count),
  };
});

export const shardStates = oncePer(({ shards }: ShardsData): readonly Counted[] => {
  const states = [...Map.groupBy(shards, ({ state }) => state)];
  return states.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
});

/** Integrations by shards, most first. */
export const integrationSizes = oncePer(({ shards }: ShardsData): readonly Counted[] => {
  const sizes = [...Map.groupBy(shards, ({ integration }) => integration ?? 'no integration')];
  return sizes.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
});
