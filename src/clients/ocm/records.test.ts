import { afterEach, describe, expect, it } from 'vitest';
import { json, type Reply } from '../../../test/support/local-http.ts';
import { nothing, type OcmServer, page, refusal, startOcmServer } from '../../../test/support/scripted-ocm.ts';
import type { OcmClient } from './index.ts';

let server: OcmServer;
afterEach(() => server?.close());

async function start(reply: Reply): Promise<OcmClient> {
  server = await startOcmServer(reply);
  return server.client();
}

/** What was asked, as `METHOD path?search`. */
const asked = (): string[] =>
  server
    .asked()
    .map(({ method, path, query: { search } }) => `${method} ${path}${search === undefined ? '' : `?${search}`}`);

const CREATED = '2026-01-02T03:04:05.678901Z';

describe('labels', () => {
  const row = {
    id: 'l1',
    kind: 'Label',
    key: 'sre-capabilities.aus.soak-days',
    value: '3',
    internal: false,
    type: 'Subscription',
  };
  const label = { key: row.key, value: '3', subscriptionId: 's1', organizationId: undefined };
  const wire = {
    ...row,
    subscription_id: 's1',
    managed_by: 'User',
    created_at: CREATED,
    updated_at: '0001-01-01T00:00:00Z',
  };

  it.each([
    {
      given: 'a prefix',
      query: { keyPrefix: 'sre-capabilities.aus.' },
      search: "key like 'sre-capabilities.aus.%'",
    },
    {
      given: 'a type',
      query: { keyPrefix: 'sre-', type: 'Subscription' },
      search: "key like 'sre-%' and type='Subscription'",
    },
    {
      given: 'organizations',
      query: { keyPrefix: 'sre-', type: 'Organization', by: { field: 'organization_id', values: ['o2', 'o1'] } },
      search: "key like 'sre-%' and type='Organization' and organization_id in ('o1','o2')",
    },
  ] as const)('are found by $given', async ({ query, search }) => {
    const client = await start(page([wire]));
    expect(await client.listLabels(query)).toEqual({ items: [label], problems: [] });
    expect(asked()).toEqual([`GET /api/accounts_mgmt/v1/labels?${search}`]);
  });

  it('without an owner that can be read are a problem', async () => {
    const client = await start(page([wire, { ...wire, id: 'l2', subscription_id: 7 }]));
    const { items, problems } = await client.listLabels({ keyPrefix: 'sre-' });
    expect(items).toEqual([label]);
    expect(problems).toMatchObject([{ id: 'l2', known: { key: row.key, type: 'Subscription' } }]);
  });

  it('are not found by a prefix that a search takes for a pattern', async () => {
    const client = await start(page([wire, { ...wire, id: 'l2', key: 'sre_capabilities.x' }]));
    expect((await client.listLabels({ keyPrefix: 'sre_' })).items.map(({ key }) => key)).toEqual([
      'sre_capabilities.x',
    ]);
  });

  it.each([
    { kind: 'organization', path: '/api/accounts_mgmt/v1/organizations/x1/labels' },
    { kind: 'subscription', path: '/api/accounts_mgmt/v1/subscriptions/x1/labels' },
  ] as const)('of one $kind are listed, made, changed and removed', async ({ kind, path }) => {
    const client = await start((response, request) =>
      (request.method === 'GET' ? page([wire]) : request.method === 'DELETE' ? nothing : json(200, wire))(
        response,
        request,
      ),
    );
    const owner = { kind, id: 'x1' };
    expect((await client.listLabelsOf(owner, 'sre-')).items).toEqual([label]);
    expect((await client.listLabelsOf(owner)).items).toEqual([label]);
    await client.createLabel(owner, { key: 'a.b', value: '' });
    await client.updateLabel(owner, { key: 'a.b', value: 'x, y', internal: true });
    expect(await client.deleteLabel(owner, 'a.b')).toBe('deleted');
    expect(asked()).toEqual([
      ...[`GET ${path}?key like 'sre-%'`, `GET ${path}`, `POST ${path}`, `PATCH ${path}/a.b`, `DELETE ${path}/a.b`],
    ]);
    expect(server.asked().map(({ body }) => body && JSON.parse(body))).toEqual([
      ...['', '', { kind: 'Label', key: 'a.b', value: '', internal: false }],
      ...[{ kind: 'Label', key: 'a.b', value: 'x, y', internal: true }, ''],
    ]);
  });

  it('that are gone are gone', async () => {
    const client = await start(refusal(404, 'no such label'));
    expect(await client.deleteLabel({ kind: 'organization', id: 'o1' }, 'k')).toBe('absent');
  });

  it.each(['', '..', 'a/b', 'a?b', 'a b', '-a', 'a%2f', 'ä', 'x'.repeat(256)])(
    'cannot have the key "%s"',
    async (key) => {
      const client = await start(nothing);
      const owner = { kind: 'organization', id: 'o1' } as const;
      for (const act of [
        () => client.createLabel(owner, { key, value: 'v' }),
        () => client.updateLabel(owner, { key, value: 'v' }),
        () => client.deleteLabel(owner, key),
      ]) {
        await expect(act()).rejects.toMatchObject({ code: 'OCM_ID_INVALID' });
      }
      expect(server.seen).toEqual([]);
    },
  );
});

