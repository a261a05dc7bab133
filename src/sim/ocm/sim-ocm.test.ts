import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, logIn, type SimSession, simSession } from '../../../test/support/sim-ocm-session.ts';
import { minute, smallFleet } from '../../../test/support/sim-ocm-small-fleet.ts';
import { runningClock } from './clock.ts';
import { parseFleet } from './fleet/read-fleet.ts';
import { startSimOcm } from './sim-ocm.ts';

const ACCOUNTS = '/api/accounts_mgmt/v1';
const CLUSTERS = '/api/clusters_mgmt/v1';
const LOGS = '/api/service_logs/v1';

let session: SimSession;

beforeAll(async () => {
  session = await simSession();
});
afterAll(() => session.sim.close());
beforeEach(() => {
  session.sim.clearFaults();
  session.sim.clearRequests();
});

const policy = (after: number) => ({ version: '4.18.5', schedule_type: 'manual', next_run: minute(after) });
const POLICIES = `${CLUSTERS}/clusters/c1/upgrade_policies`;

describe('an address', () => {
  it.each([
    { path: `${CLUSTERS}/clusters`, status: 200, kind: 'ClusterList' },
    { path: `${CLUSTERS}/clusters/`, status: 200, kind: 'ClusterList' },
    { path: `${CLUSTERS}/clusters/c1`, status: 200, kind: 'Cluster' },
    { path: POLICIES, status: 200, kind: 'UpgradePolicyList' },
    {
      path: `${CLUSTERS}/clusters/h1/control_plane/upgrade_policies`,
      status: 200,
      kind: 'ControlPlaneUpgradePolicyList',
    },
    { path: `${CLUSTERS}/clusters/h1/node_pools`, status: 200, kind: 'NodePoolList' },
    { path: `${CLUSTERS}/clusters/h1/node_pools/np1`, status: 200, kind: 'NodePool' },
    { path: `${CLUSTERS}/clusters/h1/node_pools/np1/upgrade_policies`, status: 200, kind: 'NodePoolUpgradePolicyList' },
    { path: `${CLUSTERS}/clusters/c1/gate_agreements`, status: 200, kind: 'VersionGateAgreementList' },
    { path: `${CLUSTERS}/version_gates`, status: 200, kind: 'VersionGateList' },
    { path: `${CLUSTERS}/version_gates/gate-ocp`, status: 200, kind: 'VersionGate' },
    { path: `${CLUSTERS}/versions`, status: 200, kind: 'VersionList' },
    { path: `${CLUSTERS}/versions/openshift-v4.18.3`, status: 200, kind: 'Version' },
    { path: `${ACCOUNTS}/labels`, status: 200, kind: 'LabelList' },
    { path: `${ACCOUNTS}/organizations`, status: 200, kind: 'OrganizationList' },
    { path: `${ACCOUNTS}/organizations/org-1`, status: 200, kind: 'Organization' },
    { path: `${ACCOUNTS}/organizations/org-1/labels`, status: 200, kind: 'LabelList' },
    { path: `${ACCOUNTS}/subscriptions`, status: 200, kind: 'SubscriptionList' },
    { path: `${ACCOUNTS}/current_account`, status: 200, kind: 'Account' },
    { path: `${ACCOUNTS}/capabilities`, status: 200, kind: 'CapabilityList' },
    { path: `${ACCOUNTS}/errors`, status: 200, kind: 'ErrorList' },
    { path: `${ACCOUNTS}/errors/11`, status: 200, kind: 'Error' },
    { path: `${LOGS}/cluster_logs`, status: 200, kind: 'ClusterLogList' },
    { path: `${LOGS}/clusters/cluster_logs?cluster_id=c1`, status: 200, kind: 'ClusterLogList' },
    { path: `${LOGS}/clusters/some-uuid/cluster_logs`, status: 200, kind: 'ClusterLogList' },
    { path: `${LOGS}/clusters/cluster_logs`, status: 400, kind: 'Error' },
    { path: `${CLUSTERS}/clusters/none`, status: 404, kind: 'Error' },
    { path: `${CLUSTERS}/nothing`, status: 404, kind: 'Error' },
    { path: `${CLUSTERS}/clusters/h1/control_plane/upgrade_policies/x/state`, status: 404, kind: 'Error' },
    { path: '/', status: 404, kind: 'Error' },
  ])('$path is $status $kind', async ({ path, status, kind }) => {
    const answer = await session.call(path);
    expect([answer.status, answer.body['kind']]).toEqual([status, kind]);
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  it('that cannot be written to says so', async () => {
    const answer = await session.call(`${CLUSTERS}/version_gates`, { method: 'POST', body: {} });
    expect([answer.status, answer.body['code']]).toEqual([405, 'CLUSTERS-MGMT-405']);
  });

  it('that is too long is refused before anybody reads it', async () => {
    const answer = await session.call(`${ACCOUNTS}/labels`, {
      query: { search: `key in (${"'x',".repeat(3_000)}'x')` },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([414, 'text/html']);
  });

  it.each([
    { bytes: 8192, status: 200 },
    { bytes: 8193, status: 414 },
  ])('whose request line has $bytes bytes is $status', async ({ bytes, status }) => {
    const before = `GET ${ACCOUNTS}/labels?x= HTTP/1.1\r\n`.length;
    const answer = await session.call(`${ACCOUNTS}/labels`, { query: { x: 'y'.repeat(bytes - before) } });
    expect(answer.status).toBe(status);
  });

  it('may carry a long search in a body instead', async () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => `'x${index}'`).join(',');
    const body = { search: `id in (${ids},'c1')`, size: -1 };
    const answer = await session.call(`${CLUSTERS}/clusters`, { method: 'POST', query: { method: 'get' }, body });
    expect(answer.body).toMatchObject({ total: 1, items: [{ id: 'c1' }] });
  });
});

describe('an answer', () => {
  it('that refuses has an id that is text, and the operation in body and header', async () => {
    const { body, headers, status } = await session.call(`${ACCOUNTS}/labels`, { query: { search: 'key =' } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Error', id: '23', code: 'ACCT-MGMT-23', href: `${ACCOUNTS}/errors/23` });
    expect(body['operation_id']).toBe(headers.get('x-operation-id'));
  });

  it('has the date of the world', async () => {
    const { headers } = await session.call(`${ACCOUNTS}/current_account`);
    expect(new Date(headers.get('date') ?? '')).toEqual(session.clock.now());
  });

  it('leaves out the items of a cluster without agreements', async () => {
    const { body } = await session.call(`${CLUSTERS}/clusters/c1/gate_agreements`);
    expect(body).toEqual({ kind: 'VersionGateAgreementList', page: 1, size: 0, total: 0 });
  });

  it('has only the fields that are asked for', async () => {
    const { body } = await session.call(`${ACCOUNTS}/subscriptions`, {
      query: { fields: 'status,plan.id', size: '1' },
    });
    expect(body['items']).toEqual([{ id: expect.any(String), status: 'Active', plan: { id: expect.any(String) } }]);
  });

  it('to somebody who did not log in is a challenge', async () => {
    const { status, headers, body } = await session.call(`${CLUSTERS}/clusters`, { authorization: null });
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="clusters_mgmt/v1"']);
    expect(body['code']).toBe('CLUSTERS-MGMT-401');
  });

  it.each(['{', '[]', '"text"', 'null'])('to a body %s is a refusal', async (body) => {
    const answer = await session.call(POLICIES, { method: 'POST', body });
    expect([answer.status, answer.body['reason']]).toEqual([400, 'The request body is not a JSON object']);
  });

  it('to a body of more than a mebibyte is a refusal', async () => {
    const { status } = await session.call(POLICIES, { method: 'POST', body: `"${'x'.repeat(1024 * 1024)}"` });
    expect(status).toBe(413);
  });

  it.each([
    { query: { page: 'one' }, status: 400 },
    { query: { size: '1e3' }, status: 400 },
    { query: { size: ' 1 ' }, status: 200 },
    { query: { orderBy: 'nonsense here' }, status: 200 },
    { query: { order: 'nonsense here' }, status: 400 },
    { query: { unknown: 'x' }, status: 200 },
  ])('to $query is $status', async ({ query, status }) => {
    expect((await session.call(`${CLUSTERS}/clusters`, { query: { ...query } })).status).toBe(status);
  });

  it('comes 201 for a new label and 200 for the same again', async () => {
    const path = `${ACCOUNTS}/organizations/org-1/labels`;
    const put = () => session.call(path, { method: 'POST', body: { key: 'a.b', value: 'x' } });
    expect([(await put()).status, (await put()).status]).toEqual([201, 200]);
    expect((await session.call(`${path}/a.b`, { method: 'PATCH', body: { value: 'y' } })).body['value']).toBe('y');
    const gone = await session.call(`${path}/a.b`, { method: 'DELETE' });
    expect([gone.status, gone.text, gone.headers.get('content-type')]).toEqual([204, '', 'application/json']);
    expect((await session.call(`${path}/a.b`)).status).toBe(404);
  });

  it('to a dry run is 204', async () => {
    const answer = await session.call(POLICIES, { method: 'POST', query: { dryRun: 'true' }, body: policy(10) });
    expect([answer.status, answer.text]).toEqual([204, '']);
  });
});

describe('requests', () => {
  it('are noted with what was done', async () => {
    await session.call(`${CLUSTERS}/clusters/c1/upgrade_policies`, { query: { page: '1' } });
    await session.call(`${ACCOUNTS}/organizations/org-1/labels/x`);
    await fetch(session.sim.tokenUrl, { method: 'POST' });
    expect(
      session.sim.requests.map(({ method, collection, query, status }) => [method, collection, query, status]),
    ).toEqual([
      ['GET', 'clusters/upgrade_policies', 'page=1', 200],
      ['GET', 'organizations/labels', '', 404],
      ['POST', 'token', '', 400],
    ]);
    session.sim.clearRequests();
    expect(session.sim.requests).toEqual([]);
  });
});

describe('a fault', () => {
  const labels = () => session.call(`${ACCOUNTS}/labels`, { query: { orderBy: 'id' } });
  const path = '*/labels';

  it.each([
    { effect: { kind: 'status', status: 429, retryAfter: 7 }, status: 429, type: 'application/json', retryAfter: '7' },
    { effect: { kind: 'status', status: 500 }, status: 500, type: 'application/json', retryAfter: null },
    { effect: { kind: 'status', status: 502 }, status: 502, type: 'text/html', retryAfter: null },
    { effect: { kind: 'status', status: 503, body: 'json' }, status: 503, type: 'application/json', retryAfter: null },
    { effect: { kind: 'expired-token' }, status: 401, type: 'application/json', retryAfter: null },
    { effect: { kind: 'garbage' }, status: 200, type: 'text/html', retryAfter: null },
  ] as const)('$effect answers $status once', async ({ effect, status, type, retryAfter }) => {
    session.sim.addFault({ path, effect });
    const { headers, ...answer } = await labels();
    expect([answer.status, headers.get('content-type'), headers.get('retry-after')]).toEqual([
      status,
      type,
      retryAfter,
    ]);
    expect((await labels()).status).toBe(200);
  });

  it('breaks the connection', async () => {
    session.sim.addFault({ path, effect: { kind: 'hang-up' } });
    await expect(labels()).rejects.toThrow();
    expect(session.sim.requests.at(-1)?.status).toBe(0);
  });

  it('leaves without an answer', async () => {
    session.sim.addFault({ path, effect: { kind: 'no-answer' } });
    const signal = AbortSignal.timeout(50);
    await expect(session.call(`${ACCOUNTS}/labels`, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('ends the answer in its middle', async () => {
    session.sim.addFault({ path, effect: { kind: 'truncated' } });
    await expect(labels()).rejects.toThrow();
  });

  it('leaves items out of a page', async () => {
    const whole = (await labels()).body;
    session.sim.addFault({ path, effect: { kind: 'short-page' } });
    const { body } = await labels();
    expect(body['size']).toBe(whole['size']);
    expect((body['items'] as unknown[]).length).toBeLessThan(whole['size'] as number);
  });

  it('delays and then answers', async () => {
    session.sim.addFault({ path, effect: { kind: 'delay', ms: 5 } });
    expect((await labels()).status).toBe(200);
  });

  it('is for one environment only', async () => {
    session.sim.addFault({ environment: 'other', effect: { kind: 'status', status: 500 } });
    expect((await labels()).status).toBe(200);
  });

  it.each([
    { effect: { kind: 'hang-up', committed: true }, made: 1 },
    { effect: { kind: 'hang-up' }, made: 0 },
    { effect: { kind: 'status', status: 504, committed: true }, made: 1 },
    { effect: { kind: 'status', status: 504 }, made: 0 },
  ] as const)('$effect leaves $made policies behind', async ({ effect, made }) => {
    const own = await simSession();
    own.sim.addFault({ method: 'POST', path: '*/upgrade_policies', effect });
    const answer = await own
      .call(POLICIES, { method: 'POST', body: policy(10) })
      .catch((thrown: unknown) => thrown as Answered);
    expect(answer.status ?? 'none').toBe(effect.kind === 'status' ? 504 : 'none');
    expect(own.sim.world.state.policies.size).toBe(made);
    await own.sim.close();
  });

  it('answers from what was', async () => {
    const own = await simSession();
    await own.sim.advanceTo(new Date(minute(5)));
    await own.call(POLICIES, { method: 'POST', body: policy(20) });
    await own.sim.advanceTo(new Date(minute(6)));
    const seen = async () => (await own.call(POLICIES)).body['total'];
    own.sim.addFault({ path: '*/upgrade_policies', effect: { kind: 'stale', seconds: 90 } });
    expect([await seen(), await seen()]).toEqual([0, 1]);
    await own.sim.close();
  });
});

describe('time', () => {
  it('passes when the owner says so, and clusters upgrade', async () => {
    const own = await simSession();
    const made = await own.call(POLICIES, { method: 'POST', body: policy(10) });
    expect([made.status, made.body['kind']]).toEqual([201, 'UpgradePolicy']);
    const control = async (body: unknown) =>
      (await own.call('/_sim/advance', { method: 'POST', body, authorization: null })).body;
    expect(await control({ minutes: 30 })).toEqual({ now: '2026-03-02T00:30:00.000Z' });
    expect((await own.call(`${POLICIES}/${made.body['id']}/state`)).status).toBe(401);
    expect(own.sim.world.policiesOf('c1').map(({ state }) => state)).toEqual(['started']);
    expect(await control({ to: '2026-03-02T02:00:00Z' })).toEqual({ now: '2026-03-02T02:00:00.000Z' });
    expect(own.sim.world.cluster('c1').version).toBe('4.18.5');
    expect(await control({ to: '2026-03-01T00:00:00Z' })).toMatchObject({
      error: expect.stringContaining('cannot advance'),
    });
    expect(await control({ to: 'soon' })).toMatchObject({ error: expect.stringContaining('an invalid date') });
    await own.sim.close();
  });

  it('that passed without a request is caught up with', async () => {
    const own = await simSession();
    await own.call(POLICIES, { method: 'POST', body: policy(10) });
    own.clock.advanceTo(new Date(minute(120)));
    const { body } = await own.call('/_sim/state');
    expect(body).toMatchObject({ environments: [{ clusters: [{ name: 'classic', version: '4.18.5' }, {}] }] });
    await own.sim.close();
  });

  it('that runs by itself cannot be advanced', async () => {
    const sim = await startSimOcm({ fleet: parseFleet(smallFleet()), clock: runningClock() });
    await expect(sim.advanceTo(new Date())).rejects.toMatchObject({ code: 'SIM_CLOCK_RUNS' });
    await sim.close();
  });

  it('runs as fast as it is told', () => {
    let wall = 1_000_000;
    const clock = runningClock(60, () => wall);
    wall += 1_000;
    expect(clock.now()).toEqual(new Date(1_060_000));
  });
});

describe('the owner', () => {
  it('sees the fleet, and what will go wrong', async () => {
    const { body } = await session.call('/_sim/state', { authorization: null });
    expect(body).toMatchObject({
      now: '2026-03-02T00:00:00.000Z',
      environments: [
        { name: 'test', clusters: [{ name: 'classic', organization: 'First', version: '4.18.3' }, { name: 'hosted' }] },
      ],
    });
    const fault = { path: '*/labels', effect: { kind: 'status', status: 503 } };
    await session.call('/_sim/faults', { method: 'POST', body: fault });
    expect((await session.call('/_sim/faults')).body).toEqual({ faults: [fault] });
    expect((await session.call('/_sim/faults', { method: 'DELETE' })).body).toEqual({ faults: [] });
    expect((await session.call('/_sim/requests')).body).toEqual({ requests: [] });
  });

  it.each([
    { path: '/_sim/faults', body: { effect: {} } },
    { path: '/_sim/events', body: { cluster: 'none', health: 'unhealthy' } },
    { path: '/_sim/events', body: { weather: 'bad' } },
    { path: '/_sim/events', body: { environment: 'none', cluster: 'classic' } },
    { path: '/_sim/events', body: { environment: 'none', release: '4.18.8' } },
    { path: '/_sim/events', body: { organization: 'none', aus: { sector: 'x' } } },
    { path: '/_sim/events', body: { organization: 'First', health: 'unhealthy' } },
    { path: '/_sim/events', body: { organization: 'First', cluster: 'classic', aus: { sector: 'x' } } },
    { path: '/_sim/events', body: { health: 'unhealthy' } },
    { path: '/_sim/events', body: {} },
    { path: '/_sim/advance', body: '{' },
  ])('is told that $body is wrong', async ({ path, body }) => {
    const answer = await session.call(path, { method: 'POST', body });
    expect([answer.status, typeof answer.body['error']]).toEqual([400, 'string']);
  });

  it('names an organization by its name', async () => {
    const own = await simSession();
    const body = { organization: 'First', aus: { 'blocked-versions': '^4' } };
    expect((await own.call('/_sim/events', { method: 'POST', body })).status).toBe(200);
    expect(own.sim.world.listLabels({ search: "key like '%blocked%'" }).total).toBe(1);
    await own.sim.close();
  });

  it('is told when a name is that of several organizations, and nothing happens', async () => {
    const organizations = ['org-1', 'org-2'].map((id) => ({ id, name: 'Same' }));
    const own = await simSession({ environments: [{ name: 'test', organizations }] });
    const body = { organization: 'Same', aus: { sector: 'x' }, release: '4.18.8' };
    const answer = await own.call('/_sim/events', { method: 'POST', body });
    expect(answer.body).toEqual({ error: 'Same is ambiguous (2 matches); use its id' });
    expect(own.sim.world.listVersions({ search: "raw_id = '4.18.8'" }).total).toBe(0);
    await own.sim.close();
  });

  it('is told what can be done', async () => {
    const answer = await session.call('/_sim/nothing');
    expect(answer.status).toBe(404);
    expect(answer.body['try']).toContain('POST /_sim/advance');
  });

  it('makes things happen, and telemetry shows it', async () => {
    const own = await simSession();
    const unhealthy = async (query: string) => {
      const answer = await fetch(`${own.sim.environments.get('test')?.telemetryUrl}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query }),
      });
      const { data } = (await answer.json()) as { data: { result: { metric: { _id: string } }[] } };
      for (const { metric } of data.result) expect(metric).toHaveProperty('alertname', 'SimulatedCriticalAlert');
      return data.result.map(({ metric }) => metric._id);
    };
    expect(await unhealthy('alerts{}')).toEqual([]);
    await own.call('/_sim/events', {
      method: 'POST',
      body: { cluster: 'classic', health: 'unhealthy', aus: { sector: 'x' } },
    });
    await own.call('/_sim/events', {
      method: 'POST',
      body: { organization: 'org-1', aus: { 'blocked-versions': '^4' }, release: '4.18.8' },
    });
    const { externalId } = own.sim.world.cluster('classic');
    expect([await unhealthy('alerts{}'), await unhealthy('alerts{ebs_account="org-1"}')]).toEqual([
      [externalId],
      [externalId],
    ]);
    expect(own.sim.world.listLabels({ search: "key like '%.sector' or key like '%blocked%'" }).total).toBe(2);
    expect(own.sim.world.getCluster('c1').version.available_upgrades).toContain('4.18.8');
    await own.sim.close();
  });
});

describe('environments', () => {
  const two = smallFleet({
    environments: ['prod', 'stage'].map((name) => ({ name, organizations: [{ id: `org-${name}`, name }] })),
  });

  it('have addresses of their own, and tokens that are good nowhere else', async () => {
    const own = await simSession({}, { fleet: parseFleet(two) });
    const [prod, stage] = ['prod', 'stage'].map((name) => own.sim.environments.get(name));
    expect(own.sim.url).toBe(prod?.url);
    expect(prod?.url).not.toBe(stage?.url);
    const token = await logIn(stage?.tokenUrl ?? '', { client_id: 'echelon', client_secret: 'simulated' });
    const ask = (url = '') =>
      fetch(`${url}${ACCOUNTS}/organizations`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(prod?.url)).status).toBe(401);
    expect(await (await ask(stage?.url)).json()).toMatchObject({ items: [{ id: 'org-stage' }] });
    await own.sim.close();
  });

  it('need free ports', async () => {
    const port = Number(new URL(session.sim.url).port);
    const starting = startSimOcm({ fleet: parseFleet(two), clock: session.clock, port });
    await expect(starting).rejects.toMatchObject({ code: 'SIM_PORT_UNUSABLE' });
  });
});
