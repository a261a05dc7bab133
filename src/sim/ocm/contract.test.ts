import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPO } from '../../../test/support/shared.ts';
import { type Exchange, OpenApi, type Overlay } from '../../../test/support/sim-ocm-open-api.ts';
import { type Answered, type CallOptions, type SimSession, simSession } from '../../../test/support/sim-ocm-session.ts';
import { minute } from '../../../test/support/sim-ocm-small-fleet.ts';
import { ROUTES } from './http/routes.ts';
import { parseSearch } from './search/parser.ts';
import type { World } from './world/world.ts';

/** The published documents and the notes about them stand beside the repository, not in it. */
const SHARED = join(REPO, '../shared');
const CONTRACTS = join(SHARED, 'contracts/ocm');
const NOTES = join(SHARED, 'reference/ocm-api.md');

type Schema = Record<string, unknown>;

function having(more: Readonly<Record<string, unknown>>): (schema: Schema) => Schema {
  return (schema) => ({ ...schema, properties: { ...(schema['properties'] as Schema), ...more } });
}

function without(...names: readonly string[]): (schema: Schema) => Schema {
  return (schema) => ({
    ...schema,
    required: ((schema['required'] as string[] | undefined) ?? []).filter((name) => !names.includes(name)),
  });
}

const text = { type: 'string' };
const link = {
  type: 'object',
  required: ['kind', 'href'],
  properties: { kind: text, href: text },
  additionalProperties: false,
};
const time = { type: 'string', format: 'date-time' };

const OVERLAYS: Readonly<Record<string, Overlay>> = {
  clusters_mgmt: {
    parameters: ['dryRun', 'method', 'search'],
    pages: { kind: text },
    statuses: { 'POST 204': '201', 'PATCH 204': '200' },
    schemas: {
      Error: having({ id: text, operation_id: text, details: { type: 'array' } }),
      Cluster: having({
        display_name: text,
        ...Object.fromEntries(
          ['identity_providers', 'groups', 'addons', 'machine_pools', 'node_pools'].map((name) => [name, link]),
        ),
      }),
      NodePool: having({ creation_timestamp: time }),
      VersionGateAgreement: having({ creation_timestamp: time }),
    },
  },
  accounts_mgmt: {
    parameters: ['fetchCapabilities', 'search', 'orderBy'],
    pages: {},
    statuses: { 'POST 201': '200' },
    schemas: { Label: without('internal'), OneMetric: (schema) => ({ ...schema, required: ['health_state'] }) },
  },
  service_logs: {
    parameters: ['cluster_id', 'cluster_uuid'],
    pages: {},
    statuses: {},
    schemas: {
      ClusterLog: having({
        severity: {
          enum: ['Debug', 'Info', 'Warning', 'Error', 'Fatal', 'Major', 'Critical', 'Low', 'Moderate', 'Important'],
        },
      }),
    },
  },
};

const ACCOUNTS = '/api/accounts_mgmt/v1';
const CLUSTERS = '/api/clusters_mgmt/v1';
const LOGS = '/api/service_logs/v1';

