import { afterEach, describe, expect, it } from 'vitest';
import { hangUp, json, neverAnswer, plain, type Reply } from '../../../test/support/local-http.ts';
import { nothing, type OcmServer, page, refusal, routes, startOcmServer } from '../../../test/support/scripted-ocm.ts';
import type { OcmClient, PolicyTarget } from './index.ts';

let server: OcmServer;
afterEach(() => server?.close());

async function start(reply: Reply, options = {}): Promise<OcmClient> {
  server = await startOcmServer(reply);
  return server.client(options);
}

const CLUSTER = '/api/clusters_mgmt/v1/clusters/c1';
const CLASSIC: PolicyTarget = { kind: 'classic', clusterId: 'c1' };
const CONTROL_PLANE: PolicyTarget = { kind: 'control-plane', clusterId: 'c1' };
const NODE_POOL: PolicyTarget = { kind: 'node-pool', clusterId: 'c1', nodePoolId: 'workers' };
const TARGETS = [
  { target: CLASSIC, path: `${CLUSTER}/upgrade_policies`, more: {} },
  {
    ...{ target: CONTROL_PLANE, path: `${CLUSTER}/control_plane/upgrade_policies` },
    more: { upgrade_type: 'ControlPlane', cluster_id: 'c1' },
  },
  {
    ...{ target: NODE_POOL, path: `${CLUSTER}/node_pools/workers/upgrade_policies` },
    more: { upgrade_type: 'NodePool', cluster_id: 'c1', node_pool_id: 'workers' },
  },
];

const INPUT = { version: '4.16.2', nextRun: '2026-03-01T12:30:00.999Z' };
const ROW = { id: 'p1', version: '4.16.2', schedule_type: 'manual', next_run: '2026-03-01T12:30:00Z' };
const RECORD = {
  ...{ id: 'p1', version: '4.16.2', scheduleType: 'manual' },
  nextRun: '2026-03-01T12:30:00Z',
};
const STATE = { value: 'scheduled' };

describe.each(TARGETS)('policies of a $target.kind', ({ target, path, more }) => {
  it('are made, manual and in whole seconds', async () => {
    const client = await start(json(201, ROW));
    expect(await client.createUpgradePolicy(target, INPUT)).toEqual({
      ...{ outcome: 'created', confirmedBy: 'answer', record: { ...RECORD, state: undefined } },
    });
    expect(server.asked().map((request) => [request.method, request.path, JSON.parse(request.body)])).toEqual([
      ['POST', path, { version: '4.16.2', schedule_type: 'manual', next_run: '2026-03-01T12:30:00Z', ...more }],
    ]);
  });

  it.each([
    { status: 204, reply: nothing, outcome: { outcome: 'deleted' } },
    { status: 404, reply: refusal(404, 'gone'), outcome: { outcome: 'absent' } },
    {
      ...{ status: 400, reply: refusal(400, "is in 'started' state and cannot be updated") },
      outcome: { outcome: 'refused', refusal: { reason: "is in 'started' state and cannot be updated" } },
    },
  ])('are removed: $outcome.outcome with status $status', async ({ reply, outcome }) => {
    const client = await start(reply);
    expect(await client.deleteUpgradePolicy(target, 'p1')).toMatchObject(outcome);
    expect(server.asked()).toMatchObject([{ method: 'DELETE', path: `${path}/p1` }]);
  });

  it('are not removed when that is not allowed', async () => {
    const client = await start(refusal(403, 'no'));
    await expect(client.deleteUpgradePolicy(target, 'p1')).rejects.toMatchObject({ code: 'OCM_FORBIDDEN' });
  });
});

