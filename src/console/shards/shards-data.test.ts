import { expect, it } from 'vitest';
import { fleetWith } from '../../../test/support/fleet.ts';
import { EchelonError } from '../../base/index.ts';
import type { FleetStatus, ShardStatus } from '../../manager/index.ts';
import type { ConsolePin } from '../state.ts';
import { shardsData } from './shards-data.ts';

const instance = fleetWith({});
const [namespace] = instance.namespaces;
const shard = (more: Partial<ShardStatus>): ShardStatus => ({
  ...{ cluster: 'lab', namespace: 'ns', kind: 'Deployment', name: 'x', state: 'converged', ready: 1, wanted: 1 },
  ...more,
});
const down = (message: string) => new EchelonError({ code: 'KUBE_DOWN', message, hint: 'start it' });

it('what the console shows of a fleet has environments, short images, and each fault once', () => {
  const fleet = {
    ...{ instance, problems: [], scope: {}, access: [] },
    groups: [{ namespace: namespace!, entries: [] }],
    shards: [shard({ expected: 'registry/i:abc', live: 'registry/i:def' }), shard({ cluster: 'lost' })],
    rendered: { namespaces: [], failures: [] },
    failures: [
      { cluster: 'lab', namespace: 'ns', error: down('lab: no response') },
      { cluster: 'lab', namespace: 'other', error: down('lab: no response') },
      { cluster: 'lab', namespace: 'ns', error: down('forbidden') },
    ],
  } as unknown as FleetStatus;
  const pin = (cluster: string): ConsolePin => ({
    ...{ expired: false, pin: { cluster, namespace: 'ns' } as ConsolePin['pin'] },
  });
  expect(shardsData(fleet, { pins: [pin('lab'), pin('lost')], versions: [] })).toEqual({
    revision: 'hand-made',
    shards: [
      { ...fleet.shards[0], environment: 'lab', expectedTag: 'abc', liveTag: 'def' },
      shard({ cluster: 'lost' }),
    ],
    faults: [
      { code: 'KUBE_DOWN', message: 'lab: no response', hint: 'start it' },
      { code: 'KUBE_DOWN', message: 'lab/ns: forbidden', hint: 'start it' },
    ],
    errors: 0,
    pins: [pin('lab')],
    versions: [],
  });
});
