import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql';
import { afterEach, describe, expect, test } from 'vitest';
import { type Bundle, buildBundle, bundleText, sha256 } from './build-bundle.ts';
import { readConfs } from './qontract-confs.ts';
import { buildQontractSchema } from './qontract-schema.ts';
import { type QontractServer, type QontractServerOptions, startQontractServer } from './qontract-server.ts';

const datafileFields = [
  { name: 'schema', type: 'string', isRequired: true },
  { name: 'path', type: 'string', isRequired: true },
  { name: 'name', type: 'string', isRequired: true, isSearchable: true },
];
const CONFS = [
  {
    name: 'DatafileObject_v1',
    isInterface: true,
    interfaceResolve: { strategy: 'schema' },
    fields: datafileFields.slice(0, 2),
  },
  {
    name: 'Resource_v1',
    fields: [
      { name: 'path', type: 'string', isRequired: true },
      { name: 'content', type: 'string', isRequired: true },
      { name: 'schema', type: 'string' },
    ],
  },
  {
    name: 'Team_v1',
    datafile: '/team-1.yml',
    fields: [
      ...datafileFields,
      { name: 'apps', type: 'App_v1', isList: true, synthetic: { schema: '/app-1.yml', subAttr: 'owners.team' } },
    ],
  },
  { name: 'Owner_v1', fields: [{ name: 'team', type: 'Team_v1', isRequired: true }] },
  {
    name: 'Store_v1',
    isInterface: true,
    interfaceResolve: { strategy: 'fieldMap', field: 'provider', fieldMap: { s3: 'StoreS3_v1', disk: 'StoreDisk_v1' } },
    fields: [{ name: 'provider', type: 'string', isRequired: true }],
  },
  {
    name: 'StoreS3_v1',
    interface: 'Store_v1',
    fields: [
      { name: 'provider', type: 'string', isRequired: true },
      { name: 'bucket', type: 'string' },
    ],
  },
  {
    name: 'StoreDisk_v1',
    interface: 'Store_v1',
    fields: [
      { name: 'provider', type: 'string', isRequired: true },
      { name: 'template', type: 'string', isResource: true, resolveResource: true, isRequired: true },
    ],
  },
  {
    name: 'App_v1',
    datafile: '/app-1.yml',
    fields: [
      ...datafileFields,
      { name: 'labels', type: 'json' },
      { name: 'note', type: 'string' },
      { name: 'parent', type: 'App_v1' },
      { name: 'related', type: 'DatafileObject_v1', isList: true, isInterface: true },
      { name: 'owners', type: 'Owner_v1', isList: true },
      { name: 'stores', type: 'Store_v1', isList: true, isInterface: true },
    ],
  },
  {
    name: 'Query',
    fields: [
      { name: 'apps_v1', type: 'App_v1', isList: true, datafileSchema: '/app-1.yml' },
      { name: 'teams_v1', type: 'Team_v1', isList: true, datafileSchema: '/team-1.yml' },
      { name: 'resources_v1', type: 'Resource_v1', isList: true, isRequired: true, isResource: true },
    ],
  },
];

const BUNDLE: Bundle = {
  data: {
    '/app/a.yml': {
      $schema: '/app-1.yml',
      name: 'a',
      labels: { tier: 'one' },
      related: [{ $ref: '/team/t.yml' }, { $ref: '/app/b.yml' }],
      owners: [{ team: { $ref: '/team/t.yml' } }, { team: { $ref: '/team/t.yml' } }],
      stores: [
        { provider: 's3', bucket: 'b1' },
        { provider: 'disk', template: '/r.txt' },
      ],
    },
    '/app/b.yml': { $schema: '/app-1.yml', name: 'b', parent: { $ref: '/gone.yml' }, stores: [{ provider: 'tape' }] },
    '/team/t.yml': { $schema: '/team-1.yml', name: 't' },
  },
  resources: { '/r.txt': { path: '/r.txt', content: 'hello', $schema: null, sha256sum: '', backrefs: [] } },
  schemas: {},
  graphql: { $schema: '/app-interface/graphql-schemas-1.yml', confs: CONFS },
  git_commit: 'c0ffee',
  git_commit_timestamp: '1700000000',
};
const TEXT = bundleText(BUNDLE);

let server: QontractServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Partial<QontractServerOptions> = {}): Promise<QontractServer> {
  server = await startQontractServer({ bundle: TEXT, ...options });
  return server;
}

