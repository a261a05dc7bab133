import { expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { selectWorkloads } from '../desired/select.ts';
import { matchShards } from './shard-objects.ts';
import { liveWorkloads } from './workloads.ts';

const [group] = selectWorkloads(fleetWith({ '/i.yml': managedOnce({ spec: {} as never }) }), {}).groups;
const [entry] = group?.entries ?? [];
const NAME = 'qontract-reconcile-mine';

function workload(name: string, image: string): KubeObject {
  const annotations = {
    'echelon/integration': entry?.integration.name,
    'echelon/shard': entry?.shards[0]?.name,
    'echelon/environment': 'e',
  };
  const template = { spec: { containers: [{ name: 'int', image }] } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, annotations }, spec: { template } };
}

it('matches the same namespace again with whatever is desired and live then', () => {
  const [first, second] = [[workload(NAME, 'a')], [workload('other', 'b')]];
  const matched = (desired: readonly KubeObject[], live: readonly KubeObject[]) => {
    const [only] = matchShards(group, desired, liveWorkloads(live)).shards;
    return [only?.name, only?.desired, only?.live?.object];
  };
  const [here, there] = [workload(NAME, 'live'), workload('other', 'live')];
  expect(matched(first, [here])).toEqual([NAME, first[0], here]);
  expect(matched(first, [])).toEqual([NAME, first[0], undefined]);
  expect(matched(second, [there, here])).toEqual(['other', second[0], there]);
  expect(matched([], [here])).toEqual([NAME, undefined, here]);
  expect(matched(first, [there])).toEqual([NAME, first[0], undefined]);
});
