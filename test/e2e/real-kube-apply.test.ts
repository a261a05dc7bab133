import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type KubeBody,
  type KubeResponse,
  REAL_KUBE_TIMEOUT_MS,
  type RealKube,
  skipRealKube,
  startRealKube,
} from '../support/real-kube.ts';
import { deployment, roleFor } from '../support/real-kube-objects.ts';
import { until } from '../support/until.ts';

const NAMESPACE = 'apply';
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const SOME_UID = '11111111-2222-3333-4444-555555555555';
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';

describe.skipIf(skipRealKube)('what a client of a real API server relies on', () => {
  let kube: RealKube;
  beforeAll(async () => {
    kube = await startRealKube({ controllerManager: false, audit: false });
    await kube.createNamespace(NAMESPACE);
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => kube?.close());

  type Options = Parameters<typeof deployment>[1] & { query?: string };
  const apply = (name: string, { query = '', ...options }: Options = {}): Promise<KubeResponse<KubeBody>> =>
    kube.admin('PATCH', `${DEPLOYMENTS}/${name}?fieldManager=echelon${query}`, deployment(name, options), APPLY);
  const exists = async (name: string): Promise<boolean> =>
    (await kube.admin('GET', `${DEPLOYMENTS}/${name}`)).status === 200;
  const owners = ({ body }: KubeResponse<KubeBody>): string[] =>
    (body.metadata?.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`);

  describe('applying a deployment that does not exist', () => {
    it.each([
      { given: 'no precondition', metadata: {}, status: 201 },
      { given: 'a resourceVersion', metadata: { resourceVersion: '1' }, status: 201 },
      { given: 'a resourceVersion of the future', metadata: { resourceVersion: '999999999' }, status: 201 },
      {
        given: 'a uid',
        metadata: { uid: SOME_UID },
        status: 409,
        message: /uid mismatch.*no existing object was found/,
      },
      {
        ...{ given: 'a uid and a resourceVersion', metadata: { uid: SOME_UID, resourceVersion: '1' } },
        ...{ status: 409, message: /uid mismatch/ },
      },
    ])('with $given answers $status', async ({ given, metadata, status, message }) => {
      const name = `new-${given.replaceAll(' ', '-').toLowerCase()}`;
      const dryRun = await apply(name, { metadata, query: '&dryRun=All' });
      expect(dryRun.status).toBe(status);
      expect(await exists(name)).toBe(false);
      const answer = await apply(name, { metadata });
      expect(answer.status).toBe(status);
      if (message) expect(answer.body.message).toMatch(message);
      expect(await exists(name)).toBe(status === 201);
    });
  });

  describe('applying a change to a deployment that exists', () => {
    it.each([
      { given: 'an old resourceVersion', metadata: { resourceVersion: '1' }, status: 409, reason: 'Conflict' },
      { given: 'another uid', metadata: { uid: SOME_UID }, status: 422, reason: 'Invalid' },
    ])(
      'with $given answers $status and changes nothing, even by force',
      async ({ given, metadata, status, reason }) => {
        const name = `old-${given.replaceAll(' ', '-').toLowerCase()}`;
        const made = await apply(name);
        for (const query of ['', '&force=true']) {
          const answer = await apply(name, { metadata, replicas: 2, query });
          expect(answer).toMatchObject({ status, body: { reason } });
        }
        const { body } = await kube.admin('GET', `${DEPLOYMENTS}/${name}`);
        expect(body.metadata).toEqual(made.body.metadata);
      },
    );

    it('with the right uid and resourceVersion answers 200', async () => {
      const { uid, resourceVersion } = (await apply('right')).body.metadata!;
      const answer = await apply('right', { metadata: { uid, resourceVersion }, replicas: 2 });
      expect(answer).toMatchObject({ status: 200, body: { metadata: { generation: 2 }, spec: { replicas: 2 } } });
    });

    it('that is none answers 200 and writes nothing', async () => {
      const made = await apply('same');
      expect(await apply('same')).toEqual({ ...made, status: 200 });
    });
  });

  describe('a field that the schema does not have', () => {
    const body = { ...deployment('typo'), spec: { replicaz: 1 } };

    it.each(['Strict', 'Warn', 'Ignore'])(
      'is refused with 500 by apply, with fieldValidation=%s',
      async (validation) => {
        const query = `?fieldManager=echelon&fieldValidation=${validation}`;
        const answer = await kube.admin('PATCH', `${DEPLOYMENTS}/typo${query}`, body, APPLY);
        const message =
          'failed to create typed patch object (/typo; apps/v1, Kind=Deployment): .spec.replicaz: field not declared in schema';
        expect(answer).toMatchObject({ status: 500, body: { message } });
      },
    );

    it('is refused with 400 by create, with fieldValidation=Strict', async () => {
      const answer = await kube.admin('POST', `${DEPLOYMENTS}?fieldValidation=Strict`, body);
      expect(answer).toMatchObject({ status: 400, body: { message: /unknown field "spec\.replicaz"$/ } });
    });

    it('is told from a value that is wrong, which is refused with 422', async () => {
      const answer = await apply('typo', { replicas: -1 });
      expect(answer).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', message: /spec\.replicas: Invalid value/ },
      });
    });
  });

  describe('taking over what kubectl apply has made', () => {
    const legacy = (name: string): Promise<KubeResponse<KubeBody>> =>
      kube.admin('POST', `${DEPLOYMENTS}?fieldManager=kubectl-client-side-apply`, {
        ...deployment(name, { metadata: { annotations: { old: 'yes' } } }),
      });
    const renamed = ({ body }: KubeResponse<KubeBody>): object => ({
      op: 'replace',
      path: '/metadata/managedFields',
      value: (body.metadata?.managedFields ?? []).map((entry) => ({
        ...entry,
        manager: 'echelon',
        operation: 'Apply',
      })),
    });
    const patch = (name: string, ...operations: object[]): Promise<KubeResponse<KubeBody>> =>
      kube.admin('PATCH', `${DEPLOYMENTS}/${name}`, operations, JSON_PATCH);

    it('conflicts without a change of the owner, and by force keeps what is not applied', async () => {
      expect(owners(await legacy('kept'))).toEqual(['kubectl-client-side-apply Update']);
      const refused = await apply('kept', { replicas: 2 });
      const causes = [{ reason: 'FieldManagerConflict', field: '.spec.replicas' }];
      expect(refused).toMatchObject({ status: 409, body: { reason: 'Conflict', details: { causes } } });
      const forced = await apply('kept', { replicas: 2, query: '&force=true' });
      expect(forced).toMatchObject({ status: 200, body: { metadata: { annotations: { old: 'yes' } } } });
      expect(owners(forced)).toEqual(['echelon Apply', 'kubectl-client-side-apply Update']);
    });

    it('works by renaming the owner, which changes neither spec nor generation', async () => {
      const made = await legacy('taken');
      const value = made.body.metadata?.resourceVersion;
      const taken = await patch('taken', { op: 'test', path: '/metadata/resourceVersion', value }, renamed(made));
      expect(taken).toMatchObject({ status: 200, body: { spec: made.body.spec!, metadata: { generation: 1 } } });
      expect(owners(taken)).toEqual(['echelon Apply']);
      const applied = await apply('taken', { replicas: 2 });
      expect(applied.status).toBe(200);
      expect(applied.body.metadata?.['annotations']).toBeUndefined();
    });

    it.each([
      { given: 'as a test', op: 'test', status: 422, reason: 'Invalid' },
      { given: 'as a replacement', op: 'replace', status: 409, reason: 'Conflict' },
    ])('an old resourceVersion $given is refused with $status', async ({ op, status, reason }) => {
      const made = await legacy(`stale-${op}`);
      const refused = await patch(`stale-${op}`, { op, path: '/metadata/resourceVersion', value: '1' }, renamed(made));
      expect(refused).toMatchObject({ status, body: { reason } });
      expect(owners(await kube.admin('GET', `${DEPLOYMENTS}/stale-${op}`))).toEqual([
        'kubectl-client-side-apply Update',
      ]);
    });

    it('loses fields where the new owner has an entry already: the last of two counts', async () => {
      const map = (data: object): object => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'twice' },
        data,
      });
      await kube.admin('POST', `${MAPS}?fieldManager=kubectl-client-side-apply`, map({ a: '1' }));
      const both = await kube.admin('PATCH', `${MAPS}/twice?fieldManager=echelon`, map({ b: '1' }), APPLY);
      expect(owners(both)).toEqual(['echelon Apply', 'kubectl-client-side-apply Update']);
      const merged = await kube.admin('PATCH', `${MAPS}/twice`, [renamed(both)], JSON_PATCH);
      const fieldsV1 = { 'f:data': { '.': {}, 'f:a': {} } };
      expect(merged).toMatchObject({
        status: 200,
        body: { metadata: { managedFields: [{ manager: 'echelon', fieldsV1 }] } },
      });
      expect(merged.body.metadata?.managedFields).toHaveLength(1);
    });
  });

  describe('the verbs that a role needs', () => {
    it.each([
      { verbs: ['patch'], create: 403, change: 200, rename: 200 },
      { verbs: ['create'], create: 403, change: 403, rename: 403 },
      { verbs: ['get', 'update'], create: 403, change: 403, rename: 403 },
      { verbs: ['patch', 'create'], create: 201, change: 200, rename: 200 },
    ])('$verbs: apply that creates $create, apply that changes $change, owners $rename', async (row) => {
      const name = `with-${row.verbs.join('-')}`;
      const asAccount = await account(kube, name, row.verbs);
      const path = (which: string): string => `${DEPLOYMENTS}/${which}-${name}?fieldManager=echelon`;
      expect(await asAccount('PATCH', path('new'), deployment(`new-${name}`), APPLY)).toMatchObject({
        status: row.create,
      });
      const there = await apply(`there-${name}`);
      const change = await asAccount('PATCH', path('there'), deployment(`there-${name}`, { replicas: 2 }), APPLY);
      expect(change.status).toBe(row.change);
      const value = there.body.metadata?.managedFields;
      const rename = await asAccount(
        'PATCH',
        path('there'),
        [{ op: 'replace', path: '/metadata/managedFields', value }],
        JSON_PATCH,
      );
      expect(rename.status).toBe(row.rename);
    });
  });

  it('lists in pages that hold together, whatever is made meanwhile', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await kube.admin('POST', MAPS, { metadata: { name: `page-${name}`, labels: { set: 'pages' } } });
    }
    const list = (more: string): Promise<KubeResponse<KubeBody>> =>
      kube.admin('GET', `${MAPS}?labelSelector=set%3Dpages${more}`);
    const first = await list('&limit=3');
    await kube.admin('POST', MAPS, { metadata: { name: 'page-f', labels: { set: 'pages' } } });
    const second = await list(`&limit=3&continue=${encodeURIComponent(first.body.metadata?.continue ?? '')}`);
    const names = [first, second].map(({ body }) => body.items?.map(({ metadata }) => metadata?.name));
    expect(names).toEqual([
      ['page-a', 'page-b', 'page-c'],
      ['page-d', 'page-e'],
    ]);
    expect(second.body.metadata?.resourceVersion).toBe(first.body.metadata?.resourceVersion);
    expect(second.body.metadata?.continue).toBeUndefined();
    expect(await list('&continue=nonsense')).toMatchObject({ status: 400 });
  });
});

/** A service account that may do just this with deployments, once the server has taken note of it. */
async function account(kube: RealKube, name: string, verbs: readonly string[]): Promise<RealKube['admin']> {
  const request = kube.as(await kube.serviceAccountToken(NAMESPACE, name));
  const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs }];
  for (const [path, body] of roleFor(NAMESPACE, name, rules)) await kube.admin('POST', path, body);
  const review = {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
    spec: { resourceAttributes: { namespace: NAMESPACE, verb: verbs[0], group: 'apps', resource: 'deployments' } },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const allowed = async (): Promise<boolean> => {
    const { body } = await request<{ status: { allowed: boolean } }>('POST', path, review);
    return body.status.allowed;
  };
  await until(allowed, { timeoutSeconds: 30, what: `the role of ${name} counts` });
  return request;
}