describe.skipIf(!existsSync(CONTRACTS))('against the published documents', () => {
  const documents = new Map<string, OpenApi>();
  const succeeded = new Set<string>();
  let session: SimSession;
  let world: World;
  let subscription: string;

  beforeAll(async () => {
    for (const [name, overlay] of Object.entries(OVERLAYS)) {
      documents.set(name, new OpenApi(join(CONTRACTS, `${name}.v1.json`), overlay));
    }
    session = await simSession();
    world = session.sim.world;
    subscription = world.cluster('c1').subscriptionId;
    world.releaseVersion('4.19.2', ['stable']);
  });
  afterAll(() => session.sim.close());

  /** Calls, and fails when request or answer are not as the document says. */
  async function call(path: string, status: number, options: CallOptions = {}): Promise<Answered> {
    const answer = await session.call(path, options);
    const exchange = exchangeOf(path, options, answer);
    const document = documents.get(path.split('/')[2] ?? '');
    expect(document?.faults(exchange) ?? ['there is no document']).toEqual([]);
    expect(answer.status, answer.text).toBe(status);
    if (status < 300) succeeded.add(document?.operationAt(exchange.method, path) ?? '');
    return answer;
  }

  const post = (path: string, body: object, status = 201, query: Record<string, string> = {}) =>
    call(path, status, { method: 'POST', body, query });
  const patch = (path: string, body: object) => call(path, 200, { method: 'PATCH', body });
  const remove = (path: string) => call(path, 204, { method: 'DELETE' });

  it.each([
    { collection: 'organizations', id: () => 'org-1' },
    { collection: 'subscriptions', id: () => subscription },
  ])('labels of $collection', async ({ collection, id }) => {
    const path = `${ACCOUNTS}/${collection}/${id()}/labels`;
    await post(path, { kind: 'Label', key: 'sre-capabilities.aus.x', value: 'v' });
    await post(path, { key: 'sre-capabilities.aus.x', value: 'w', internal: false }, 200);
    await call(path, 200, {
      query: { search: "key like 'sre-capabilities.aus.%'", orderBy: 'key', page: '1', size: '5' },
    });
    await call(`${path}/sre-capabilities.aus.x`, 200);
    await patch(`${path}/sre-capabilities.aus.x`, { key: 'sre-capabilities.aus.x', value: 'z' });
    await remove(`${path}/sre-capabilities.aus.x`);
    await call(`${path}/sre-capabilities.aus.x`, 404);
    await post(path, { key: 'no/key', value: 'v' }, 400);
  });

  it('accounts', async () => {
    const paging = { orderBy: 'id', page: '1', size: '100' };
    await call(`${ACCOUNTS}/labels`, 200, { query: { search: "key like 'sre-capabilities.aus.%'", ...paging } });
    const fetch = { fetchCapabilities: 'true', fetchLabels: 'true' };
    await call(`${ACCOUNTS}/subscriptions`, 200, { query: { ...fetch, fetchOrganization: 'true', ...paging } });
    await call(`${ACCOUNTS}/subscriptions/${subscription}`, 200, { query: { fetchLabels: 'true' } });
    await patch(`${ACCOUNTS}/subscriptions/${subscription}`, { display_name: 'classic' });
    await call(`${ACCOUNTS}/organizations`, 200, { query: { ...fetch, ...paging } });
    await call(`${ACCOUNTS}/organizations/org-1`, 200, { query: fetch });
    await call(`${ACCOUNTS}/organizations/none`, 404);
    await call(`${ACCOUNTS}/capabilities`, 200);
    await call(`${ACCOUNTS}/current_account`, 200);
    await call(`${ACCOUNTS}/errors`, 200);
    await call(`${ACCOUNTS}/errors/7`, 200);
    await call(`${ACCOUNTS}/labels`, 400, { query: { search: 'key' } });
    await call(`${ACCOUNTS}/labels`, 401, { authorization: 'Bearer x' });
  });

  it('clusters, node pools and versions', async () => {
    const query = { search: "product.id in ('osd','rosa')", order: 'creation_timestamp', page: '1', size: '100' };
    await call(`${CLUSTERS}/clusters`, 200, { query });
    for (const id of ['c1', 'h1']) await call(`${CLUSTERS}/clusters/${id}`, 200);
    await patch(`${CLUSTERS}/clusters/c1`, { channel: 'stable-4.19' });
    await call(`${CLUSTERS}/clusters/h1/node_pools`, 200, { query: { page: '1', size: '100' } });
    await call(`${CLUSTERS}/clusters/h1/node_pools/np1`, 200);
    await call(`${CLUSTERS}/versions`, 200, {
      query: { search: "channel_group = 'stable'", order: 'default desc, id desc' },
    });
    await call(`${CLUSTERS}/versions/openshift-v4.18.3`, 200);
    await call(`${CLUSTERS}/clusters/none`, 404);
    await call(`${CLUSTERS}/clusters`, 400, { query: { order: 'id up' } });
  });

  it('gates and agreements', async () => {
    const path = `${CLUSTERS}/clusters/c1/gate_agreements`;
    world.patchCluster('c1', { channel: 'stable-4.19' });
    await call(`${CLUSTERS}/version_gates`, 200, { query: { search: "version_raw_id_prefix = '4.19'" } });
    await call(`${CLUSTERS}/version_gates/gate-ocp`, 200);
    await call(path, 200);
    const { body } = await post(path, { version_gate: { id: 'gate-ocp' } });
    await call(path, 200, { query: { page: '1', size: '100' } });
    await call(`${path}/${body['id']}`, 200);
    await post(path, { version_gate: { id: 'gate-ocp' } }, 409);
    const missing = await post(
      `${CLUSTERS}/clusters/c1/upgrade_policies`,
      { version: '4.19.2', schedule_type: 'manual', next_run: minute(10) },
      400,
    );
    expect(missing.body['details']).toMatchObject([{ kind: 'VersionGate', id: 'gate-ocp' }]);
    await remove(`${path}/${body['id']}`);
  });

  it.each([
    { below: 'clusters/c1/upgrade_policies', version: '4.18.4', more: {} },
    {
      below: 'clusters/h1/control_plane/upgrade_policies',
      version: '4.18.4',
      more: { upgrade_type: 'ControlPlane', cluster_id: 'h1' },
    },
    {
      below: 'clusters/h1/node_pools/np2/upgrade_policies',
      version: '4.18.3',
      more: { upgrade_type: 'NodePool', cluster_id: 'h1' },
    },
  ])('policies of $below', async ({ below, version, more }) => {
    const path = `${CLUSTERS}/${below}`;
    const manual = { version, schedule_type: 'manual', next_run: minute(10), ...more };
    await post(path, { ...manual, next_run: minute(1) }, 400);
    const { body } = await post(path, manual);
    await call(path, 200, { query: { page: '1', size: '1' } });
    await call(`${path}/${body['id']}`, 200);
    await patch(`${path}/${body['id']}`, { next_run: minute(20) });
    await remove(`${path}/${body['id']}`);
    const automatic = await post(path, { schedule_type: 'automatic', schedule: '0 1 * * *', ...more });
    await remove(`${path}/${automatic.body['id']}`);
  });

  it('states of classic policies', async () => {
    const path = `${CLUSTERS}/clusters/c1/upgrade_policies`;
    const { body } = await post(path, { version: '4.18.4', schedule_type: 'manual', next_run: minute(10) });
    await call(`${path}/${body['id']}/state`, 200);
    await patch(`${path}/${body['id']}/state`, { value: 'cancelled', description: 'Not today' });
  });

  it('service logs', async () => {
    const { externalId } = world.cluster('c1');
    const log = { cluster_uuid: externalId, service_name: 'aus', summary: 's', description: 'd', severity: 'Error' };
    const { body } = await post(`${LOGS}/cluster_logs`, log);
    await post(`${LOGS}/cluster_logs`, {
      ...log,
      severity: 'Moderate',
      internal_only: true,
      log_type: 'Cluster Updates',
    });
    const query = { search: "severity = 'Error'", orderBy: 'created_at desc', page: '1', size: '100' };
    await call(`${LOGS}/cluster_logs`, 200, { query });
    await call(`${LOGS}/cluster_logs/${body['id']}`, 200);
    await call(`${LOGS}/clusters/cluster_logs`, 200, { query: { cluster_uuid: externalId, ...query } });
    await call(`${LOGS}/clusters/${externalId}/cluster_logs`, 200, { query });
    await call(`${LOGS}/clusters/cluster_logs`, 400);
    await remove(`${LOGS}/cluster_logs/${body['id']}`);
  });

  /** Every route was called with success, and only lists of errors are not in the documents. */
  afterAll(() => {
    const routes = ROUTES.map(({ method, path }) => {
      const document = documents.get(path.split('/')[2] ?? '');
      return { route: `${method} ${path}`, operation: document?.operationAt(method, path.replaceAll(':', '')) };
    });
    const missing = routes.filter(({ operation }) => operation !== undefined && !succeeded.has(operation));
    expect(missing).toEqual([]);
    const unknown = routes.filter(({ operation }) => operation === undefined).map(({ route }) => route);
    expect(unknown.filter((route) => !route.includes('/errors'))).toEqual([]);
  });
});