async function post(path: string, request: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${server!.url}${path}`, { method: 'POST', body: JSON.stringify(request) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function query(text: string, variables = {}): Promise<Record<string, unknown>> {
  return (await post('/graphql', { query: text, variables })).body;
}

describe('values', () => {
  test('json is JSON-encoded text; a missing key and a dangling reference are null', async () => {
    await start();
    expect(await query('{ apps_v1 { path labels note parent { name } } }')).toEqual({
      data: {
        apps_v1: [
          { path: '/app/a.yml', labels: '{"tier":"one"}', note: null, parent: null },
          { path: '/app/b.yml', labels: null, note: null, parent: null },
        ],
      },
      extensions: { schemas: ['/app-1.yml'] },
    });
  });

  test('arguments select by path and searchable fields, null being no condition', async () => {
    await start();
    const text = 'query($n: String, $p: String) { apps_v1(name: $n, path: $p) { name } }';
    const names = async (variables: object) => (await query(text, variables)).data;
    expect(await names({ n: 'b', p: null })).toEqual({ apps_v1: [{ name: 'b' }] });
    expect(await names({ p: '/app/a.yml' })).toEqual({ apps_v1: [{ name: 'a' }] });
    expect(await names({ n: 'b', p: '/app/a.yml' })).toEqual({ apps_v1: [] });
  });

  test('lists of references resolve to datafiles of their own types', async () => {
    await start();
    const text = '{ apps_v1(name: "a") { related { __typename schema path ... on App_v1 { name } } } }';
    expect(await query(text)).toEqual({
      data: {
        apps_v1: [
          {
            related: [
              { __typename: 'Team_v1', schema: '/team-1.yml', path: '/team/t.yml' },
              { __typename: 'App_v1', schema: '/app-1.yml', path: '/app/b.yml', name: 'b' },
            ],
          },
        ],
      },
      extensions: { schemas: ['/app-1.yml', '/team-1.yml'] },
    });
  });

  test('a synthetic field lists the datafiles that refer back, each once', async () => {
    await start();
    const owner = { team: { name: 't' } };
    expect((await query('{ teams_v1 { apps { name owners { team { name } } } } }')).data).toEqual({
      teams_v1: [{ apps: [{ name: 'a', owners: [owner, owner] }] }],
    });
  });

  test('items that no fragment matches are dropped', async () => {
    await start();
    const text = '{ apps_v1(name: "a") { stores { ... on StoreS3_v1 { bucket } } } }';
    expect((await query(text)).data).toEqual({ apps_v1: [{ stores: [{ bucket: 'b1' }] }] });
  });

  test('resources resolve where named, and record no schema when asked alone', async () => {
    await start();
    const text = '{ apps_v1(name: "a") { stores { ... on StoreDisk_v1 { template { content schema } } } } }';
    const template = { content: 'hello', schema: null };
    expect((await query(text)).data).toEqual({ apps_v1: [{ stores: [{ template }] }] });
    expect(await query('{ resources_v1(path: "/r.txt") { content } }')).toEqual({
      data: { resources_v1: [{ content: 'hello' }] },
      extensions: { schemas: [] },
    });
    expect(await query('{ resources_v1(path: "/no") { content } }')).toMatchObject({ data: null });
  });
});

describe('HTTP', () => {
  test('a query that does not parse or validate is 400, a failed execution 200', async () => {
    await start();
    for (const text of ['{', '{ nothing_v1 { name } }']) {
      const { status, body } = await post('/graphql', { query: text });
      expect({ status, keys: Object.keys(body) }).toEqual({ status: 400, keys: ['errors'] });
    }
    const { status, body } = await post('/graphql', { query: '{ apps_v1 { stores { provider } } }' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ errors: [{ path: ['apps_v1', 1, 'stores', 0] }] });
    expect(await post('/graphql', [])).toMatchObject({ status: 400 });
    expect((await fetch(`${server!.url}/graphql`, { method: 'POST', body: '{' })).status).toBe(400);
  });

  test('bundles are served by sha until forgotten, and the latest announced', async () => {
    const { url, sha256: first } = await start();
    expect(first).toBe(sha256(TEXT));
    const info = await fetch(`${url}/git-commit-info/${first}`);
    expect(await info.json()).toEqual({ commit: 'c0ffee', timestamp: '1700000000' });

    const second = server!.reload(bundleText({ ...BUNDLE, data: {}, git_commit: 'beef' }));
    expect(await (await fetch(`${url}/sha256`)).text()).toBe(second);
    expect(server!.sha256).toBe(second);
    const request = { query: '{ teams_v1 { name } }' };
    expect((await post(`/graphqlsha/${first}`, request)).body.data).toEqual({ teams_v1: [{ name: 't' }] });
    expect((await post(`/graphqlsha/${second}`, request)).body.data).toEqual({ teams_v1: [] });

    server!.forget(first);
    expect((await fetch(`${url}/graphqlsha/${first}`, { method: 'POST', body: '{}' })).status).toBe(404);
    const gone = await fetch(`${url}/git-commit-info/${first}`);
    expect([gone.status, await gone.text()]).toEqual([404, `Bundle ${first} not found`]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/resource`)).status).toBe(404);
  });

  test('a token is required verbatim when set, and requests are recorded', async () => {
    const { url, requests } = await start({ token: 'Basic abc' });
    expect((await fetch(`${url}/sha256`)).status).toBe(401);
    expect((await fetch(`${url}/sha256`, { headers: { authorization: 'Basic abc' } })).status).toBe(200);
    expect(requests).toEqual([
      { method: 'GET', path: '/sha256', authorization: undefined, body: '' },
      { method: 'GET', path: '/sha256', authorization: 'Basic abc', body: '' },
    ]);
  });

  test('an interceptor may answer in place of the server', async () => {
    const busy = { status: 503, body: 'busy', headers: { 'retry-after': '1' } };
    const { url } = await start({ intercept: async ({ path }) => (path === '/sha256' ? busy : undefined) });
    const refused = await fetch(`${url}/sha256`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await fetch(`${url}/git-commit-info`)).status).toBe(200);
  });
});

