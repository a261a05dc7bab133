import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, plain, startLocalHttp } from '../../../test/support/local-http.ts';
import { AUTHORITY, CLIENT, startLocalHttps } from '../../../test/support/local-https.ts';
import type { EchelonError } from '../../base/index.ts';
import type { KubeConnection } from './connection.ts';
import { kubeClient } from './kube-client.ts';
import { kubeconfigFiles, openKubeconfig } from './kubeconfig.ts';

const TOKEN = 'sha256~the-token-of-the-user';

let folder = '';
const open: { close(): unknown }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-kubeconfig-'));
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: unknown, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  return file;
}

interface Parts {
  readonly context?: string;
  readonly server?: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly current?: string | null;
}

/** One context with a cluster and a user of the same name. */
function config({ context = 'prod', server = 'https://api.example.com', cluster, user, current }: Parts = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: context, cluster: { server, ...cluster } }],
    users: [{ name: context, user: user ?? { token: TOKEN } }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    ...(current === null ? {} : { 'current-context': current ?? context }),
  };
}

async function connectionOf(parts: Parts, secrets: string[] = []): Promise<KubeConnection> {
  const file = write('config', config(parts));
  return (await openKubeconfig([file], { onSecret: (secret) => secrets.push(secret) })).connect(
    parts.context ?? 'prod',
    'the-cluster',
  );
}

async function errorOf(act: () => unknown): Promise<EchelonError> {
  try {
    await act();
  } catch (thrown) {
    return thrown as EchelonError;
  }
  throw new Error('it did not fail');
}

