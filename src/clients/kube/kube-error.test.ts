import { describe, expect, it } from 'vitest';
import { EchelonError, Secrets } from '../../base/index.ts';
import { answerError as errorOf, KubeError } from './kube-error.ts';

const ASKED = { cluster: 'prod', method: 'PATCH', path: '/apis/apps/v1/namespaces/ns/deployments/a' };

const answerError = (request: typeof ASKED, code: number, body: string): KubeError =>
  errorOf(request, code, body, (text, how) => new Secrets().quote(text, how));

const status = (message: string, more: object = {}): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, ...more });

describe('the code of an answer', () => {
  it.each([
    { given: '400', code: 400, body: status('bad'), is: 'KUBE_INVALID' },
    { given: '401', code: 401, body: status('Unauthorized'), is: 'KUBE_UNAUTHORIZED' },
    { given: '403', code: 403, body: status('forbidden'), is: 'KUBE_FORBIDDEN' },
    {
      given: '404 of an object',
      code: 404,
      body: status('not found', { details: { kind: 'deployments', name: 'a' } }),
      is: 'KUBE_NOT_FOUND',
    },
    {
      given: '404 of the namespace',
      code: 404,
      body: status('namespaces "ns" not found', { reason: 'NotFound', details: { kind: 'namespaces', name: 'ns' } }),
      is: 'KUBE_NO_NAMESPACE',
    },
    { given: '404 of a page', code: 404, body: '404 page not found\n', is: 'KUBE_NOT_FOUND' },
    { given: '405', code: 405, body: status('no'), is: 'KUBE_ANSWER' },
    { given: '409', code: 409, body: status('changed', { reason: 'Conflict' }), is: 'KUBE_CONFLICT' },
    { given: '409 of a create', code: 409, body: status('there', { reason: 'AlreadyExists' }), is: 'KUBE_EXISTS' },
    {
      given: '409 of a field manager',
      code: 409,
      body: status('conflict', {
        reason: 'Conflict',
        details: { causes: [{ reason: 'FieldManagerConflict', field: '.a', message: 'm' }] },
      }),
      is: 'KUBE_FIELD_CONFLICT',
    },
    { given: '410', code: 410, body: status('too old', { reason: 'Expired' }), is: 'KUBE_EXPIRED' },
    { given: '413', code: 413, body: status('too large'), is: 'KUBE_INVALID' },
    {
      given: '422',
      code: 422,
      body: status('invalid', { details: { causes: [{ field: 'spec.selector', reason: 'FieldValueInvalid' }] } }),
      is: 'KUBE_INVALID',
    },
    {
      given: '422 of another uid',
      code: 422,
      body: status('invalid', { details: { causes: [{ field: 'metadata.uid', reason: 'FieldValueInvalid' }] } }),
      is: 'KUBE_CONFLICT',
    },
    { given: '429', code: 429, body: status('slow down'), is: 'KUBE_THROTTLED' },
    { given: '500', code: 500, body: status('etcdserver: leader changed'), is: 'KUBE_SERVER_ERROR' },
    {
      given: '500 of an apply with a field that is not in the schema',
      code: 500,
      body: status(
        'failed to create typed patch object (ns/a; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema',
      ),
      is: 'KUBE_INVALID',
    },
    {
      given: '500 of an apply with two items of one key',
      code: 500,
      body: status(
        'failed to create typed patch object (ns/a; apps/v1, Kind=Deployment): .spec.env: duplicate entries for key [name="A"]',
      ),
      is: 'KUBE_INVALID',
    },
    { given: '502 of a proxy', code: 502, body: '<html>Bad Gateway</html>', is: 'KUBE_SERVER_ERROR' },
    { given: '503', code: 503, body: '', is: 'KUBE_SERVER_ERROR' },
    { given: '504', code: 504, body: status('timeout'), is: 'KUBE_SERVER_ERROR' },
    { given: '302 to a login page', code: 302, body: '', is: 'KUBE_ANSWER' },
  ])('$given is $is', ({ code, body, is }) => {
    const error = answerError(ASKED, code, body);
    expect(error).toMatchObject({ code: is, status: code });
    expect(error.hint).not.toBe('');
  });
});