describe('subscriptions', () => {
  it('are found by what they are of', async () => {
    const client = await start(
      page([
        {
          ...{ id: 's1', organization_id: 'o1', cluster_id: 'c1', external_cluster_id: 'u1', display_name: 'one' },
          ...{ managed: true, status: 'Active', plan: { id: 'MOA', kind: 'Plan' }, created_at: CREATED },
        },
      ]),
    );
    const { items } = await client.listSubscriptions({
      ...{ managed: true, organizationId: 'o1', statuses: ['Reserved', 'Active'], fetchLabels: true },
      by: { field: 'display_name', values: ['one'] },
    });
    expect(items).toEqual([
      {
        ...{ id: 's1', clusterId: 'c1', externalClusterId: 'u1', displayName: 'one', labels: [] },
      },
    ]);
    expect(asked()).toEqual([
      "GET /api/accounts_mgmt/v1/subscriptions?managed='true' and organization_id='o1' and status in ('Active','Reserved') and display_name='one'",
    ]);
    expect(server.asked()[0]?.query).toMatchObject({ fetchLabels: 'true', orderBy: 'id' });
  });

  it('come with nothing but their organization where that is enough', async () => {
    const client = await start(page([{ id: 's1', organization_id: 'o1' }, { id: 's2' }]));
    const { items, problems } = await client.listOwners({ managed: true });
    expect(items).toEqual([{ id: 's1', organizationId: 'o1' }]);
    expect(problems).toMatchObject([{ id: 's2', message: expect.stringContaining('organization_id') }]);
    expect(asked()).toEqual(["GET /api/accounts_mgmt/v1/subscriptions?managed='true'"]);
  });

  it('may lack most of what they can have', async () => {
    const client = await start(page([{ id: 's1', organization_id: 'o1', status: 'Archived', plan_id: 'OSD' }]));
    expect((await client.listSubscriptions({})).items).toEqual([
      { id: 's1', clusterId: undefined, externalClusterId: undefined, displayName: undefined, labels: [] },
    ]);
  });
});

describe('organizations', () => {
  it('have an id and a name', async () => {
    const client = await start(page([{ id: 'o1', name: 'One', external_id: 'e1', ebs_account_id: 'b1' }]));
    const { items } = await client.listOrganizations({ by: { field: 'id', values: ['o1'] } });
    expect(items).toEqual([{ id: 'o1', name: 'One' }]);
    expect(asked()).toEqual(["GET /api/accounts_mgmt/v1/organizations?id='o1'"]);
  });
});

describe('the current account', () => {
  it.each([
    { given: 'its organization', more: { organization: { id: 'o1', name: 'One' } }, organizationId: 'o1' },
    { given: 'the id of its organization', more: { organization_id: 'o1' }, organizationId: 'o1' },
    { given: 'no organization', more: {}, organizationId: undefined },
  ])('has $given', async ({ more, organizationId }) => {
    const client = await start(json(200, { id: 'a1', username: 'me', service_account: true, ...more }));
    expect(await client.currentAccount()).toEqual({ username: 'me', organizationId });
  });
});