describe('the files', () => {
  it.each([
    { given: 'one that is named', env: () => ({ KUBECONFIG: `${folder}/a`, HOME: folder }), files: ['a'] },
    { given: 'several that are named', env: () => ({ KUBECONFIG: `${folder}/a::${folder}/b` }), files: ['a', 'b'] },
    { given: 'those of them that exist', env: () => ({ KUBECONFIG: `${folder}/x:${folder}/b` }), files: ['b'] },
    {
      given: 'none where the named one is missing',
      env: () => ({ KUBECONFIG: `${folder}/x`, HOME: folder }),
      files: [],
    },
    { given: 'that of the home folder', env: () => ({ HOME: folder }), files: ['.kube/config'] },
    {
      given: 'that of the home folder, nothing named',
      env: () => ({ KUBECONFIG: '', HOME: folder }),
      files: ['.kube/config'],
    },
    { given: 'none without a home', env: () => ({}), files: [] },
    { given: 'none with an empty home', env: () => ({ HOME: '' }), files: [] },
  ])('are $given', ({ env, files }) => {
    mkdirSync(join(folder, '.kube'));
    for (const name of ['a', 'b', '.kube/config']) write(name, '');
    expect(kubeconfigFiles(env())).toEqual(files.map((name) => join(folder, name)));
  });

  it('are merged: the first that names something decides', async () => {
    const files = [
      write('a', { ...config({ context: 'one', server: 'https://first.example.com', current: null }) }),
      write('b', {
        ...config({ context: 'two', server: 'https://two.example.com' }),
        clusters: [
          { name: 'one', cluster: { server: 'https://second.example.com' } },
          { name: 'two', cluster: { server: 'https://two.example.com' } },
        ],
        users: [
          { name: 'one', user: { token: 'other' } },
          { name: 'two', user: { token: 'second' } },
        ],
      }),
      write('c', config({ context: 'three' })),
    ];
    const opened = await openKubeconfig(files);
    expect(opened).toMatchObject({
      files: files.join(', '),
      current: 'two',
      contexts: [
        { name: 'one', server: 'https://first.example.com' },
        { name: 'two', server: 'https://two.example.com' },
        { name: 'three', server: 'https://api.example.com' },
      ],
    });
    expect(await opened.connect('one', 'x').credentials(false)).toMatchObject({
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    expect(await opened.connect('two', 'x').credentials(false)).toMatchObject({
      headers: { Authorization: 'Bearer second' },
    });
  });

  it.each([
    { given: 'empty', text: '' },
    { given: 'broken YAML', text: `users:\n- name: a\n  user: {token: ${TOKEN}\nclusters: ]` },
    { given: 'a cluster without a server', text: JSON.stringify(config({ cluster: { server: '' } })) },
    { given: 'a cluster without a name', text: '{"clusters":[{"cluster":{"server":"https://x"}}]}' },
    { given: 'a password that YAML reads as an alias', text: `users: [{name: a, user: {password: *${TOKEN}}}]` },
    { given: 'a password that YAML reads as a tag', text: `users: [{name: a, user: {password: !${TOKEN} x}}]` },
    { given: 'a list', text: `- ${TOKEN}` },
    { given: 'a token that is not a text', text: `users: [{name: a, user: {token: {x: ${TOKEN}}}}]` },
  ])('that are $given are told, without their secrets', async ({ text }) => {
    const good = write('good', config());
    const bad = write('bad', text);
    for (const files of [[bad], [good, bad]]) {
      const error = await errorOf(() => openKubeconfig(files));
      expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID', message: expect.stringContaining(bad) });
      expect(`${error.message}${error.hint}${error.cause}`).not.toContain(TOKEN);
      expect(error.message).not.toContain('\n');
    }
  });
});

describe('a context', () => {
  it('that is not there is told with what was meant', async () => {
    const opened = await openKubeconfig([write('config', config({ context: 'production' }))]);
    expect(await errorOf(() => opened.connect('prodution', 'x'))).toMatchObject({
      code: 'KUBE_CONTEXT',
      message: `${folder}/config has no context prodution`,
      hint: 'did you mean production?',
    });
    expect((await errorOf(() => opened.connect('zzz', 'x'))).hint).toBe('it has production');
  });

  it('of a file that has none is told', async () => {
    const opened = await openKubeconfig([write('config', { kind: 'Config' })]);
    expect(await errorOf(() => opened.connect('prod', 'x'))).toMatchObject({
      code: 'KUBE_CONTEXT',
      hint: 'it has no context at all',
    });
  });

  it('whose cluster is not there is told', async () => {
    const file = write('config', { ...config(), clusters: [] });
    const opened = await openKubeconfig([file]);
    expect(await errorOf(() => opened.connect('prod', 'x'))).toMatchObject({
      code: 'KUBE_CONTEXT',
      message: `the context prod of ${file} refers to a cluster that the file does not define`,
    });
  });

  it('whose user is not there is told, as by kubectl', async () => {
    const file = write('config', { ...config(), users: null });
    const opened = await openKubeconfig([file]);
    expect(await errorOf(() => opened.connect('prod', 'x'))).toMatchObject({
      code: 'KUBE_CONTEXT',
      message: `the context prod of ${file} refers to a user that the file does not define`,
    });
  });

  it.each(['ftp://proxy.test', 'socks4://proxy.test', 'proxy.test:3128', 'a b'])(
    'with the proxy-url %s is told',
    async (proxy) => {
      expect(await errorOf(() => connectionOf({ cluster: { 'proxy-url': proxy } }))).toMatchObject({
        code: 'KUBE_CONTEXT',
        hint: 'use http://, https:// or socks5:// there',
      });
    },
  );

  it('gives the place, by the name that messages use', async () => {
    const connection = await connectionOf({
      server: 'https://api.example.com:6443/',
      cluster: { 'tls-server-name': 'kube.test', 'insecure-skip-tls-verify': true },
    });
    expect(connection).toMatchObject({
      name: 'the-cluster',
      server: 'https://api.example.com:6443',
      tlsServerName: 'kube.test',
      insecureSkipTlsVerify: true,
    });
    expect(await connectionOf({})).not.toHaveProperty('insecureSkipTlsVerify');
  });
});

describe('plain HTTP', () => {
  it.each([
    'http://127.0.0.1:8001',
    'http://127.9.9.9',
    'http://localhost:8001',
    'http://localhost',
    'http://[::1]:8001',
    'HTTP://localhost:8001',
  ])('is for this machine: %s', async (server) => {
    const connection = await connectionOf({ server });
    expect(await connection.credentials(false)).toMatchObject({ headers: { Authorization: `Bearer ${TOKEN}` } });
  });

  it.each([
    'http://api.example.com',
    'http://127.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://localhost:80@api.example.com',
    'http://10.0.0.1:8001',
  ])('is for no other: %s', async (server) => {
    for (const cluster of [{}, { 'insecure-skip-tls-verify': true }]) {
      expect(await errorOf(() => connectionOf({ server, cluster }))).toMatchObject({
        code: 'KUBE_CONTEXT',
        message: expect.stringContaining('prod'),
      });
    }
  });
});

describe('credentials', () => {
  it.each([
    { given: 'a token', user: { token: TOKEN }, header: `Bearer ${TOKEN}`, secret: TOKEN },
    {
      given: 'a name and a password',
      user: { username: 'me', password: 'secret-password' },
      header: `Basic ${Buffer.from('me:secret-password').toString('base64')}`,
      secret: `Basic ${Buffer.from('me:secret-password').toString('base64')}`,
    },
  ])('are $given, told to whoever hides secrets', async ({ user, header, secret }) => {
    const secrets: string[] = [];
    const connection = await connectionOf({ user }, secrets);
    expect(await connection.credentials(false)).toMatchObject({ headers: { Authorization: header } });
    expect(secrets).toEqual([secret]);
  });

  it.each([
    {
      given: 'in the file',
      user: () => ({
        'client-certificate-data': Buffer.from(CLIENT.cert).toString('base64'),
        'client-key-data': Buffer.from(CLIENT.key).toString('base64'),
      }),
    },
    {
      given: 'in files beside it',
      user: () => {
        write('client.crt', CLIENT.cert);
        write('client.key', CLIENT.key);
        return { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
      },
    },
  ])('may be a certificate $given, with a server of a private authority', async ({ user }) => {
    const server = await startLocalHttps(json(200, { items: [] }));
    const cluster = {
      'certificate-authority-data': Buffer.from(AUTHORITY).toString('base64'),
      'tls-server-name': 'kube.test',
    };
    const client = kubeClient(await connectionOf({ server: server.url, cluster, user: user() }));
    open.push(client, server);
    expect(await client.list('Pod')).toEqual([]);
    expect(server.clients).toEqual(['client']);
  });

  it('are read anew from the file when the server refuses them', async () => {
    const server = await startLocalHttp((response, request) =>
      plain(request.headers.authorization === 'Bearer new' ? 200 : 401, '{"items":[]}')(response, request),
    );
    const client = kubeClient(await connectionOf({ server: server.url, user: { token: 'old' } }));
    open.push(client, server);
    await expect(client.list('Pod')).rejects.toMatchObject({ code: 'KUBE_UNAUTHORIZED' });
    write('config', config({ server: server.url, user: { token: 'new' } }));
    for (const _ of [1, 2]) expect(await client.list('Pod')).toEqual([]);
    const sent = server.seen.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
    expect(sent).toEqual(['old', 'old', 'old', 'new', 'new']);
  });

  it('name whom to act as', async () => {
    const user = { token: TOKEN, as: 'somebody', 'as-uid': '7', 'as-groups': ['admins'] };
    expect(await (await connectionOf({ user })).credentials(false)).toMatchObject({
      headers: { 'Impersonate-User': 'somebody', 'Impersonate-Uid': '7', 'Impersonate-Group': 'admins' },
    });
  });

  it.each([{ 'as-groups': ['a', 'b'] }, { 'as-user-extra': { scopes: ['all'] } }])(
    'are refused where a part of whom to act as would be left out: %o',
    async (part) => {
      const connection = await connectionOf({ user: { token: TOKEN, as: 'somebody', ...part } });
      expect(await errorOf(() => connection.credentials(false))).toMatchObject({ code: 'KUBE_LOGIN' });
    },
  );

  it('are read from a file beside the kubeconfig, each time', async () => {
    write('token', 'first\n');
    const connection = await connectionOf({ user: { token: 'older', tokenFile: 'token' } });
    expect(await connection.credentials(false)).toMatchObject({ headers: { Authorization: 'Bearer first' } });
    write('token', 'second\n');
    expect(await connection.credentials(true)).toMatchObject({ headers: { Authorization: 'Bearer second' } });
  });

  it.each(['tokenFile', 'client-certificate', 'client-key'])('whose %s cannot be read are told', async (field) => {
    const connection = await connectionOf({ user: { [field]: 'missing' } });
    expect(await errorOf(() => connection.credentials(false))).toMatchObject({
      code: 'KUBE_LOGIN',
      message: expect.stringContaining(`${folder}/missing`),
    });
  });

  const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  it.each([
    { given: 'is valid', token: jwt({ exp: 9_999_999_999 }), header: true },
    { given: 'does not say when it ends', token: 'opaque', header: true },
    { given: 'has expired', token: jwt({ exp: 1 }), header: false },
  ])('may be an id-token that $given', async ({ token, header }) => {
    const user = { 'auth-provider': { name: 'oidc', config: { 'id-token': token } } };
    const connection = await connectionOf({ user });
    if (header) {
      expect(await connection.credentials(false)).toMatchObject({ headers: { Authorization: `Bearer ${token}` } });
    } else {
      const error = await errorOf(() => connection.credentials(false));
      expect(error).toMatchObject({ code: 'KUBE_LOGIN', hint: expect.stringContaining('kubectl') });
      expect(error.message).not.toContain(token);
    }
  });

  it.each(['gcp', 'azure', 'exec'])('of the auth-provider %s are refused', async (name) => {
    const user = { 'auth-provider': { name, config: { 'access-token': TOKEN } } };
    const error = await errorOf(async () => (await connectionOf({ user })).credentials(false));
    expect(error).toMatchObject({ code: 'KUBE_LOGIN', hint: expect.stringContaining('exec') });
    expect(error.message).not.toContain(TOKEN);
  });
});

describe('a login plugin', () => {
  /** Counts its runs in a file and does as it is told. */
  const plugin = (script: string, args: string[] = []): object => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: write('plugin.sh', `#!/bin/sh\necho run >>"${folder}/runs"\n${script}\n`, 0o700),
      args,
      env: [{ name: 'WHO', value: 'me' }],
    },
  });
  const runs = (): number =>
    existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n').length : 0;
  const credential = (status: string): string =>
    `echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}'`;

  it('is run when its token is needed, once, with its arguments and variables', async () => {
    const secrets: string[] = [];
    const user = plugin(`echo "{\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$1-$WHO\\"}}"`, ['for']);
    const connection = await connectionOf({ user }, secrets);
    expect(runs()).toBe(0);
    const [first] = await Promise.all([connection.credentials(false), connection.credentials(false)]);
    expect(first).toMatchObject({ headers: { Authorization: 'Bearer for-me' } });
    await connection.credentials(false);
    expect(runs()).toBe(1);
    expect(secrets).toEqual(['for-me']);
  });

  it('is run again when the server refuses what it gave', async () => {
    const connection = await connectionOf({ user: plugin(credential('{"token":"t"}')) });
    await connection.credentials(false);
    await Promise.all([connection.credentials(true), connection.credentials(true)]);
    expect(runs()).toBe(2);
  });

  it('may give a certificate', async () => {
    const status = JSON.stringify({ clientCertificateData: CLIENT.cert, clientKeyData: CLIENT.key });
    write('credential.json', JSON.stringify({ kind: 'ExecCredential', status: JSON.parse(status) }));
    const connection = await connectionOf({ user: plugin(`cat "${folder}/credential.json"`) });
    expect(await connection.credentials(false)).toMatchObject(CLIENT);
  });

  it('is told about the cluster as the protocol says, and not asked for input', async () => {
    const script = `cat; printf %s "$KUBERNETES_EXEC_INFO" >"${folder}/info"; ${credential('{"token":"t"}')}`;
    const { exec } = plugin(script) as { exec: object };
    const user = { exec: { ...exec, provideClusterInfo: true } };
    const ca = Buffer.from(AUTHORITY).toString('base64');
    await (await connectionOf({ user, cluster: { 'certificate-authority-data': ca } })).credentials(false);
    expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: {
        interactive: false,
        cluster: { server: 'https://api.example.com', 'certificate-authority-data': ca },
      },
    });
  });

  it('with a path is found beside the kubeconfig', async () => {
    const { exec } = plugin(credential('{"token":"t"}')) as { exec: object };
    const connection = await connectionOf({ user: { exec: { ...exec, command: './plugin.sh' } } });
    expect(await connection.credentials(false)).toMatchObject({ headers: { Authorization: 'Bearer t' } });
  });

  it('that is missing is told with its own hint', async () => {
    const connection = await connectionOf({ user: { exec: { command: 'no-such-plugin', installHint: 'install it' } } });
    expect(await errorOf(() => connection.credentials(false))).toMatchObject({ hint: 'install it' });
  });

  it('that failed once is asked again the next time', async () => {
    const user = plugin(
      `[ -e "${folder}/works" ] || { echo "the session expired" >&2; exit 1; }\n${credential('{"token":"t"}')}`,
    );
    const connection = await connectionOf({ user });
    expect(await errorOf(() => connection.credentials(false))).toMatchObject({
      code: 'KUBE_LOGIN',
      message: 'the-cluster: login failed: the session expired',
    });
    write('works', '');
    expect(await connection.credentials(false)).toMatchObject({ headers: { Authorization: 'Bearer t' } });
  });

  it.each([
    { given: 'is not installed', user: () => ({ exec: { command: join(folder, 'missing') } }), why: 'ENOENT' },
    { given: 'prints a bare token', user: () => plugin(`echo "${TOKEN}"`), why: 'did not print JSON' },
    { given: 'prints nothing', user: () => plugin('true'), why: 'did not print JSON' },
    { given: 'prints no credential', user: () => plugin("echo '{}'"), why: 'did not print a credential' },
    { given: 'prints an empty credential', user: () => plugin(credential('{}')), why: 'neither a token nor' },
    { given: 'prints a credential of numbers', user: () => plugin(credential('{"token":7}')), why: 'did not print' },
    { given: 'prints without end', user: () => plugin('yes'), why: 'more than 1 MiB' },
    { given: 'fails without a word', user: () => plugin('exit 3'), why: 'without a message' },
    { given: 'explains at length', user: () => plugin('printf "first\\nsecond\\n" >&2; exit 3'), why: 'failed: first' },
  ])('that $given is told in one line, without a secret', async ({ user, why }) => {
    const connection = await connectionOf({ user: user() });
    const error = await errorOf(() => connection.credentials(false));
    expect(error).toMatchObject({ code: 'KUBE_LOGIN', message: expect.stringContaining(why) });
    expect(error.message).toMatch(/^the-cluster: [^\n]+$/);
    expect(`${error.message}${String(error.cause)}`).not.toContain(TOKEN.slice(0, 10));
  });
});
