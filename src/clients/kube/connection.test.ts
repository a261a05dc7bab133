import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, plain } from '../../../test/support/local-http.ts';
import { AUTHORITY, startLocalHttps } from '../../../test/support/local-https.ts';
import { askedOnce, inCluster, isInCluster, ownNamespace, tokenConnection } from './connection.ts';
import { kubeClient } from './kube-client.ts';

/** Answers when it is told to. */
function deferred<T>() {
  return Promise.withResolvers<T>();
}

describe('what is asked once', () => {
  it('is remembered until it is to be renewed', async () => {
    const asked: boolean[] = [];
    const ask = askedOnce(async (renew) => {
      asked.push(renew);
      return `t${asked.length}`;
    });
    expect([await ask(false), await ask(false), await ask(true), await ask(false)]).toEqual(['t1', 't1', 't2', 't2']);
    expect(asked).toEqual([false, true]);
  });

  it('is asked for all who wait at once', async () => {
    const answers = [deferred<string>(), deferred<string>()];
    let asked = 0;
    const ask = askedOnce(() => {
      asked += 1;
      return answers[asked - 1]?.promise ?? Promise.reject(new Error('asked too often'));
    });
    const first = [ask(false), ask(false), ask(true)];
    answers[0]?.resolve('t1');
    expect(await Promise.all(first)).toEqual(['t1', 't1', 't1']);
    const second = [ask(true), ask(true), ask(false)];
    answers[1]?.resolve('t2');
    expect(await Promise.all(second)).toEqual(['t2', 't2', 't2']);
    expect(asked).toBe(2);
  });

  it.each([
    { given: 'a rejection', fail: () => Promise.reject(new Error('sealed')) },
    {
      given: 'something thrown',
      fail: (): Promise<string> => {
        throw new Error('sealed');
      },
    },
  ])('is asked again after $given', async ({ fail }) => {
    let asked = 0;
    const ask = askedOnce((): Promise<string> => {
      asked += 1;
      return asked === 1 ? fail() : Promise.resolve('t');
    });
    await expect(ask(false)).rejects.toThrow('sealed');
    expect(await ask(false)).toBe('t');
  });

  it('is asked again after a renewal that failed', async () => {
    const answers = ['t1', undefined, 't3'];
    const ask = askedOnce(async () => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('sealed');
      return answer;
    });
    expect(await ask(false)).toBe('t1');
    await expect(ask(true)).rejects.toThrow('sealed');
    expect(await ask(false)).toBe('t3');
  });
});

it('a token goes with each request, and its place with the connection', async () => {
  const renewals: boolean[] = [];
  const connection = tokenConnection({
    name: 'prod',
    server: 'https://api.example.com',
    ca: 'authority',
    insecureSkipTlsVerify: true,
    token: async (renew) => {
      renewals.push(renew);
      return `t${renewals.length}`;
    },
  });
  expect(connection).toMatchObject({
    name: 'prod',
    server: 'https://api.example.com',
    ca: 'authority',
    insecureSkipTlsVerify: true,
  });
  expect(JSON.stringify(connection)).not.toContain('token');
  expect(await connection.credentials(false)).toEqual({ headers: { Authorization: 'Bearer t1' } });
  expect(await connection.credentials(true)).toEqual({ headers: { Authorization: 'Bearer t2' } });
  expect(renewals).toEqual([false, true]);
});

let account = '';
beforeEach(() => {
  account = mkdtempSync(join(tmpdir(), 'echelon-account-'));
  write('token', 'first\n');
  write('ca.crt', AUTHORITY);
  write('namespace', 'mine\n');
});
afterEach(() => rmSync(account, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(account, name), text);
}