describe('policies are listed with their states', () => {
  it.each([CONTROL_PLANE, NODE_POOL])('of a $kind, which come with them', async (target) => {
    const client = await start(page([{ ...ROW, state: STATE }]));
    expect(await client.listUpgradePolicies(target)).toEqual({
      items: [{ ...RECORD, state: STATE }],
      problems: [],
    });
    expect(server.asked()).toHaveLength(1);
  });

  it('of a classic cluster, which are asked for', async () => {
    const client = await start(
      routes({
        [`GET ${CLUSTER}/upgrade_policies`]: page([ROW]),
        [`GET ${CLUSTER}/upgrade_policies/p1/state`]: json(200, STATE),
      }),
    );
    expect(await client.listUpgradePolicies(CLASSIC)).toEqual({
      ...{ items: [{ ...RECORD, state: STATE }], problems: [] },
    });
    expect(server.calls.map(({ collection }) => collection)).toEqual([
      'token',
      'upgrade_policies',
      'upgrade_policy_states',
    ]);
  });

  it('and one that is gone by then is not there', async () => {
    const client = await start(routes({ [`GET ${CLUSTER}/upgrade_policies`]: page([ROW]) }));
    expect(await client.listUpgradePolicies(CLASSIC)).toEqual({ items: [], problems: [] });
  });

  it('and one whose state cannot be read is there, with a problem', async () => {
    const client = await start(
      routes({
        [`GET ${CLUSTER}/upgrade_policies`]: page([ROW]),
        [`GET ${CLUSTER}/upgrade_policies/p1/state`]: refusal(500, 'broken'),
      }),
    );
    expect(await client.listUpgradePolicies(CLASSIC)).toMatchObject({
      items: [{ id: 'p1', state: undefined }],
      problems: [{ id: 'p1', message: expect.stringContaining('answered 500: broken') }],
    });
  });

  it('whatever states come to be, and without a version', async () => {
    const row = {
      id: 'p1',
      version: '',
      schedule_type: 'automatic',
      schedule: '0 3 * * 1',
      state: { value: 'paused' },
    };
    const client = await start(page([row]));
    expect((await client.listUpgradePolicies(CONTROL_PLANE)).items).toMatchObject([
      {
        version: undefined,
        scheduleType: 'automatic',
        nextRun: undefined,
        state: { value: 'paused' },
      },
    ]);
  });
});

/** POST is answered by `post`, after which the policy is there or not. */
function world(post: Reply, policies: () => readonly object[]): Reply {
  return (response, request) =>
    (request.method === 'POST' ? post : page(policies().map((row) => ({ ...row, state: STATE }))))(response, request);
}

const posts = (): number => server.asked().filter(({ method }) => method === 'POST').length;
const LOST: { how: string; post: Reply; options?: object }[] = [
  { how: 'with a fault of the server', post: refusal(500, 'broken') },
  { how: 'with a fault of a gateway', post: plain(504, '<html>') },
  { how: 'by hanging up', post: hangUp },
  { how: 'never', post: neverAnswer, options: { timeoutMs: 2_000 } },
  { how: 'with something else', post: json(201, { kind: 'UpgradePolicy' }) },
  { how: 'with a page', post: plain(200, '<html>') },
];

describe.each(LOST)('a policy that is answered $how', ({ post, options }) => {
  it('is made when it can be found, and is not sent again', async () => {
    const client = await start(
      world(post, () => [{ ...ROW, id: 'p0', version: '4.16.1' }, ROW]),
      options,
    );
    expect(await client.createUpgradePolicy(CONTROL_PLANE, INPUT)).toEqual({
      ...{
        outcome: 'created',
        confirmedBy: 'reading-back',
        record: { ...RECORD, state: STATE },
      },
    });
    expect(posts()).toBe(1);
  });

  it('is unconfirmed when it cannot, and is not sent again', async () => {
    const client = await start(
      world(post, () => [{ ...ROW, next_run: '2026-03-01T12:31:00Z' }]),
      options,
    );
    expect(await client.createUpgradePolicy(CONTROL_PLANE, INPUT)).toMatchObject({
      ...{ outcome: 'unconfirmed', reason: expect.stringContaining(`POST ${server.url}${CLUSTER}/control_plane`) },
    });
    expect(posts()).toBe(1);
  });
});