const CONTRACTS = join(import.meta.dirname, '../../../shared/contracts/qontract');

describe.skipIf(!existsSync(CONTRACTS))('the full type configuration', () => {
  const full = () =>
    buildBundle('/nowhere', {
      schemasDir: join(CONTRACTS, 'schemas'),
      graphqlFile: join(CONTRACTS, 'graphql-schemas/schema.yml'),
    });

  test('builds a valid schema holding every configured type', () => {
    const confs = readConfs(full().graphql);
    const schema = buildQontractSchema(confs);
    expect(validateSchema(schema)).toEqual([]);
    expect(confs.size).toBe(492);
    expect(
      confs
        .keys()
        .filter((name) => schema.getType(name) === undefined)
        .toArray(),
    ).toEqual([]);
  });

  test('introspects and answers across references, interfaces and back references', async () => {
    await start({ bundle: bundleText({ ...full(), data: INSTANCE }) });
    const introspected = await query(getIntrospectionQuery());
    expect(buildClientSchema(introspected.data as unknown as IntrospectionQuery).getType('Cluster_v1')).toBeDefined();
    const text = `{
      integrations_v1 { name managed { sharding { strategy ... on StaticSharding_v1 { shards } } } }
      clusters_v1(name: "one") { spec { product ... on ClusterSpecROSA_v1 { account { name } } } ocm { path } }
      environments_v1 { product { name environments { name } } }
      permissions_v1 { name ... on DatafileObject_v1 { schema } ... on PermissionGithubOrgTeam_v1 { org } }
    }`;
    expect(await query(text)).toEqual({
      data: {
        integrations_v1: [{ name: 'i', managed: [{ sharding: { strategy: 'static', shards: 3 } }] }],
        clusters_v1: [{ spec: { product: 'rosa', account: { name: 'acc' } }, ocm: { path: '/ocm.yml' } }],
        environments_v1: [{ product: { name: 'p', environments: [{ name: 'e' }] } }],
        permissions_v1: [{ name: 'perm', schema: '/access/permission-1.yml', org: 'o' }],
      },
      extensions: {
        schemas: [
          '/app-sre/integration-1.yml',
          '/openshift/cluster-1.yml',
          '/aws/account-1.yml',
          '/openshift/openshift-cluster-manager-1.yml',
          '/app-sre/environment-1.yml',
          '/app-sre/product-1.yml',
          '/access/permission-1.yml',
        ],
      },
    });
  });
});

const INSTANCE: Bundle['data'] = {
  '/account.yml': { $schema: '/aws/account-1.yml', name: 'acc' },
  '/cluster.yml': {
    $schema: '/openshift/cluster-1.yml',
    name: 'one',
    ocm: { $ref: '/ocm.yml' },
    spec: { product: 'rosa', account: { $ref: '/account.yml' } },
  },
  '/env.yml': { $schema: '/app-sre/environment-1.yml', name: 'e', product: { $ref: '/product.yml' } },
  '/integration.yml': {
    $schema: '/app-sre/integration-1.yml',
    name: 'i',
    managed: [{ sharding: { strategy: 'static', shards: 3 } }],
  },
  '/ocm.yml': { $schema: '/openshift/openshift-cluster-manager-1.yml', name: 'ocm' },
  '/permission.yml': { $schema: '/access/permission-1.yml', name: 'perm', service: 'github-org-team', org: 'o' },
  '/product.yml': { $schema: '/app-sre/product-1.yml', name: 'p' },
};
