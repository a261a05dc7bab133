import { describe, expect, it } from 'vitest';
import type { Instance, OcmEnvironment } from '../../instance/index.ts';
import { instanceTelemetry } from './sites.ts';

const SECRET = { path: 'telemeter', field: 'token' };
const OIDC = {
  ...{ provider: 'oidc', accessTokenClientId: 'robot', accessTokenUrl: 'https://sso.example.com/token' },
  accessTokenClientSecret: SECRET,
};
const BEARER = { provider: 'bearer', token: SECRET };

function accessTo(prometheus: object | undefined) {
  const datafiles = new Map([
    ['/env.yml', { content: { telemeter: { $ref: '/prometheus.yml' } } }],
    ...(prometheus === undefined ? [] : [['/prometheus.yml', { content: prometheus }] as const]),
  ]);
  const instance = { snapshot: { datafiles } } as unknown as Instance;
  return instanceTelemetry(instance, { file: '/env.yml' } as OcmEnvironment, async ({ path }) => `secret of ${path}`);
}

const BASE = { baseUrl: 'https://prom.example.com/', auth: BEARER };

describe('the Prometheus of an instance', () => {
  it.each([
    { given: 'no queryPath', more: {}, url: 'https://prom.example.com/api/v1/query' },
    { given: 'a slash', more: { queryPath: '/a/query' }, url: 'https://prom.example.com/a/query' },
    { given: 'no slash', more: { queryPath: 'a/query' }, url: 'https://prom.example.com/a/query' },
    { given: 'no slash on either side', more: { baseUrl: 'https://h/x', queryPath: 'a' }, url: 'https://h/x/a' },
  ])('with $given is at $url', ({ more, url }) => {
    expect(accessTo({ ...BASE, ...more })?.url).toBe(url);
  });

  it.each([
    { auth: BEARER, credentials: { kind: 'access-token', token: 'secret of telemeter' } },
    {
      auth: OIDC,
      credentials: { kind: 'client-credentials', clientId: 'robot', clientSecret: 'secret of telemeter' },
    },
  ])('is reached by $auth.provider', async ({ auth, credentials }) => {
    const access = accessTo({ ...BASE, auth });
    expect(await access?.credentials()).toEqual(credentials);
    expect(access?.tokenUrl).toBe(auth === OIDC ? OIDC.accessTokenUrl : undefined);
  });

  it('has the query of its label, or none', () => {
    expect(accessTo({ ...BASE, labels: { healthQuery: 'down', service: 'x' } })?.query).toBe('down');
    expect(accessTo({ ...BASE, labels: { service: 'x' } })?.query).toBeUndefined();
  });

  it.each([
    { given: 'is not in the source', prometheus: undefined },
    { given: 'has another kind of authentication', prometheus: { ...BASE, auth: { provider: 'mtls' } } },
  ])('that $given is absent', ({ prometheus }) => {
    expect(accessTo(prometheus)).toBeUndefined();
  });
});
