import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { ref } from '../../../test/support/hand-made-snapshot.ts';
import { defined } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import type { NamespaceGroup } from '../desired/group.ts';
import { selectWorkloads } from '../desired/select.ts';
import { isSettled, type ShardStatus, type StatusInput, statusOf } from './status.ts';

const NAME = 'qontract-reconcile-mine';

/** The group of one integration with one shard for each account; `acc-1` is pinned, `acc-2` is disabled. */
function group(spec: object = {}, sharded = false): NamespaceGroup {
  const sharding = {
    strategy: 'per-aws-account',
    shardSpecOverrides: [
      { shard: ref('/aws/acc-1.yml'), imageRef: 'pinned' },
      { shard: ref('/aws/acc-2.yml'), disabled: true },
    ],
  };
  const files = { '/i.yml': managedOnce({ spec: spec as never, ...(sharded ? { sharding } : {}) }) };
  const { groups, findings } = selectWorkloads(fleetWith(files), {});
  const [only] = groups;
  if (only === undefined || findings.length > 0) throw new Error(JSON.stringify(findings));
  return only;
}

interface Made {
  readonly kind?: string;
  readonly image?: string;
  readonly replicas?: number;
  readonly metadata?: object;
  readonly status?: object;
  readonly suspend?: boolean;
}

const OURS = {
  'qontract.integration': 'integrations-manager',
  'qontract.integration_version': '0.1.0',
  'qontract.sha256sum': 'x',
  'qontract.caller_name': 'me',
};

function workload(
  name: string,
  { kind = 'Deployment', image = 'repo:1', replicas = 1, metadata, status, suspend }: Made = {},
): KubeObject {
  const template = { spec: { containers: [{ name: 'int', image }] } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, uid: name, generation: 2, annotations: OURS, ...metadata },
    spec: kind === 'CronJob' ? { suspend, jobTemplate: { spec: { template } } } : { replicas, template },
    ...(kind === 'CronJob' ? {} : { status: { observedGeneration: 2, ...status } }),
  };
}