describe('a policy', () => {
  it('is looked for again, as it may show late', async () => {
    let looked = 0;
    const client = await start(
      world(refusal(503, 'busy'), () => {
        looked += 1;
        return looked === 3 ? [ROW] : [];
      }),
    );
    expect(await client.createUpgradePolicy(CONTROL_PLANE, INPUT)).toMatchObject({ confirmedBy: 'reading-back' });
    expect(server.waits).toEqual([500, 1000, 2000]);
  });

  it('is unconfirmed when it cannot be looked for', async () => {
    const client = await start(refusal(500, 'broken'));
    expect(await client.createUpgradePolicy(CONTROL_PLANE, INPUT)).toMatchObject({
      ...{ outcome: 'unconfirmed', reason: expect.stringContaining('and reading it back failed: GET') },
    });
    expect(posts()).toBe(1);
  });

  it.each([
    {
      given: 'it comes too early',
      reply: refusal(400, 'Cannot set upgrade to start earlier than 5 minutes from now'),
      gates: [],
    },
    {
      given: 'agreements are missing',
      reply: refusal(400, 'There are missing version gate agreements for this cluster. See details.', {
        details: [
          { kind: 'VersionGate', id: 'g1' },
          { kind: 'VersionGate', id: 'g2' },
          { kind: 'Other', id: 'x' },
          null,
        ],
      }),
      gates: ['g1', 'g2'],
    },
    { given: 'the cluster is gone', reply: refusal(404, "Cluster 'c1' not found"), gates: [] },
    { given: 'it is not allowed', reply: refusal(403, 'denied'), gates: [] },
  ])('is refused when $given', async ({ reply, gates }) => {
    const client = await start(reply);
    expect(await client.createUpgradePolicy(CLASSIC, INPUT)).toMatchObject({
      ...{ outcome: 'refused', refusal: { missingGates: gates, operationId: 'op-1' } },
    });
    expect(server.asked()).toHaveLength(1);
  });

  it('is sent again when OCM has too much to do, as it was not acted on', async () => {
    let refused = 0;
    const client = await start((response, request) => {
      refused += 1;
      return (refused < 3 ? plain(429) : json(201, ROW))(response, request);
    });
    expect(await client.createUpgradePolicy(CLASSIC, INPUT)).toMatchObject({ confirmedBy: 'answer' });
    expect(posts()).toBe(3);
  });

  it.each([
    { given: 'OCM has too much to do all the time', reply: plain(429), code: 'OCM_UNAVAILABLE', sent: 4 },
    { given: 'the credentials are not accepted', reply: refusal(401, 'no'), code: 'OCM_UNAUTHORIZED', sent: 2 },
  ])('is not made when $given', async ({ reply, code, sent }) => {
    const client = await start(reply);
    await expect(client.createUpgradePolicy(CLASSIC, INPUT)).rejects.toMatchObject({ code });
    expect(server.asked()).toHaveLength(sent);
  });
});

describe('what else must not be made twice', () => {
  const gate = { id: 'a1', version_gate: { id: 'g1' } };
  const log = { clusterUuid: 'u1', serviceName: 'aus', severity: 'Error', summary: 's', description: 'd' } as const;
  const row = { id: 'x1', cluster_uuid: 'u1', service_name: 'aus', severity: 'Error', summary: 's', description: 'd' };
  it.each<{ what: string; rows: object[]; act: (client: OcmClient) => Promise<unknown>; outcome: string }>([
    {
      what: 'an agreement that is there',
      rows: [gate],
      act: (client) => client.createGateAgreement('c1', 'g1'),
      outcome: 'created',
    },
    {
      what: 'an agreement to another gate',
      rows: [gate],
      act: (client) => client.createGateAgreement('c1', 'g2'),
      outcome: 'unconfirmed',
    },
    {
      what: 'a service log that is there',
      rows: [row],
      act: (client) => client.createServiceLog(log),
      outcome: 'created',
    },
    {
      what: 'another service log',
      rows: [{ ...row, description: 'other' }],
      act: (client) => client.createServiceLog(log),
      outcome: 'unconfirmed',
    },
  ])('is looked for: $what is $outcome', async ({ rows, act, outcome }) => {
    const client = await start((response, request) =>
      (request.method === 'POST' ? hangUp : page(rows))(response, request),
    );
    expect(await act(client)).toMatchObject({ outcome });
    expect(posts()).toBe(1);
  });
});