describe('the message of an answer', () => {
  it('names the cluster, the request and what the server says', () => {
    const { message } = answerError(ASKED, 403, status('deployments "a" is forbidden'));
    expect(message).toBe('prod: PATCH /apis/apps/v1/namespaces/ns/deployments/a: 403 deployments "a" is forbidden');
  });

  it.each([
    { given: 'nothing', body: '', end: ': 502' },
    { given: 'a page', body: '<html>\n  Bad\tGateway </html>\n', end: ': 502 <html> Bad Gateway </html>' },
    { given: 'a list', body: '["x"]', end: ': 502 ["x"]' },
    { given: 'a message that is none', body: '{"message":{"a":1}}', end: ': 502 {"message":{"a":1}}' },
    { given: 'details that are none', body: status('m', { details: 'x' }), end: ': 502 m' },
    { given: 'causes that are none', body: status('m', { details: { causes: [null, 'x', 7] } }), end: ': 502 m' },
  ])('is not upset by $given', ({ body, end }) => {
    expect(answerError(ASKED, 502, body).message).toBe(`prod: PATCH ${ASKED.path}${end}`);
  });

  it('ends somewhere', () => {
    expect(answerError(ASKED, 500, status('x'.repeat(10_000))).message.length).toBeLessThan(800);
    expect(answerError(ASKED, 500, 'x'.repeat(10_000)).message.length).toBeLessThan(400);
  });
});

it('tells every field that another manager holds', () => {
  const causes = [
    { reason: 'FieldManagerConflict', field: '.spec.replicas', message: 'conflict with "kubectl-edit" using apps/v1' },
    { reason: 'FieldManagerConflict', field: '.spec.paused', message: 'conflict with "other"' },
    { reason: 'Other', field: '.spec.x', message: 'm' },
  ];
  const error = answerError(ASKED, 409, status('2 conflicts', { reason: 'Conflict', details: { causes } }));
  expect(error.conflicts).toEqual([
    { field: '.spec.replicas', message: 'conflict with "kubectl-edit" using apps/v1' },
    { field: '.spec.paused', message: 'conflict with "other"' },
  ]);
  expect(error.hint).toContain('--force-conflicts');
});

it('is an error for users, with no conflicts unless told', () => {
  const error = new KubeError({ code: 'KUBE_TLS', message: 'm', hint: 'h' });
  expect(error).toBeInstanceOf(EchelonError);
  expect(error).toMatchObject({ name: 'KubeError', code: 'KUBE_TLS', conflicts: [], status: undefined });
});

describe('the hint of a 403', () => {
  const rights =
    'grant the account the Role that `echelon manager bootstrap` prints in this namespace, or add the namespace to manager.namespaces of the chart';
  it.each<{ given: string; message: string; causes?: object[]; hint: string | RegExp }>([
    {
      given: 'missing rights',
      message:
        'deployments.apps "a" is forbidden: User "system:serviceaccount:ns:x" cannot patch resource "deployments"',
      hint: rights,
    },
    { given: 'nothing', message: '', hint: rights },
    {
      given: 'a quota',
      message:
        'deployments.apps "a" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: 1, limited: 1',
      hint: /^the ResourceQuota/,
    },
    {
      given: 'a quota that needs limits',
      message: 'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: int',
      hint: /^the ResourceQuota/,
    },
    {
      given: 'a namespace that goes, by its cause',
      ...{ message: 'forbidden', causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
      hint: /^the namespace is being deleted/,
    },
    {
      given: 'a namespace that goes, by its words',
      message: 'unable to create new content in namespace ns because it is being terminated',
      hint: /^the namespace is being deleted/,
    },
    {
      given: 'a policy',
      message: 'admission webhook "images.example.com" denied the request: no digest',
      hint: /^an admission policy/,
    },
  ])('for $given', ({ message, causes = [], hint }) => {
    const error = answerError(ASKED, 403, status(message, { reason: 'Forbidden', details: { causes } }));
    expect([error.code, error.hint]).toEqual([
      'KUBE_FORBIDDEN',
      typeof hint === 'string' ? hint : expect.stringMatching(hint),
    ]);
  });

  it('is only for a 403', () => {
    expect(answerError(ASKED, 500, status('exceeded quota: q')).hint).toContain('the API server has a problem');
  });
});
