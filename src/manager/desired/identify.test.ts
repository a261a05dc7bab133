import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import type { KubeObject } from './desired-namespace.ts';
import type { NamespaceGroup } from './group.ts';
import { identified, type RenderKeys } from './identify.ts';
import { identityOf } from './identity.ts';
import { selectWorkloads } from './select.ts';

function groupOf(shards: number): NamespaceGroup {
  const sharding = { strategy: 'static', shards };
  const [group] = selectWorkloads(fleetWith({ '/i.yml': managedOnce({ sharding }) })).groups;
  if (group === undefined) throw new Error('there is no group');
  return group;
}

const workload = (name: string, kind = 'Deployment'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { template: { spec: {} } },
});

/** A chart with names of its own, and an object for everybody. */
const namesIn = ({ entries }: NamespaceGroup): string[] =>
  entries.flatMap(({ shards }) => shards.map(({ suffix }) => `own${suffix}`));

function chart(): { renders: number[]; render: RenderKeys } {
  const renders: number[] = [];
  return {
    renders,
    render: async (part) => {
      renders.push(part.entries.flatMap(({ shards }) => shards).length);
      return new Set([...namesIn(part), 'for-all'].map((name) => `Deployment/${name}`));
    },
  };
}

const shardsOf = (objects: readonly KubeObject[]): (string | undefined)[] =>
  objects.map((object) => identityOf(object)?.shard);

describe('which shard an object is for', () => {
  it.each([1, 2, 3, 5, 8, 51])('is found of %i shards of a chart with names of its own', async (count) => {
    const group = groupOf(count);
    const { renders, render } = chart();
    const objects = namesIn(group).map((name) => workload(name));
    const names = group.entries.flatMap(({ shards }) => shards.map(({ name }) => name));
    expect(shardsOf(await identified(group, objects, render))).toEqual(names);
    expect(renders).toHaveLength(Math.max(1, 2 * Math.ceil(Math.log2(count))));
  });

  it('is known by usual names without rendering anything', async () => {
    const group = groupOf(3);
    const objects = group.entries.flatMap(({ integration, shards }) =>
      shards.map(({ suffix }) => workload(`qontract-reconcile-${integration.name}${suffix}`)),
    );
    const { renders, render } = chart();
    expect(shardsOf(await identified(group, [...objects, workload('s', 'Service')], render))).toEqual([
      ...group.entries.flatMap(({ shards }) => shards.map(({ name }) => name)),
      undefined,
    ]);
    expect(renders).toEqual([]);
  });

  it.each([1, 2, 4])('is nobody for what the chart writes whatever it renders, with %i shards', async (count) => {
    const objects = [workload('for-all'), ...namesIn(groupOf(count)).map((name) => workload(name))];
    const [shared, ...own] = await identified(groupOf(count), objects, chart().render);
    expect(shared).toEqual(workload('for-all'));
    expect(shardsOf(own)).toEqual(Array.from({ length: count }, (_, at) => String(at)));
  });

  it('is the only one where the chart cannot be rendered without any', async () => {
    const [only] = await identified(groupOf(1), [workload('own')], async () => new Set());
    expect(shardsOf([only!])).toEqual(['0']);
  });

  it('stays as the chart says, where the chart says it', async () => {
    const annotations = { 'echelon/integration': 'i', 'echelon/shard': 's', 'echelon/environment': 'e' };
    const own = { ...workload('odd'), metadata: { name: 'odd', annotations } };
    const { renders, render } = chart();
    expect(await identified(groupOf(2), [own], render)).toEqual([own]);
    expect(renders).toEqual([]);
  });
});