describe.skipIf(!existsSync(NOTES))('the searches of the notes', () => {
  const section = existsSync(NOTES)
    ? (/Real examples:\s+```\n([\s\S]*?)```/.exec(readFileSync(NOTES, 'utf8'))?.[1] ?? '')
    : '';
  const searches = section.split(/\n| {4,}/).filter((line) => line.trim() !== '');

  it('are there', () => {
    expect(searches.length).toBeGreaterThan(8);
  });

  it.each(searches)('%s can be read', (search) => {
    expect(parseSearch(search)).toBeDefined();
  });
});

describe('searches that clients are known to send', () => {
  const IDS = "('2aBcDeFgHiJkLmNoPqRsTuVwXyZ','2aBcDeFgHiJkLmNoPqRsTuVwXyY')";
  it.each([
    { of: 'labels', search: "key like 'sre-capabilities.aus.%' and type='Subscription'" },
    {
      of: 'labels',
      search: "key like 'sre-capabilities.aus.%' and organization_id in ('a','b') and type='Organization'",
    },
    { of: 'labels', search: "key like 'sre-capabilities.aus.version-data.%' and type='Organization'" },
    { of: 'labels', search: "type='Account' and internal='true'" },
    { of: 'subscriptions', search: `id in ${IDS} and managed='true' and status in ('Active','Reserved')` },
    {
      of: 'subscriptions',
      search: `(id in ${IDS} or organization_id in ('a','b')) and managed='true' and status='Active'`,
    },
    {
      of: 'subscriptions',
      search: "organization_id = 'X' and managed = true and status in ('Active', 'Reserved') and display_name = 'c1'",
    },
    { of: 'subscriptions', search: "(display_name = 'k' or cluster_id = 'k' or external_cluster_id = 'k')" },
    {
      of: 'subscriptions',
      search:
        "(cluster_id!='') AND (plan.id IN ('OSD','MOA')) AND (status NOT IN ('Deprovisioned','Archived')) AND (display_name ILIKE '%x%')",
    },
    { of: 'subscriptions', search: "creator.username = 'x' and metrics.health_state = 'healthy'" },
    { of: 'organizations', search: `id in ${IDS}` },
    {
      of: 'clusters',
      search: `managed='true' and product.id in ('osd','rosa') and state='ready' and subscription.id in ${IDS}`,
    },
    { of: 'clusters', search: "external_id is '5a'" },
    { of: 'clusters', search: "creation_timestamp >= '2019-03-01'" },
    { of: 'clusters', search: "properties.rosa_creator_arn LIKE 'arn:%:123:%' OR aws.sts.role_arn LIKE 'arn:%:123:%'" },
    { of: 'versions', search: "enabled = 'true' AND rosa_enabled = 'true' AND channel_group = 'stable'" },
    { of: 'versions', search: "raw_id='4.14.1'" },
    { of: 'version_gates', search: "version_raw_id_prefix = '4.12'" },
    { of: 'clusters/c1/upgrade_policies', search: "upgrade_type='OSD'" },
    {
      of: 'cluster_logs',
      search:
        "created_at >= '2026-03-01T00:00:00.123456+00:00' and description='it''s\n- x' and service_name='advanced-upgrade-scheduler' and severity='Moderate' and summary='s'",
    },
  ])('of $of: $search', async ({ of, search }) => {
    const own = await simSession();
    const base =
      { labels: ACCOUNTS, subscriptions: ACCOUNTS, organizations: ACCOUNTS, cluster_logs: LOGS }[of] ?? CLUSTERS;
    const { status, text: answer } = await own.call(`${base}/${of}`, { query: { search } });
    expect(status, answer).toBe(200);
    await own.sim.close();
  });
});

function exchangeOf(path: string, { method = 'GET', body, query = {} }: CallOptions, answer: Answered): Exchange {
  const response = answer.text === '' ? undefined : answer.body;
  return { method, path, query: Object.keys(query), request: body, status: answer.status, response };
}