describe('the address', () => {
  it.each([
    { given: 'a name', env: { KUBERNETES_SERVICE_HOST: 'kubernetes' }, server: 'https://kubernetes:443' },
    {
      given: 'an IPv4 address',
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' },
      server: 'https://10.0.0.1:6443',
    },
    {
      given: 'an IPv6 address',
      env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
      server: 'https://[fd00::1]:6443',
    },
    {
      given: 'a port of its own for HTTPS',
      env: {
        KUBERNETES_SERVICE_HOST: '10.0.0.1',
        KUBERNETES_SERVICE_PORT: '80',
        KUBERNETES_SERVICE_PORT_HTTPS: '6443',
      },
      server: 'https://10.0.0.1:6443',
    },
  ])('is that of the environment: $given', async ({ env, server }) => {
    const connection = await inCluster({ name: 'here', env, account });
    expect(connection).toMatchObject({ name: 'here', server, ca: AUTHORITY.trim() });
    expect(URL.canParse(connection.server)).toBe(true);
  });
});

describe('the token', () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

  it('is read from its file, told to whoever hides secrets, and kept', async () => {
    const secrets: string[] = [];
    const connection = await inCluster({ name: 'here', env, account, onSecret: (secret) => secrets.push(secret) });
    expect(secrets).toEqual([]);
    expect(await connection.credentials(false)).toEqual({ headers: { Authorization: 'Bearer first' } });
    write('token', 'second\n');
    expect(await connection.credentials(false)).toEqual({ headers: { Authorization: 'Bearer first' } });
    expect(await connection.credentials(true)).toEqual({ headers: { Authorization: 'Bearer second' } });
    expect(secrets).toEqual(['first', 'second']);
  });

  it('that Kubernetes renewed is used as soon as the old one is refused', async () => {
    const server = await startLocalHttps((response, request) =>
      request.headers.authorization === 'Bearer second'
        ? json(200, { items: [] })(response, request)
        : plain(401)(response, request),
    );
    const { hostname, port } = new URL(server.url);
    const connection = await inCluster({
      name: 'here',
      env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      account,
    });
    const client = kubeClient({ ...connection, tlsServerName: 'kube.test' });
    await connection.credentials(false);
    write('token', 'second');
    expect(await client.list('Pod')).toEqual([]);
    client.close();
    await server.close();
  });

  it('is read again after it could not be read', async () => {
    const connection = await inCluster({ name: 'here', env, account });
    rmSync(join(account, 'token'));
    await expect(connection.credentials(false)).rejects.toMatchObject({
      code: 'KUBE_ACCOUNT',
      message: `cannot read ${account}/token: ENOENT`,
    });
    write('token', 'third');
    expect(await connection.credentials(false)).toEqual({ headers: { Authorization: 'Bearer third' } });
  });

  it('needs the authority of the cluster beside it', async () => {
    rmSync(join(account, 'ca.crt'));
    await expect(inCluster({ name: 'here', env, account })).rejects.toMatchObject({
      code: 'KUBE_ACCOUNT',
      message: `cannot read ${account}/ca.crt: ENOENT`,
    });
  });
});

describe('a pod', () => {
  it.each([
    { given: 'both', env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, token: true, is: true },
    { given: 'no address', env: {}, token: true, is: false },
    { given: 'an empty address', env: { KUBERNETES_SERVICE_HOST: '' }, token: true, is: false },
    { given: 'no token', env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, token: false, is: false },
  ])('is known by its address and token: $given', ({ env, token, is }) => {
    if (!token) rmSync(join(account, 'token'));
    expect(isInCluster(env, account)).toBe(is);
  });

  it('whose account is mounted elsewhere has it where KUBE_SA_TOKEN_PATH says', async () => {
    const nothing = join(account, 'not-mounted');
    write('other', 'from elsewhere');
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBE_SA_TOKEN_PATH: join(account, 'other') };
    expect(isInCluster(env, nothing)).toBe(true);
    expect(await ownNamespace(env, nothing)).toBe('mine');
    const elsewhere = await inCluster({ name: 'here', env, account: nothing });
    expect(await elsewhere.credentials(false)).toEqual({ headers: { Authorization: 'Bearer from elsewhere' } });
    const usual = await inCluster({ name: 'here', env, account });
    expect(await usual.credentials(false)).toEqual({ headers: { Authorization: 'Bearer first' } });
  });

  it('knows its namespace', async () => {
    expect(await ownNamespace({}, account)).toBe('mine');
    rmSync(join(account, 'namespace'));
    expect(await ownNamespace({}, account)).toBeUndefined();
  });
});
