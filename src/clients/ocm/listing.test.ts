import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { json, type Reply } from '../../../test/support/local-http.ts';
import { holds } from '../../../test/support/property.ts';
import { type OcmServer, page, refusal, startOcmServer } from '../../../test/support/scripted-ocm.ts';
import type { OcmClient } from './index.ts';
import { atLeast, equal, MAX_SEARCH_BYTES, MAX_SEARCH_VALUES, oneOf, searches, startsWith } from './listing.ts';

let server: OcmServer;
afterEach(() => server?.close());

async function start(reply: Reply) {
  server = await startOcmServer(reply);
  return server.client();
}

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `id${String(index).padStart(25, '0')}`);
const organization = (id: string) => ({ id, name: `name of ${id}` });

/** Organizations, found by search and given in pages, as a server does. */
function organizations(all: readonly string[], pageSize = 100): Reply {
  return (response, request) => {
    const asked = new Set([...(request.query['search'] ?? '').matchAll(/'([^']*)'/g)].map(([, id]) => id));
    const found = all.filter((id) => asked.has(id)).map(organization);
    const from = (Number(request.query['page']) - 1) * pageSize;
    return page(found.slice(from, from + pageSize), found.length)(response, request);
  };
}

describe('a list of records', () => {
  it('is asked for in pages of 100 from 1, in a stable order', async () => {
    const client = await start(page([organization('o1')]));
    await client.listOrganizations({});
    expect(server.asked().map(({ query }) => query)).toEqual([{ orderBy: 'id', page: '1', size: '100' }]);
  });

  it.each([
    { given: 'one record', count: 1, calls: 1 },
    { given: 'a full page', count: 100, calls: 1 },
    { given: 'more than fit into one search', count: 101, calls: 2 },
    { given: 'a thousand', count: 1000, calls: 10 },
  ])('by id needs no more calls than pages: $calls for $given', async ({ count, calls }) => {
    const client = await start(organizations(ids(count)));
    const { items, problems } = await client.listOrganizations({ by: { field: 'id', values: ids(count) } });
    expect(items.map(({ id }) => id)).toEqual(ids(count));
    expect({ problems, calls: server.asked().length }).toEqual({ problems: [], calls });
  });

  it('by nothing asks nothing', async () => {
    const client = await start(page([organization('o1')]));
    expect(await client.listOrganizations({ by: { field: 'id', values: [] } })).toEqual({ items: [], problems: [] });
    expect(await client.listSubscriptions({ statuses: [] })).toEqual({ items: [], problems: [] });
    expect(server.asked()).toEqual([]);
  });

  it('has each record once, by id, whichever searches find it', async () => {
    const client = await start((response, request) => page([organization('b'), organization('a')])(response, request));
    const { items } = await client.listOrganizations({ by: { field: 'name', values: ids(250) } });
    expect(items.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(server.asked()).toHaveLength(3);
  });

  it('fails as a whole when a page of it does', async () => {
    const client = await start((response, request) =>
      (request.query['page'] === '2' ? refusal(403, 'no') : page(ids(100).map(organization), 150))(response, request),
    );
    await expect(client.listOrganizations({})).rejects.toMatchObject({ code: 'OCM_FORBIDDEN' });
  });

  it('fails when rows went away each time that it was read', async () => {
    const client = await start((response, request) =>
      (request.query['page'] === '2'
        ? page(ids(149).slice(100).map(organization), 149)
        : page(ids(100).map(organization), 150))(response, request),
    );
    await expect(client.listOrganizations({})).rejects.toMatchObject({
      code: 'OCM_LIST_INCOMPLETE',
      message: expect.stringMatching(/\/organizations returned an incomplete list 3 times: rows were removed/),
    });
  });

  const all = ids(100);
  const half: Reply = (response, request) =>
    page(request.query['page'] === '1' ? all.slice(0, 50).map(organization) : [], 100)(response, request);

  it('is read again, after a pause, when half a page came', async () => {
    const client = await start((response, request) =>
      (server.asked().length <= 2 ? half : page(all.map(organization)))(response, request),
    );
    expect(await client.listOrganizations({})).toMatchObject({ items: { length: 100 }, problems: [] });
    expect([server.asked().length, server.waits]).toEqual([3, [500]]);
  });

  it.each([
    { list: 'labels', read: (client: OcmClient) => client.listLabels({ keyPrefix: 'a' }) },
    { list: 'subscriptions', read: (client: OcmClient) => client.listOwners({}) },
    { list: 'organizations', read: (client: OcmClient) => client.listOrganizations({}) },
    { list: 'clusters', read: (client: OcmClient) => client.listClusters({}) },
    { list: 'node_pools', read: (client: OcmClient) => client.listNodePools('c') },
    {
      list: 'upgrade_policies',
      read: (client: OcmClient) => client.listUpgradePolicies({ kind: 'classic', clusterId: 'c' }),
    },
    { list: 'version_gates', read: (client: OcmClient) => client.listVersionGates() },
    { list: 'gate_agreements', read: (client: OcmClient) => client.listGateAgreements('c') },
    { list: 'cluster_logs', read: (client: OcmClient) => client.listServiceLogs({ clusterUuid: 'u' }) },
  ])('fails when half a page comes each time: $list', async ({ list, read }) => {
    const client = await start(half);
    await expect(read(client)).rejects.toMatchObject({
      code: 'OCM_LIST_INCOMPLETE',
      message: expect.stringMatching(
        new RegExp(`/${list} returned an incomplete list 3 times: 50 rows, but a total of 100$`),
      ),
    });
    expect([server.asked().length, server.waits]).toEqual([6, [500, 1_000]]);
  });
});

describe('a record that does not fit', () => {
  it('is told and left out, and the others are not', async () => {
    const cluster = (id: string, more: object) => ({
      id,
      name: `n-${id}`,
      state: 'ready',
      version: { raw_id: '4.16.1' },
      ...more,
    });
    const client = await start(
      page([
        cluster('c1', {}),
        cluster('c2', { version: { id: 'openshift-v4.16.1' }, external_id: 'u2', subscription: { id: 's2' } }),
        cluster('c3', { version: { raw_id: '4.16.1', available_upgrades: [null] }, state: 7 }),
        null,
        cluster('c4', {}),
      ]),
    );
    const { items, problems } = await client.listClusters({});
    const endpoint = `GET ${server.url}/api/clusters_mgmt/v1/clusters`;
    expect(items.map(({ id }) => id)).toEqual(['c1', 'c4']);
    expect(problems).toEqual([
      { endpoint, id: undefined, known: {}, message: expect.stringContaining('expected object') },
      {
        ...{ endpoint, id: 'c2', message: expect.stringMatching(/^version\.raw_id: .*expected string/) },
        known: { name: 'n-c2', external_id: 'u2', state: 'ready', 'subscription.id': 's2' },
      },
      {
        ...{ endpoint, id: 'c3', message: expect.stringMatching(/^state: .*; version\.available_upgrades\.0: /) },
        known: { name: 'n-c3', 'version.raw_id': '4.16.1' },
      },
    ]);
  });

  it('inside another is left out by itself', async () => {
    const labels = [
      { id: 'l1', key: 'k1', value: 'v1' },
      { id: 'l2', key: 'k2', value: null },
    ];
    const client = await start(page([{ id: 's1', organization_id: 'o1', status: 'Active', labels }]));
    const { items, problems } = await client.listSubscriptions({ fetchLabels: true });
    expect(items).toMatchObject([{ id: 's1', labels: [{ key: 'k1', value: 'v1' }] }]);
    expect(problems).toMatchObject([{ id: 'l2', known: { key: 'k2' } }]);
  });

  it('is an error where it is all that was asked for', async () => {
    const client = await start(json(200, { id: 'c1', name: 'n', state: 'ready', version: {} }));
    await expect(client.getCluster('c1')).rejects.toMatchObject({
      code: 'OCM_ANSWER',
      message: expect.stringContaining('/clusters/c1 returned an invalid record: version.raw_id: '),
    });
  });
});

describe('a term', () => {
  it.each([
    { term: equal('state', 'ready'), text: "state='ready'" },
    { term: equal('name', "it's ''"), text: "name='it''s '''''" },
    { term: equal('name', ''), text: "name=''" },
    { term: oneOf('id', ['b']), text: "id='b'" },
    { term: oneOf('id', ['b', 'a', 'b']), text: "id in ('a','b')" },
    { term: oneOf('id', ["o'b", 'a']), text: "id in ('a','o''b')" },
    { term: oneOf('id', []), text: undefined },
    { term: startsWith('key', "a.'b"), text: "key like 'a.''b%'" },
    { term: atLeast('created_at', '2026-01-01T00:00:00Z'), text: "created_at >= '2026-01-01T00:00:00Z'" },
  ])('is $text', ({ term, text }) => {
    expect(term).toBe(text);
  });
});

describe('searches', () => {
  const ids = (count: number, length = 27): string[] =>
    Array.from({ length: count }, (_, index) => String(index).padStart(length, '0'));

  it.each([
    { given: 'nothing', terms: [], by: undefined, found: undefined },
    { given: 'terms', terms: ["a='1'", "b='2'"], by: undefined, found: ["a='1' and b='2'"] },
    { given: 'a selection', terms: [], by: { field: 'id', values: ['x'] }, found: ["id='x'"] },
    { given: 'both', terms: ["a='1'"], by: { field: 'id', values: ['y', 'x'] }, found: ["a='1' and id in ('x','y')"] },
    { given: 'a selection of nothing', terms: ["a='1'"], by: { field: 'id', values: [] }, found: [] },
    { given: 'a term that nothing fulfils', terms: ["a='1'", undefined], by: undefined, found: [] },
  ])('for $given are $found', ({ terms, by, found }) => {
    expect(searches(terms, by)).toEqual(found);
  });

  it.each([
    { what: 'as many as a page has', count: 250, length: 27, chunks: [100, 100, 50] },
    { what: 'fewer when they are long', count: 250, length: 32, chunks: [99, 99, 52] },
    { what: 'one when it is all that fits', count: 2, length: 4000, chunks: [1, 1] },
  ])('for many values have $what', ({ count, length, chunks }) => {
    const found = searches([], { field: 'id', values: ids(count, length) });
    expect(found?.map((search) => search.split("'").length >> 1)).toEqual(chunks);
  });

  it.each([
    { given: 'a value', search: () => searches([], { field: 'id', values: ['x'.repeat(5000)] }) },
    { given: 'a term', search: () => searches([equal('name', 'x'.repeat(5000))]) },
  ])('for $given that is too long are refused', ({ search }) => {
    expect(search).toThrow(expect.objectContaining({ code: 'OCM_SEARCH_TOO_LONG' }));
  });

  it('have each value once, and are short enough to be sent', () => {
    const value = fc.string({ unit: fc.constantFrom('a', 'Z', '7', "'", ' ', 'ä', '€', '%'), maxLength: 60 });
    holds(
      fc.property(
        fc.array(value, { maxLength: 300 }),
        fc.array(fc.constant("managed='true'"), { maxLength: 3 }),
        (values, terms) => {
          const found = searches(terms, { field: 'id', values }) ?? [];
          expect(found.flatMap(valuesIn).sort()).toEqual([...new Set(values)].sort());
          for (const search of found) {
            expect(new URL(`http://x/?${new URLSearchParams({ search })}`).search.length).toBeLessThanOrEqual(
              MAX_SEARCH_BYTES + 1,
            );
            expect(valuesIn(search).length).toBeLessThanOrEqual(MAX_SEARCH_VALUES);
          }
        },
      ),
    );
  });
});

/** The values of the selection, read back as the grammar of searches has it. */
function valuesIn(search: string): string[] {
  const [, list = ''] = /(?:^| and )id(?:=| in \()((?:'(?:[^']|'')*',?)+)\)?$/.exec(search) ?? [];
  return [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"));
}
