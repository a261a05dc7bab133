import { afterEach, describe, expect, it } from 'vitest';
import { json, plain, type Reply } from '../../../test/support/local-http.ts';
import { hasOpenApi, loadOpenApi } from '../../../test/support/ocm-documents.ts';
import { type OcmServer, startOcmServer } from '../../../test/support/scripted-ocm.ts';
import type { OcmClient } from './index.ts';

const OWNER = { kind: 'organization', id: 'o1' } as const;
const SUBSCRIPTION = { kind: 'subscription', id: 's1' } as const;
const LABEL = { key: 'a.b', value: 'x' };
const POLICY = { version: '4.16.2', nextRun: '2026-03-01T12:30:00Z' };
const CLASSIC = { kind: 'classic', clusterId: 'c1' } as const;
const CONTROL_PLANE = { kind: 'control-plane', clusterId: 'c1' } as const;
const NODE_POOL = { kind: 'node-pool', clusterId: 'c1', nodePoolId: 'workers' } as const;
const LOG = { clusterUuid: 'u1', serviceName: 'aus', severity: 'Error', summary: 's', description: 'd' } as const;

/** Every method, with every parameter that it can send. */
const ALL: { method: keyof OcmClient; of?: string; act: (client: OcmClient) => Promise<unknown> }[] = [
  {
    method: 'listLabels',
    act: (client) =>
      client.listLabels({ keyPrefix: 'a', type: 'Organization', by: { field: 'organization_id', values: ['o1'] } }),
  },
  { method: 'listLabelsOf', of: 'an organization', act: (client) => client.listLabelsOf(OWNER, 'a') },
  { method: 'listLabelsOf', of: 'a subscription', act: (client) => client.listLabelsOf(SUBSCRIPTION, 'a') },
  { method: 'createLabel', of: 'an organization', act: (client) => client.createLabel(OWNER, LABEL) },
  { method: 'createLabel', of: 'a subscription', act: (client) => client.createLabel(SUBSCRIPTION, LABEL) },
  { method: 'updateLabel', of: 'an organization', act: (client) => client.updateLabel(OWNER, LABEL) },
  { method: 'updateLabel', of: 'a subscription', act: (client) => client.updateLabel(SUBSCRIPTION, LABEL) },
  { method: 'deleteLabel', of: 'an organization', act: (client) => client.deleteLabel(OWNER, 'a.b') },
  { method: 'deleteLabel', of: 'a subscription', act: (client) => client.deleteLabel(SUBSCRIPTION, 'a.b') },
  {
    method: 'listSubscriptions',
    act: (client) => client.listSubscriptions({ managed: true, fetchLabels: true }),
  },
  {
    method: 'listOwners',
    act: (client) => client.listOwners({ managed: true, by: { field: 'id', values: ['s1'] } }),
  },
  {
    method: 'listOrganizations',
    act: (client) => client.listOrganizations({}),
  },
  { method: 'currentAccount', act: (client) => client.currentAccount() },
  { method: 'listClusters', act: (client) => client.listClusters({ states: ['ready'] }) },
  { method: 'getCluster', act: (client) => client.getCluster('c1') },
  { method: 'switchChannel', act: (client) => client.switchChannel('c1', 'stable-4.17') },
  { method: 'listNodePools', act: (client) => client.listNodePools('c1') },
  ...[CLASSIC, CONTROL_PLANE, NODE_POOL].flatMap((target) => [
    {
      method: 'listUpgradePolicies' as const,
      ...{ of: target.kind, act: (client: OcmClient) => client.listUpgradePolicies(target) },
    },
    {
      method: 'createUpgradePolicy' as const,
      ...{ of: target.kind, act: (client: OcmClient) => client.createUpgradePolicy(target, POLICY) },
    },
    {
      method: 'deleteUpgradePolicy' as const,
      ...{ of: target.kind, act: (client: OcmClient) => client.deleteUpgradePolicy(target, 'p1') },
    },
  ]),
  { method: 'listVersionGates', act: (client) => client.listVersionGates(['4.16']) },
  { method: 'listGateAgreements', act: (client) => client.listGateAgreements('c1') },
  { method: 'createGateAgreement', act: (client) => client.createGateAgreement('c1', 'g1') },
  {
    method: 'listServiceLogs',
    act: (client) => client.listServiceLogs({ clusterUuid: 'u1', since: '2026-03-01T00:00:00Z', summary: 's' }),
  },
  { method: 'createServiceLog', act: (client) => client.createServiceLog(LOG) },
];

let server: OcmServer;
afterEach(() => server?.close());

describe('the contract', () => {
  it('covers every method', async () => {
    server = await startOcmServer(plain(500));
    expect([...new Set(ALL.map(({ method }) => method))].sort()).toEqual(Object.keys(server.client()).sort());
  });

  describe.skipIf(!hasOpenApi)('with the services, as their documents have it', () => {
    const api = hasOpenApi ? loadOpenApi() : undefined;

    /** Answers with everything that the document has for the request. */
    const documented: Reply = (response, request) => {
      const operation = api?.operation(request.method, request.path);
      if (operation === undefined) return plain(501)(response, request);
      const { status, example } = operation;
      return (example === undefined ? plain(status) : json(status, example))(response, request);
    };

    it.each(ALL.map((each) => ({ of: 'all', ...each })))('is kept by $method of $of', async ({ act }) => {
      server = await startOcmServer(documented);
      const result = await act(server.client());
      expect(server.asked().flatMap(faultsOf)).toEqual([]);
      expect(server.asked()).not.toEqual([]);
      if (typeof result === 'object' && result !== null && 'items' in result) {
        expect(result).toMatchObject({ items: [expect.anything()], problems: [] });
      }
    });

    function faultsOf({ method, path, query, body }: OcmServer['seen'][number]): string[] {
      const operation = api?.operation(method, path);
      if (operation === undefined) return [`${method} ${path}: no such operation`];
      const unknown = Object.keys(query).filter((name) => !operation.parameters.includes(name));
      return [
        ...unknown.map((name) => `${method} ${path}: no parameter ${name}`),
        ...(body === '' ? [] : operation.faultsOf(JSON.parse(body)).map((fault) => `${method} ${path}: ${fault}`)),
      ];
    }
  });
});
