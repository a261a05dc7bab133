import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  APPLY,
  CONFIG_MAPS_PATH,
  configMap,
  DEPLOYMENTS_PATH,
  deployment,
  type Exchange,
  exchange,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
} from '../../../test/support/sim-kube-exchange.ts';
import { type Fields, type KubeObject, type ManagedFieldsEntry, valueAt } from './objects.ts';

let api: Exchange;
beforeEach(async () => {
  api = await exchange({ controllers: false });
});
afterEach(() => api.sim.close());

const A = `${CONFIG_MAPS_PATH}/a`;
const D = `${DEPLOYMENTS_PATH}/d`;
const STATEFUL_SETS_PATH = '/apis/apps/v1/namespaces/ns/statefulsets';
const LEASES_PATH = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';
const patch = (path: string, type: string, body: unknown) => api.send('PATCH', path, body, { 'Content-Type': type });
const managers = (body: Fields): string[] =>
  ((valueAt(body, 'metadata', 'managedFields') as ManagedFieldsEntry[] | undefined) ?? []).map(
    ({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`.trim(),
  );
const version = (body: Fields): number => Number(valueAt(body, 'metadata', 'resourceVersion'));

describe('an apply', () => {
  it('creates with 201, changes with 200, and keeps the version when nothing changes', async () => {
    const first = await api.apply(A, 'm', configMap('a', { data: { x: '1' } }));
    const second = await api.apply(A, 'm', configMap('a', { data: { x: '1' } }));
    const third = await api.apply(A, 'm', configMap('a', { data: { x: '2' } }));
    expect([first.code, second.code, third.code]).toEqual([201, 200, 200]);
    expect(second.body).toEqual(first.body);
    expect(version(third.body)).toBeGreaterThan(version(second.body));
  });

  it('keeps the version when it writes the same in other words', async () => {
    const limits = (cpu: unknown): Fields => deployment('d', {}, { resources: { limits: { cpu } } });
    const first = await api.apply(D, 'm', limits('1'));
    expect((await api.apply(D, 'm', limits('1000m'))).body).toEqual(first.body);
  });

  it('is refused when it would take fields of others, and tells which', async () => {
    await api.apply(D, 'm', deployment('d', { replicas: 1 }));
    await patch(`${D}?fieldManager=kubectl-edit`, MERGE, { spec: { replicas: 2 } });
    const { code, body } = await api.apply(D, 'm', deployment('d', { replicas: 1 }));
    expect([code, body['reason'], body['message']]).toEqual([
      409,
      'Conflict',
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas',
    ]);
    expect(valueAt(body, 'details', 'causes')).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "kubectl-edit" using apps/v1',
        field: '.spec.replicas',
      },
    ]);
    const forced = await api.apply(D, 'm', deployment('d', { replicas: 1 }), '&force=true');
    expect([forced.code, managers(forced.body)]).toEqual([200, ['m Apply']]);
  });

  it('lists several conflicts by manager', async () => {
    await api.apply(A, 'm', configMap('a', { data: { x: '1', y: '1' } }));
    const { body } = await api.apply(A, 'n', configMap('a', { data: { x: '2', y: '2' } }));
    expect(body['message']).toBe('Apply failed with 2 conflicts: conflicts with "m":\n- .data.x\n- .data.y');
  });

  it.each([
    {
      given: 'managedFields',
      query: '?fieldManager=m',
      config: configMap('a', { metadata: { managedFields: [] } }),
      code: 400,
      reason: 'BadRequest',
    },
    {
      given: 'the uid of what is not there',
      query: '?fieldManager=m',
      config: configMap('a', { metadata: { uid: 'x' } }),
      code: 409,
      reason: 'Conflict',
    },
    {
      given: 'a field that the kind does not have',
      query: '?fieldManager=m',
      config: configMap('a', { foo: 1 }),
      code: 500,
      reason: undefined,
    },
    {
      given: 'another kind',
      query: '?fieldManager=m',
      config: { ...configMap('a'), kind: 'Secret' },
      code: 400,
      reason: 'BadRequest',
    },
    { given: 'another name', query: '?fieldManager=m', config: configMap('b'), code: 400, reason: 'BadRequest' },
  ])('with $given is refused with $code', async ({ query, config, code, reason }) => {
    const answer = await patch(`${A}${query}`, APPLY, config);
    expect([answer.code, answer.body['reason']]).toEqual([code, reason]);
    expect(api.sim.store.list('v1', 'ConfigMap', 'ns')).toEqual([]);
  });

  it('tells where a list has two items of one key', async () => {
    const env = [{ name: 'A' }, { name: 'A' }];
    const { body } = await api.apply(D, 'm', deployment('d', {}, { env }));
    expect(body['message']).toBe('failed to create typed patch object: duplicate entries for key [name="A"]');
  });

  it('takes over what another manager owned once managedFields say so', async () => {
    await api.apply(A, 'old', configMap('a', { data: { x: '1', y: '1' } }));
    const fieldsV1 = { 'f:data': { 'f:x': {}, 'f:y': {} } };
    const entry = { manager: 'new', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
    await patch(A, JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: [entry] }]);
    const { body } = await api.apply(A, 'new', configMap('a', { data: { x: '1' } }));
    expect([body['data'], managers(body)]).toEqual([{ x: '1' }, ['new Apply']]);
  });

  it('finds what nobody manages to be of who was there before', async () => {
    await api.send('POST', CONFIG_MAPS_PATH, configMap('a', { data: { x: '1' } }));
    await patch(A, JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]);
    const { body } = await api.apply(A, 'm', configMap('a', { data: { x: '2' } }));
    expect(body['message']).toContain('conflict with "before-first-apply" using v1: .data.x');
  });
});

describe('other writes', () => {
  it('belong to the first part of the User-Agent when they name no manager', async () => {
    expect(managers((await api.send('POST', CONFIG_MAPS_PATH, configMap('a', { data: { x: '1' } }))).body)).toEqual([
      'tester Update',
    ]);
  });

  it('of the object leave its status as it is', async () => {
    await api.send('POST', DEPLOYMENTS_PATH, deployment('d'));
    const { body } = await patch(D, MERGE, { status: { replicas: 5 } });
    expect(valueAt(body, 'status', 'replicas')).toBeUndefined();
  });

  it.each([
    {
      what: 'the selector of a deployment',
      path: DEPLOYMENTS_PATH,
      object: deployment('d'),
      change: { selector: { matchLabels: { b: 'c' } } },
      says: 'spec.selector: Invalid value: {"matchLabels":{"app":"d","b":"c"}}: field is immutable',
    },
    {
      what: 'the service of a stateful set',
      path: STATEFUL_SETS_PATH,
      object: { ...deployment('d'), kind: 'StatefulSet' },
      change: { serviceName: 'other' },
      says: "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    },
  ])('of $what are refused', async ({ path, object, change, says }) => {
    await api.send('POST', path, object);
    const { code, body } = await patch(`${path}/d`, MERGE, { spec: change });
    expect([code, body['reason'], String(body['message']).endsWith(`is invalid: ${says}`)]).toEqual([
      422,
      'Invalid',
      true,
    ]);
  });

  it.each([
    { what: 'the spec', body: { spec: { replicas: 5 } }, generation: 2 },
    { what: 'annotations', body: { metadata: { annotations: { a: 'b' } } }, generation: 2 },
    { what: 'labels', body: { metadata: { labels: { a: 'b' } } }, generation: 1 },
    { what: 'nothing', body: { spec: { replicas: 1 } }, generation: 1 },
  ])('of $what of a deployment make generation $generation', async ({ body, generation }) => {
    await api.send('POST', DEPLOYMENTS_PATH, deployment('d'));
    expect((await patch(D, MERGE, body)).body.metadata['generation']).toBe(generation);
  });

  it('of an old version are refused', async () => {
    const { body } = await api.send('POST', CONFIG_MAPS_PATH, configMap('a'));
    const { resourceVersion } = body.metadata;
    await patch(A, MERGE, { data: { x: '1' } });
    for (const answer of [
      await api.send('PUT', A, configMap('a', { metadata: { resourceVersion } })),
      await patch(A, MERGE, { metadata: { resourceVersion }, data: { x: '2' } }),
      await api.apply(A, 'm', configMap('a', { metadata: { resourceVersion } })),
    ])
      expect([answer.code, answer.body['reason'], answer.body['message']]).toEqual([
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      ]);
  });

  it('of a lease have to name the version, and create it where there is none', async () => {
    const lease = (name: string): Fields => ({ metadata: { name }, spec: { holderIdentity: 'me' } });
    expect((await api.send('PUT', `${LEASES_PATH}/l`, lease('l'))).code).toBe(201);
    const { code, body } = await api.send('PUT', `${LEASES_PATH}/l`, lease('l'));
    expect([code, body['message']]).toEqual([
      422,
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });

  it.each([
    { type: 'text/plain', method: 'POST', path: CONFIG_MAPS_PATH },
    { type: 'application/json', method: 'PATCH', path: A },
  ])('of $type by $method are refused with 415', async ({ type, method, path }) => {
    expect((await api.send(method, path, '{}', { 'Content-Type': type })).code).toBe(415);
  });

  it('keep the address that a service was given', async () => {
    const path = '/api/v1/namespaces/ns/services';
    const service = (more: Fields = {}): Fields => ({
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], ...more },
    });
    const { body: first } = await api.send('POST', path, service());
    const { body: second } = await api.send('PUT', `${path}/s`, service({ selector: { a: 'b' } }));
    expect(valueAt(first, 'spec', 'clusterIP')).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(valueAt(second, 'spec', 'clusterIP')).toBe(valueAt(first, 'spec', 'clusterIP'));
  });

  it('merge a list by its keys strategically', async () => {
    await api.send('POST', DEPLOYMENTS_PATH, deployment('d'));
    const containers = [{ name: 'c', image: 'img:2' }];
    const { body } = await patch(D, STRATEGIC, { spec: { template: { spec: { containers } } } });
    expect(valueAt(body, 'spec', 'template', 'spec', 'containers')).toMatchObject([
      { name: 'c', image: 'img:2', imagePullPolicy: 'IfNotPresent' },
    ]);
  });
});

describe('a create', () => {
  it('in a namespace that is not there is refused', async () => {
    const { code, body } = await api.send('POST', '/api/v1/namespaces/nope/configmaps', configMap('a'));
    expect([code, body['message'], body['details']]).toEqual([
      404,
      'namespaces "nope" not found',
      { name: 'nope', kind: 'namespaces' },
    ]);
  });

  it('of what is there is refused', async () => {
    await api.send('POST', CONFIG_MAPS_PATH, configMap('a'));
    const { code, body } = await api.send('POST', CONFIG_MAPS_PATH, configMap('a'));
    expect([code, body['reason'], body['message']]).toEqual([409, 'AlreadyExists', 'configmaps "a" already exists']);
  });

  it('makes a name of a beginning', async () => {
    const { body } = await api.send('POST', CONFIG_MAPS_PATH, { metadata: { generateName: 'a-' } });
    expect(body.metadata['name']).toMatch(/^a-[a-z0-9]{5}$/);
  });

  it('gives the same uids for the same seed', async () => {
    const uids: unknown[] = [];
    for (const seed of [7, 7, 8]) {
      const other = await exchange({ seed });
      uids.push((await other.send('POST', CONFIG_MAPS_PATH, configMap('a'))).body.metadata['uid']);
      await other.sim.close();
    }
    expect([uids[0] === uids[1], uids[0] === uids[2]]).toEqual([true, false]);
  });

  it('makes the namespace where any will do', async () => {
    const other = await exchange({ anyNamespace: true });
    const { code } = await other.send('POST', '/api/v1/namespaces/new/configmaps', configMap('a'));
    expect([code, other.sim.store.get('v1', 'Namespace', undefined, 'new')?.kind]).toEqual([201, 'Namespace']);
    await other.sim.close();
  });

  it('of fields that are not known warns, or is refused strictly', async () => {
    const warned = await api.send('POST', CONFIG_MAPS_PATH, configMap('a', { foo: 1 }));
    expect([warned.code, warned.headers.get('warning'), warned.body['foo']]).toEqual([
      201,
      '299 - "unknown field \\"foo\\""',
      undefined,
    ]);
    const strict = await api.send('POST', `${CONFIG_MAPS_PATH}?fieldValidation=Strict`, configMap('b', { foo: 1 }));
    expect([strict.code, strict.body['message']]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"',
    ]);
  });
});

describe('a dry run', () => {
  it.each([
    { method: 'POST', path: CONFIG_MAPS_PATH, body: configMap('b') },
    { method: 'PUT', path: A, body: configMap('a', { data: { x: '2' } }) },
    { method: 'DELETE', path: A, body: undefined },
  ])('of $method changes nothing', async ({ method, path, body }) => {
    await api.send('POST', CONFIG_MAPS_PATH, configMap('a'));
    const { revision } = api.sim.store;
    expect((await api.send(method, `${path}?dryRun=All`, body)).code).toBeLessThan(300);
    expect(api.sim.store.revision).toBe(revision);
  });

  it('of an apply tells what would be', async () => {
    const { code, body } = await api.apply(A, 'm', configMap('a', { data: { x: '1' } }), '&dryRun=All');
    expect([code, body['data'], api.sim.store.list('v1', 'ConfigMap', 'ns')]).toEqual([201, { x: '1' }, []]);
  });
});

describe('a delete', () => {
  beforeEach(() => api.send('POST', CONFIG_MAPS_PATH, configMap('a')));

  it('tells what it deleted, and then that it is not there', async () => {
    const first = await api.send('DELETE', A);
    const second = await api.send('DELETE', A);
    expect(first.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: expect.any(String) },
    });
    expect([second.code, second.body['reason']]).toEqual([404, 'NotFound']);
  });

  it.each([
    { preconditions: { uid: 'x' }, says: 'the UID in the precondition (x) does not match the UID in record' },
    {
      preconditions: { resourceVersion: '1' },
      says: 'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record',
    },
  ])('under $preconditions is refused', async ({ preconditions, says }) => {
    const { code, body } = await api.send('DELETE', A, { preconditions });
    expect([code, String(body['message']).includes(says)]).toEqual([409, true]);
  });

  it('under the uid it has is done', async () => {
    const uid = api.sim.store.get('v1', 'ConfigMap', 'ns', 'a')?.metadata.uid;
    expect((await api.send('DELETE', A, { preconditions: { uid } })).code).toBe(200);
  });

  it('waits for finalizers', async () => {
    await patch(A, MERGE, { metadata: { finalizers: ['x.io/y'] } });
    const { body } = await api.send('DELETE', A);
    expect(body.metadata['deletionTimestamp']).toEqual(expect.any(String));
    expect((await api.send('GET', A)).code).toBe(200);
    await patch(A, MERGE, { metadata: { finalizers: null } });
    expect((await api.send('GET', A)).code).toBe(404);
  });
});

describe('the token', () => {
  it('has to be brought', async () => {
    const other = await exchange({ token: 'one' });
    const get = (token: string) =>
      other.send('GET', '/api/v1/namespaces', undefined, { Authorization: `Bearer ${token}` });
    expect([(await get('one')).code, (await get('two')).code, (await other.send('GET', '/version')).code]).toEqual([
      200, 401, 401,
    ]);
    expect((await get('two')).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
    await other.sim.close();
  });
});

describe('requests', () => {
  it('are told in their order', async () => {
    await api.send('GET', `${CONFIG_MAPS_PATH}?limit=1`);
    await api.send('GET', A);
    expect(api.sim.requests).toEqual([
      { method: 'GET', path: CONFIG_MAPS_PATH, query: 'limit=1', status: 200, userAgent: 'tester/1' },
      { method: 'GET', path: A, query: '', status: 404, userAgent: 'tester/1' },
    ]);
    api.sim.clearRequests();
    expect(api.sim.requests).toEqual([]);
  });
});

async function* events(response: Response): AsyncGenerator<{ type: string; object: KubeObject }> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as { type: string; object: KubeObject };
  }
}

describe('a watch', () => {
  it('tells what is there and then what changes, within its selection', async () => {
    await api.send('POST', CONFIG_MAPS_PATH, configMap('a', { metadata: { labels: { in: '1' } } }));
    const end = new AbortController();
    const query = 'watch=1&labelSelector=in%3D1';
    const stream = events(await fetch(`${api.sim.url}${CONFIG_MAPS_PATH}?${query}`, { signal: end.signal }));
    await api.send('POST', CONFIG_MAPS_PATH, configMap('b'));
    await patch(`${CONFIG_MAPS_PATH}/b`, MERGE, { metadata: { labels: { in: '1' } } });
    await patch(A, MERGE, { metadata: { labels: { in: '2' } } });
    await api.send('DELETE', `${CONFIG_MAPS_PATH}/b`);
    const told: string[] = [];
    for await (const { type, object } of stream) {
      told.push(`${type} ${object.metadata.name}`);
      if (told.length === 4) break;
    }
    end.abort();
    expect(told).toEqual(['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b']);
  });

  it('goes on from a version', async () => {
    const { body } = await api.send('POST', CONFIG_MAPS_PATH, configMap('a'));
    await api.send('POST', CONFIG_MAPS_PATH, configMap('b'));
    const query = `watch=1&resourceVersion=${String(body.metadata['resourceVersion'])}`;
    for await (const { type, object } of events(await fetch(`${api.sim.url}${CONFIG_MAPS_PATH}?${query}`))) {
      expect([type, object.metadata.name]).toEqual(['ADDED', 'b']);
      break;
    }
  });
});

describe('direct access', () => {
  it('puts, gets, lists and deletes, and lets controllers work', async () => {
    const other = await exchange();
    const { store } = other.sim;
    store.put({ ...deployment('d'), metadata: { name: 'd', namespace: 'ns' } }, 'someone');
    expect(store.list('v1', 'Pod', 'ns')).toHaveLength(1);
    expect(managers(store.get('apps/v1', 'Deployment', 'ns', 'd') as unknown as Fields)).toContain('someone Update');
    store.delete('apps/v1', 'Deployment', 'ns', 'd');
    expect(store.list('v1', 'Pod', 'ns')).toEqual([]);
    expect(() => store.list('x/v1', 'Thing')).toThrow('the simulated API does not serve x/v1 Thing');
    await other.sim.close();
  });
});

describe('clients discover', () => {
  it.each([
    { path: '/api', kind: 'APIVersions' },
    { path: '/apis', kind: 'APIGroupList' },
    { path: '/apis/apps', kind: 'APIGroup' },
    { path: '/api/v1', kind: 'APIResourceList' },
    { path: '/apis/coordination.k8s.io/v1', kind: 'APIResourceList' },
  ])('$path', async ({ path, kind }) => {
    expect((await api.send('GET', path)).body['kind']).toBe(kind);
  });

  it.each(['/healthz', '/readyz', '/livez'])('that it is well at %s', async (path) => {
    expect(await (await fetch(`${api.sim.url}${path}`)).text()).toBe('ok');
  });

  it('that writes can be validated by the server', async () => {
    const { body } = await api.send('GET', '/openapi/v3/apis/apps/v1');
    const parameters = valueAt(
      body,
      'paths',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
      'patch',
      'parameters',
    );
    expect((parameters as Fields[]).map(({ name }) => name)).toContain('fieldValidation');
  });

  it('nothing elsewhere', async () => {
    const response = await fetch(`${api.sim.url}/nowhere`);
    expect([response.status, await response.text()]).toEqual([404, '404 page not found\n']);
  });
});

describe('a table', () => {
  it('is what kubectl prints', async () => {
    await api.send('POST', DEPLOYMENTS_PATH, deployment('d', { replicas: 2 }));
    const { body } = await api.send('GET', DEPLOYMENTS_PATH, undefined, {
      Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    });
    const columns = (body['columnDefinitions'] as Fields[])
      .filter(({ priority }) => priority === 0)
      .map(({ name }) => name);
    const [row] = body['rows'] as { cells: unknown[]; object: KubeObject }[];
    expect([body['kind'], columns, row?.cells.slice(0, 4), row?.object.kind]).toEqual([
      'Table',
      ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
      ['d', '0/2', 0, 0],
      'PartialObjectMetadata',
    ]);
  });
});
