import { describe, expect, it } from 'vitest';
import { groupedChanges, shardNames } from './grouped-changes.ts';
import type { WorkloadChange } from './workloads.ts';

const change = (integration: string, shard: string, more: Partial<WorkloadChange> = {}): WorkloadChange => ({
  ...{ environment: 'prod', cluster: 'c', namespace: 'n', kind: 'Deployment', name: `${integration}-${shard}` },
  ...{ integration, shard, change: 'changed', image: { from: 'quay.io/x:1', to: 'quay.io/x:2' } },
  ...more,
});

describe('changes of workloads', () => {
  it('are told together where the same happens to shards of one integration in one environment', () => {
    const changes = [
      change('terraform', 'a'),
      change('terraform', 'b', { change: 'removed' }),
      change('vault', 'a'),
      change('terraform', 'c'),
      change('terraform', 'd', { environment: 'stage' }),
    ];
    expect(groupedChanges(changes)).toEqual([
      { environment: 'prod', integration: 'terraform', change: 'image 1 → 2', shards: ['a', 'c'] },
      { environment: 'prod', integration: 'terraform', change: 'removed', shards: ['b'] },
      { environment: 'prod', integration: 'vault', change: 'image 1 → 2', shards: ['a'] },
      { environment: 'stage', integration: 'terraform', change: 'image 1 → 2', shards: ['d'] },
    ]);
  });

  it('of an object that no integration declares are told by its kind and name', () => {
    const { integration: _, shard: __, ...stray } = change('x', 'y');
    expect(groupedChanges([stray])).toMatchObject([{ integration: 'Deployment', shards: ['x-y'] }]);
  });

  it.each([
    [['a'], false, 'a'],
    [['a', 'b', 'c', 'd', 'e'], false, 'a, b, c, d, e'],
    [['a', 'b', 'c', 'd', 'e', 'f'], false, 'a, b, c, d and 2 more'],
    [['a', 'b', 'c', 'd', 'e', 'f'], true, 'a, b, c, d, e, f'],
  ])('%j, all: %j, is %s', (shards, all, text) => {
    expect(shardNames(shards, all)).toBe(text);
  });
});