describe('clusters', () => {
  const full = {
    ...{ id: 'c1', external_id: 'u1', name: 'one', display_name: 'One', managed: true, state: 'ready' },
    ...{ subscription: { id: 's1' }, organization: { id: 'o1' }, product: { id: 'rosa' }, region: { id: 'eu-west-1' } },
    ...{ cloud_provider: { id: 'aws' }, channel: 'eus-4.16', hypershift: { enabled: true }, health_state: 'healthy' },
    ...{ aws: { sts: { enabled: true } }, status: { limited_support_reason_count: 2 }, console: { url: 'https://c' } },
    ...{ dns: { base_domain: 'example.com' }, creation_timestamp: CREATED, identity_providers: { href: '/x' } },
    version: {
      ...{
        id: 'openshift-v4.16.1-eus',
        raw_id: '4.16.1',
        channel_group: 'eus',
        available_upgrades: ['4.16.2', '4.17.0'],
      },
      available_channels: ['eus-4.18'],
    },
  };
  const record = {
    ...{ id: 'c1', externalId: 'u1', name: 'one', state: 'ready', subscriptionId: 's1', productId: 'rosa' },
    ...{ channel: 'eus-4.16', hypershift: true, sts: true, healthState: 'healthy', createdAt: CREATED },
    version: {
      ...{ id: 'openshift-v4.16.1-eus', rawId: '4.16.1', channelGroup: 'eus' },
      ...{ availableUpgrades: ['4.16.2', '4.17.0'], availableChannels: ['eus-4.18'] },
    },
  };

  it('are found by their subscriptions', async () => {
    const client = await start(page([full]));
    const by = { field: 'subscription.id', values: ['s1', 's2'] } as const;
    const { items } = await client.listClusters({ by, managed: true, productIds: ['rosa', 'osd'], states: ['ready'] });
    expect(items).toEqual([record]);
    expect(asked()).toEqual([
      "GET /api/clusters_mgmt/v1/clusters?managed='true' and product.id in ('osd','rosa') and state='ready' and subscription.id in ('s1','s2')",
    ]);
    expect(server.asked()[0]?.query).toMatchObject({ order: 'id' });
  });

  it('that are not installed yet have little', async () => {
    const client = await start(
      page([{ id: 'c1', name: 'one', state: 'waiting', version: { raw_id: '4.16.1' }, console: null }]),
    );
    expect((await client.listClusters({})).items).toMatchObject([
      {
        ...{ externalId: undefined, subscriptionId: undefined, hypershift: false, sts: false },
        version: { id: undefined, availableUpgrades: [], availableChannels: [] },
      },
    ]);
  });

  it('are read one by one', async () => {
    const client = await start(json(200, full));
    expect(await client.getCluster('c1')).toEqual(record);
    expect(asked()).toEqual(['GET /api/clusters_mgmt/v1/clusters/c1']);
  });

  it('that are gone are undefined', async () => {
    const client = await start(refusal(404, "Cluster 'c1' not found"));
    expect(await client.getCluster('c1')).toBeUndefined();
  });

  it('move to another channel', async () => {
    const client = await start(json(200, full));
    await client.switchChannel('c1', 'eus-4.18');
    expect(server.asked()).toMatchObject([
      { method: 'PATCH', path: '/api/clusters_mgmt/v1/clusters/c1', body: '{"channel":"eus-4.18"}' },
    ]);
  });

  it.each(['', '.', '..', 'x'.repeat(256)])('cannot have the id "%s"', async (id) => {
    const client = await start(json(200, full));
    await expect(client.getCluster(id)).rejects.toMatchObject({ code: 'OCM_ID_INVALID' });
    expect(server.seen).toEqual([]);
  });

  it('with a strange id are asked for by that id and nothing else', async () => {
    const client = await start(refusal(404, 'no'));
    await client.getCluster('../x?y#z');
    expect(asked()).toEqual(['GET /api/clusters_mgmt/v1/clusters/..%2Fx%3Fy%23z']);
  });
});