/** As the server leaves Echelon's entry after `kubectl scale --replicas=0`. */
const RELEASED = { manager: 'echelon', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:template': {} } } };

function pod(
  owner: string,
  { image = 'repo:1', ready = true, status = {} }: { image?: string; ready?: boolean; status?: object } = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${owner}-${image}`,
      uid: `${owner}-${image}-${ready}`,
      ownerReferences: [{ uid: owner, controller: true }],
    },
    spec: { containers: [{ name: 'int', image }] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }], ...status },
  };
}

function status(
  live: readonly KubeObject[],
  more: Partial<StatusInput> & { desired?: never; wanted?: readonly KubeObject[] } = {},
): ShardStatus[] {
  const { wanted = [workload(NAME)], ...input } = more;
  const place = { cluster: 'lab', namespace: 'ns' };
  return statusOf({
    group: group(),
    ...place,
    live,
    callers: 'me',
    ...input,
    desired: { ...place, file: '', environment: 'e', objects: wanted },
  });
}

describe('a shard', () => {
  it('is converged once enough pods are ready on its image', () => {
    expect(status([workload(NAME), pod(NAME)])).toEqual([
      {
        cluster: 'lab',
        namespace: 'ns',
        kind: 'Deployment',
        name: NAME,
        integration: 'mine',
        shard: '0',
        state: 'converged',
        expected: 'repo:1',
        live: 'repo:1',
        ready: 1,
        wanted: 1,
      },
    ]);
  });

  it('is missing while there is none', () => {
    expect(status([], { wanted: [workload(NAME, { replicas: 3 })] })).toMatchObject([
      { state: 'missing', reason: 'it does not exist', expected: 'repo:1', ready: 0, wanted: 3 },
    ]);
  });

  it.each([
    {
      given: 'its object has another image',
      live: [workload(NAME, { image: 'repo:0' }), pod(NAME, { image: 'repo:0' })],
      told: { reason: 'it is set to another image', live: 'repo:0', ready: 0 },
    },
    {
      given: 'the cluster has not seen the change',
      live: [workload(NAME, { status: { observedGeneration: 1 } }), pod(NAME)],
      told: { reason: 'the cluster has not observed its last change yet' },
    },
    {
      given: 'the cluster has seen nothing at all',
      live: [workload(NAME, { status: { observedGeneration: undefined } })],
      told: { reason: 'the cluster has not observed its last change yet' },
    },
    {
      given: 'an old pod still runs',
      live: [workload(NAME), pod(NAME), pod(NAME, { image: 'repo:0' })],
      told: { reason: '1 of its pods run another image', ready: 1 },
    },
    {
      given: 'a pod is not ready, and says why',
      live: [
        workload(NAME),
        pod(NAME, {
          ready: false,
          status: { containerStatuses: [{ name: 'int', state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
        }),
      ],
      told: { reason: 'CrashLoopBackOff', ready: 0 },
    },
    {
      given: 'no pod could be made, and the object says why',
      live: [
        workload(NAME, {
          status: {
            conditions: [
              { type: 'Available', status: 'False' },
              { type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' },
            ],
          },
        }),
      ],
      told: { reason: 'exceeded quota' },
    },
    {
      given: 'there are too few pods',
      live: [
        workload(NAME, { status: { conditions: [{ type: 'ReplicaFailure', status: 'False', message: 'it was so' }] } }),
      ],
      told: { reason: '0 of 1 pods are ready', ready: 0, wanted: 1 },
    },
    {
      given: 'only some of its pods are ready',
      live: [workload(NAME, { replicas: 2 }), pod(NAME)],
      wanted: [workload(NAME, { replicas: 2 })],
      told: { reason: '1 of 2 pods are ready', ready: 1, wanted: 2 },
    },
    {
      given: 'somebody scaled it down',
      live: [workload(NAME, { replicas: 0 })],
      told: { reason: 'it is set to 0 replicas', ready: 0, wanted: 0 },
    },
    {
      given: 'was scaled to 0 by hand, whatever else differs',
      live: [workload(NAME, { replicas: 0, image: 'repo:0', metadata: { managedFields: [RELEASED] } })],
      told: { reason: 'conflict: it is set to 0 replicas (scaled to 0 by hand)', ready: 0, wanted: 0 },
    },
  ])('lags while $given', ({ live, wanted, told }) => {
    expect(status(live, defined({ wanted }))).toMatchObject([{ state: 'lagging', ...told }]);
  });

  it.each([
    {
      given: 'runs the image that it keeps',
      live: [workload(NAME, { image: 'repo:0' }), pod(NAME, { image: 'repo:0' })],
      told: { state: 'held', reason: 'wave rest', live: 'repo:0', expected: 'repo:1', ready: 1 },
    },
    { given: 'must not get an object yet', live: [], told: { state: 'held', reason: 'wave rest', ready: 0 } },
    {
      given: 'is not ready on the image that it keeps',
      live: [workload(NAME, { image: 'repo:0' }), pod(NAME, { image: 'repo:0', ready: false })],
      told: { state: 'lagging', reason: 'Pending', ready: 0 },
    },
    {
      given: 'has other replicas than declared',
      live: [workload(NAME, { image: 'repo:0', replicas: 0 })],
      told: { state: 'lagging', reason: 'it is set to 0 replicas' },
    },
  ])('that a rollout holds and that $given is $told.state', ({ live, told }) => {
    const [shard] = status(live, { heldBecause: ({ name }) => (name === NAME ? 'wave rest' : undefined) });
    expect(shard).toMatchObject(told);
  });

  it('is not held back by pods that ended', () => {
    const evicted = pod(NAME, { image: 'repo:0', ready: false, status: { phase: 'Failed' } });
    expect(status([workload(NAME), pod(NAME), evicted])).toMatchObject([{ state: 'converged', ready: 1 }]);
  });

  it('may have as many replicas as somebody else says, where the chart says nothing', () => {
    const { spec, ...rest } = workload(NAME);
    const { replicas: _, ...free } = spec as { replicas: number };
    const live = [workload(NAME, { replicas: 2 }), pod(NAME), pod(NAME, { image: 'repo:1' })];
    expect(status(live, { wanted: [{ ...rest, spec: free } as KubeObject] })).toMatchObject([
      { state: 'converged', wanted: 2 },
    ]);
  });

  it('that could not be rendered is not known to be anything', () => {
    expect(status([workload(NAME), pod(NAME)], { wanted: [] })).toMatchObject([
      { state: 'lagging', reason: 'it could not be rendered', live: 'repo:1', wanted: 1 },
    ]);
    expect(status([], { wanted: [] })).toMatchObject([{ state: 'lagging', wanted: 0 }]);
  });

  it('as a CronJob is converged once its image is set; its pods come and go', () => {
    const cron = (image: string) => workload(NAME, { kind: 'CronJob', image });
    const own = group({ cron: '* * * * *' });
    expect(status([cron('repo:1')], { group: own, wanted: [cron('repo:1')] })).toMatchObject([
      { kind: 'CronJob', state: 'converged', wanted: 0 },
    ]);
    expect(status([cron('repo:0')], { group: own, wanted: [cron('repo:1')] })).toMatchObject([{ state: 'lagging' }]);
    expect(status([], { group: own, wanted: [cron('repo:1')] })).toMatchObject([{ state: 'missing', wanted: 0 }]);
  });
});

describe('shards with overrides', () => {
  const names = ['acc-1', 'acc-2', 'acc-3', 'acc-4'].map((account) => `${NAME}-${account}`);
  const [one = '', two = '', three = '', four = ''] = names;
  const wanted = [
    workload(one, { image: 'repo:pinned' }),
    workload(two, { replicas: 0 }),
    workload(three),
    workload(four),
  ];
  const states = (live: readonly KubeObject[]) =>
    Object.fromEntries(status(live, { group: group({}, true), wanted }).map(({ name, state }) => [name, state]));

  it('are pinned when they run the image of the override', () => {
    expect(states([workload(one, { image: 'repo:pinned' }), pod(one, { image: 'repo:pinned' })])[one]).toBe('pinned');
    expect(states([workload(one, { image: 'repo:1' }), pod(one)])[one]).toBe('lagging');
  });

  it.each([
    { given: 'there is none', live: [], state: 'disabled' },
    { given: 'it has no replicas', live: [workload(two, { replicas: 0 })], state: 'disabled' },
    {
      given: 'its last pod is going',
      live: [
        workload(two, { replicas: 0 }),
        { ...pod(two), metadata: { ...pod(two).metadata, deletionTimestamp: 'now' } },
      ],
      state: 'disabled',
    },
    { given: 'it has replicas', live: [workload(two)], state: 'unexpected' },
    { given: 'a pod of it runs', live: [workload(two, { replicas: 0 }), pod(two)], state: 'unexpected' },
  ])('are disabled, unless they still run: $given is $state', ({ live, state }) => {
    expect(states(live)[two]).toBe(state);
  });
});

describe('a disabled CronJob', () => {
  const own = ((): NamespaceGroup => {
    const { entries, ...rest } = group({ cron: '* * * * *' });
    return {
      ...rest,
      entries: entries.map((entry) => ({
        ...entry,
        shards: entry.shards.map((shard) => ({ ...shard, settings: { ...shard.settings, disabled: true } })),
      })),
    };
  })();
  const job: KubeObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', uid: 'j', ownerReferences: [{ uid: NAME, controller: true }] },
  };

  it.each([
    { given: 'suspended', live: [workload(NAME, { kind: 'CronJob', suspend: true })], state: 'disabled' },
    { given: 'scheduled', live: [workload(NAME, { kind: 'CronJob' })], state: 'unexpected' },
    {
      given: 'suspended while a job runs',
      live: [workload(NAME, { kind: 'CronJob', suspend: true }), job, pod('j')],
      state: 'unexpected',
    },
    {
      given: 'suspended after its last job ended',
      live: [
        workload(NAME, { kind: 'CronJob', suspend: true }),
        job,
        pod('j', { ready: false, status: { phase: 'Succeeded' } }),
      ],
      state: 'disabled',
    },
  ])('that is $given is $state', ({ live, state }) => {
    expect(status(live, { group: own, wanted: [] })).toMatchObject([{ state }]);
  });
});

describe('what nobody declares', () => {
  it.each([
    { given: 'ours', object: workload('old'), told: true },
    { given: 'of nobody', object: workload('old', { metadata: { annotations: {} } }), told: false },
    {
      given: 'of another manager',
      object: workload('old', { metadata: { annotations: { ...OURS, 'qontract.caller_name': 'them' } } }),
      told: false,
    },
    { given: 'ours, but a Service', object: { ...workload('old'), kind: 'Service' }, told: false },
  ])('is unexpected if it is ours: $given', ({ object, told }) => {
    const found = status([workload(NAME), pod(NAME), object]).filter(({ name }) => name === 'old');
    expect(found).toEqual(
      told
        ? [
            {
              cluster: 'lab',
              namespace: 'ns',
              kind: 'Deployment',
              name: 'old',
              state: 'unexpected',
              live: 'repo:1',
              ready: 0,
              wanted: 1,
              reason: 'no integration declares it',
            },
          ]
        : [],
    );
  });

  it('is found where no integration is left at all', () => {
    const found = statusOf({
      group: undefined,
      desired: undefined,
      cluster: 'c',
      namespace: 'n',
      live: [workload('old')],
      callers: 'me',
    });
    expect(found).toMatchObject([{ state: 'unexpected', cluster: 'c', namespace: 'n' }]);
  });

  it('is told from a workload of the same name and another kind, in order of names', () => {
    const found = status([
      workload(NAME, { kind: 'StatefulSet', metadata: { uid: 's' } }),
      workload('a'),
      workload(NAME),
      pod(NAME),
    ]);
    expect(found.map(({ kind, name, state }) => `${kind} ${name} ${state}`)).toEqual([
      'Deployment a unexpected',
      `Deployment ${NAME} converged`,
      `StatefulSet ${NAME} unexpected`,
    ]);
  });
});

it.each([
  { state: 'converged', settled: true },
  { state: 'pinned', settled: true },
  { state: 'disabled', settled: true },
  { state: 'lagging', settled: false },
  { state: 'held', settled: true },
  { state: 'missing', settled: false },
  { state: 'unexpected', settled: false },
] as const)('nothing is to be waited for when it is $state: $settled', ({ state, settled }) => {
  expect(isSettled({ state })).toBe(settled);
});
