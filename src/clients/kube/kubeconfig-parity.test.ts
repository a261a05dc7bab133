import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHORITY, CLIENT } from '../../../test/support/local-https.ts';
import { openKubeconfig } from './kubeconfig.ts';

/** The official library, which is needed for nothing but this comparison, reads the same files. */
interface Login {
  readonly server: string;
  readonly insecure: boolean;
  readonly tlsServerName: string | undefined;
  readonly proxied: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-parity-'));
  writeFileSync(join(folder, 'ca.crt'), AUTHORITY);
  writeFileSync(join(folder, 'client.crt'), CLIENT.cert);
  writeFileSync(join(folder, 'client.key'), CLIENT.key);
  writeFileSync(join(folder, 'token'), 'from-file');
  const credential = { kind: 'ExecCredential', status: { token: 'from-plugin' } };
  const both = { ...credential, status: { clientCertificateData: CLIENT.cert, clientKeyData: CLIENT.key } };
  writeFileSync(join(folder, 'token.sh'), `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`, { mode: 0o700 });
  writeFileSync(join(folder, 'cert.json'), JSON.stringify(both));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function write(cluster: object, user: object | null): string {
  const file = join(folder, 'config');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'prod', preferences: {} },
    clusters: [{ name: 'a-cluster', cluster: { server: 'https://api.test:6443', ...cluster } }],
    users: [{ name: 'a-user', user }],
    contexts: [{ name: 'prod', context: { cluster: 'a-cluster', user: 'a-user', namespace: 'default' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

async function ours(file: string): Promise<Login> {
  const { server, tlsServerName, insecureSkipTlsVerify, proxy, credentials } = (await openKubeconfig([file])).connect(
    'prod',
    'x',
  );
  const { headers, ca, cert, key } = await credentials(false);
  return {
    ...{ server, tlsServerName, insecure: insecureSkipTlsVerify === true, proxied: proxy !== undefined, headers },
    ...{ ca: ca?.toString(), cert: cert?.toString(), key: key?.toString() },
  };
}

async function theirs(file: string): Promise<Login> {
  const config = new KubeConfig();
  config.loadFromFile(file);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { headers = {}, auth, ca, cert, key } = options;
  const basic = auth ? { Authorization: `Basic ${base64(auth)}` } : {};
  const cluster = config.getCurrentCluster();
  return {
    ...{ server: cluster?.server ?? '', tlsServerName: cluster?.tlsServerName },
    ...{ insecure: cluster?.skipTLSVerify === true, proxied: cluster?.proxyUrl !== undefined },
    headers: { ...(headers as Record<string, string>), ...basic },
    ...{ ca: ca?.toString(), cert: cert?.toString(), key: key?.toString() },
  };
}

const CLUSTERS: readonly { given: string; cluster: object }[] = [
  { given: 'no more than a server', cluster: {} },
  { given: 'a path and a slash', cluster: { server: 'https://api.test/k8s/clusters/c-1/' } },
  { given: 'an authority in the file', cluster: { 'certificate-authority-data': base64(AUTHORITY) } },
  { given: 'an authority in a file beside it', cluster: { 'certificate-authority': 'ca.crt' } },
  { given: 'another name', cluster: { 'tls-server-name': 'kube.test' } },
  { given: 'no verification', cluster: { 'insecure-skip-tls-verify': true } },
  { given: 'verification', cluster: { 'insecure-skip-tls-verify': false } },
  { given: 'a proxy', cluster: { 'proxy-url': 'http://proxy.test:3128' } },
  { given: 'a SOCKS proxy', cluster: { 'proxy-url': 'socks5://proxy.test:1080' } },
];

const USERS: readonly { given: string; user: () => object | null }[] = [
  { given: 'nothing', user: () => null },
  { given: 'an empty user', user: () => ({}) },
  { given: 'a token', user: () => ({ token: 'sha256~abc' }) },
  { given: 'a file with a token', user: () => ({ 'token-file': join(folder, 'token') }) },
  { given: 'a name and a password', user: () => ({ username: 'me', password: 'p:w' }) },
  { given: 'a name, a password and a token', user: () => ({ username: 'me', password: 'pw', token: 't' }) },
  {
    given: 'a certificate',
    user: () => ({ 'client-certificate-data': base64(CLIENT.cert), 'client-key-data': base64(CLIENT.key) }),
  },
  {
    given: 'a certificate in files and a token',
    user: () => ({ 'client-certificate': 'client.crt', 'client-key': join(folder, 'client.key'), token: 't' }),
  },
  { given: 'whom to act as', user: () => ({ token: 't', as: 'system:admin' }) },
  { given: 'a plugin', user: () => ({ exec: { command: join(folder, 'token.sh'), args: null, env: null } }) },
  { given: 'a plugin and a token', user: () => ({ exec: { command: join(folder, 'token.sh') }, token: 'own' }) },
  {
    given: 'a plugin that prints a certificate',
    user: () => ({ exec: { command: 'cat', args: [join(folder, 'cert.json')] } }),
  },
  {
    given: 'an id-token',
    user: () => {
      const token = `${base64('{}')}.${base64('{"exp":9999999999}')}.x`;
      return { 'auth-provider': { name: 'oidc', config: { 'id-token': token } } };
    },
  },
];

describe('read as by the official library', () => {
  it.each(CLUSTERS)('a cluster with $given', async ({ cluster }) => {
    const file = write(cluster, { token: 't' });
    expect(await ours(file)).toEqual(await theirs(file));
  });

  it.each(USERS)('a user with $given', async ({ user }) => {
    const file = write({}, user());
    expect(await ours(file)).toEqual(await theirs(file));
  });
});

describe('read as by kubectl, not as by the official library', () => {
  it.each([
    {
      what: 'data comes before a file',
      ...{ cluster: { 'certificate-authority': 'ca.crt', 'certificate-authority-data': base64('data') }, user: {} },
      ours: { ca: 'data' },
      theirs: { ca: AUTHORITY },
    },
    {
      what: 'the field for a file with a token is tokenFile, beside the kubeconfig, before a token',
      ...{ cluster: {}, user: { token: 'own', tokenFile: 'token' } },
      ours: { headers: { Authorization: 'Bearer from-file' } },
      theirs: { headers: { Authorization: 'Bearer own' } },
    },
    {
      what: 'a group to act as is not left out',
      ...{ cluster: {}, user: { as: 'me', 'as-groups': ['g'] } },
      ours: { headers: { 'Impersonate-User': 'me', 'Impersonate-Group': 'g' } },
      theirs: { headers: { 'Impersonate-User': 'me' } },
    },
  ])('$what', async (row) => {
    const file = write(row.cluster, row.user);
    expect(await ours(file)).toMatchObject(row.ours);
    expect(await theirs(file)).toMatchObject(row.theirs);
  });
});