describe('node pools', () => {
  it('have a version of their own', async () => {
    const client = await start(
      page([{ id: 'workers', version: { raw_id: '4.16.0', available_upgrades: ['4.16.1'] } }]),
    );
    expect((await client.listNodePools('c1')).items).toMatchObject([
      { id: 'workers', version: { rawId: '4.16.0', availableUpgrades: ['4.16.1'] } },
    ]);
    expect(asked()).toEqual(['GET /api/clusters_mgmt/v1/clusters/c1/node_pools']);
  });
});

describe('version gates', () => {
  const gate = {
    id: 'g1',
    version_raw_id_prefix: '4.16',
    label: 'api.openshift.com/gate-sts',
    sts_only: true,
    value: '4.16',
  };

  it.each([
    { given: 'all', prefixes: undefined, search: '' },
    { given: 'those of a version', prefixes: ['4.16'], search: "?version_raw_id_prefix='4.16'" },
  ])('are listed, $given', async ({ prefixes, search }) => {
    const client = await start(page([gate]));
    expect((await client.listVersionGates(prefixes)).items).toMatchObject([
      { id: 'g1', versionPrefix: '4.16', label: 'api.openshift.com/gate-sts', stsOnly: true },
    ]);
    expect(asked()).toEqual([`GET /api/clusters_mgmt/v1/version_gates${search}`]);
  });

  it('are agreed to', async () => {
    const agreement = { id: 'a1', version_gate: gate, creation_timestamp: CREATED };
    const client = await start((response, request) =>
      (request.method === 'POST' ? json(201, agreement) : page([agreement]))(response, request),
    );
    const record = { id: 'a1', gateId: 'g1' };
    expect((await client.listGateAgreements('c1')).items).toEqual([record]);
    expect(await client.createGateAgreement('c1', 'g1')).toEqual({ outcome: 'created', record, confirmedBy: 'answer' });
    expect(server.asked()[1]).toMatchObject({
      ...{
        method: 'POST',
        path: '/api/clusters_mgmt/v1/clusters/c1/gate_agreements',
        body: '{"version_gate":{"id":"g1"}}',
      },
    });
  });
});

describe('service logs', () => {
  const row = {
    ...{ id: 'g1', cluster_uuid: 'u1', service_name: 'aus', severity: 'Error', summary: "it's", description: 'a\nb' },
    created_at: CREATED,
  };
  const record = { id: 'g1', description: 'a\nb', createdAt: CREATED };

  it('are found by what they say', async () => {
    const client = await start(page([row, { ...row, id: 'g2', description: 'other' }]));
    const { items } = await client.listServiceLogs({
      ...{ clusterUuid: 'u1', since: '2026-02-28T12:00:00Z', serviceName: 'aus', severity: 'Error', summary: "it's" },
      description: 'a\nb',
    });
    expect(items).toEqual([record]);
    expect(asked()).toEqual([
      "GET /api/service_logs/v1/clusters/cluster_logs?created_at >= '2026-02-28T12:00:00Z' and service_name='aus' and severity='Error' and summary='it''s'",
    ]);
    expect(server.asked()[0]?.query).toMatchObject({ cluster_uuid: 'u1', orderBy: 'id' });
  });

  it('are sent', async () => {
    const client = await start(json(201, row));
    const log = {
      clusterUuid: 'u1',
      serviceName: 'aus',
      severity: 'Error',
      summary: "it's",
      description: 'a\nb',
    } as const;
    expect(await client.createServiceLog(log)).toEqual({ outcome: 'created', record, confirmedBy: 'answer' });
    expect(server.asked().map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
      [
        ...['POST', '/api/service_logs/v1/cluster_logs'],
        { cluster_uuid: 'u1', service_name: 'aus', severity: 'Error', summary: "it's", description: 'a\nb' },
      ],
    ]);
  });
});
