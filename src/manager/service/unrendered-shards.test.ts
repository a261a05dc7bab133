import { expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { clusterError } from '../../../test/support/memory-cluster.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { targetOf } from '../desired/group.ts';
import { withIdentity } from '../desired/identity.ts';
import { selectWorkloads } from '../desired/select.ts';
import { unrenderedShards } from './unrendered-shards.ts';

const instance = fleetWith({ '/a.yml': managedOnce({ name: 'a' }), '/b.yml': managedOnce({ name: 'b' }) });
const { groups } = selectWorkloads(instance, {});
const [group] = groups;
const place = { cluster: group?.namespace.cluster.name ?? '', namespace: group?.namespace.name ?? '' };
const environment = group?.namespace.environment.name ?? '';
const bare: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' } };
const namespaces = [
  { ...place, file: '', environment, objects: [withIdentity(bare, { integration: 'a', shard: '0', environment })] },
];
const error = clusterError('CHART_FAILED');

it.each([
  { given: 'no failure', failures: [], shards: [] },
  { given: 'a failure elsewhere', failures: [{ target: 'c/other', error }], shards: [] },
  {
    given: 'a failure of its namespace',
    failures: [{ target: group === undefined ? '' : targetOf(group.namespace), error }],
    shards: [{ ...place, integration: 'b', shard: '0', environment, error }],
  },
])('shards without an object after $given', ({ failures, shards }) => {
  expect(unrenderedShards({ groups, rendered: { namespaces, failures } })).toEqual(shards);
});
