import { describe, expect, it } from 'vitest';
import type { ClusterAccess } from '../../instance/index.ts';
import { chooseLogin, contextsOf, type LoginFacts, requireServer } from './cluster-login.ts';

const SECRET = { path: 'creds/one', field: 'token' };
const ONE: ClusterAccess = { name: 'one', serverUrl: 'https://api.one:6443', labels: {} };
const WITH_TOKEN: ClusterAccess = { ...ONE, automationToken: SECRET };
const TWO: ClusterAccess = { name: 'two', serverUrl: 'https://api.two:6443', labels: {} };

function facts(more: Partial<LoginFacts> = {}): LoginFacts {
  return {
    access: [WITH_TOKEN, TWO],
    contexts: new Map(),
    isPod: false,
    mayHaveSecret: () => false,
    kubeconfig: async () => [],
    ...more,
  };
}

const contexts = (...all: { name: string; server: string }[]) => ({ kubeconfig: async () => all });

describe('the login of a cluster', () => {
  const everything = {
    contexts: new Map([['one', 'flagged']]),
    inCluster: 'one',
    isPod: true,
    mayHaveSecret: () => true,
    ...contexts({ name: 'one', server: 'https://api.one:6443/' }),
    access: [WITH_TOKEN],
  };

  it.each([
    { given: 'everything', more: everything, login: { by: 'context', context: 'flagged' } },
    { given: 'no --context', more: { ...everything, contexts: new Map() }, login: { by: 'pod' } },
    {
      given: 'neither --context nor --in-cluster',
      more: { ...everything, contexts: new Map(), inCluster: undefined },
      login: { by: 'token', cluster: WITH_TOKEN, secret: SECRET },
    },
    {
      given: 'no place for secrets',
      more: { ...everything, contexts: new Map(), inCluster: 'two', mayHaveSecret: () => false },
      login: { by: 'context', context: 'one' },
    },
    {
      given: 'only the account of the pod',
      more: { isPod: true, access: [ONE] },
      login: { by: 'pod' },
    },
    {
      given: 'a context of the same server and one of the same name',
      more: contexts({ name: 'one', server: 'https://other' }, { name: 'admin', server: 'https://api.one:6443' }),
      login: { by: 'context', context: 'admin' },
    },
    {
      given: 'a context of the same name',
      more: contexts({ name: 'one', server: 'https://other' }),
      login: { by: 'context', context: 'one' },
    },
  ])('with $given is $login.by', async ({ more, login }) => {
    expect(await chooseLogin('one', facts(more))).toEqual(login);
  });

  it('is not the account of the pod where there is more than one cluster', async () => {
    await expect(chooseLogin('one', facts({ isPod: true }))).rejects.toMatchObject({ code: 'KUBE_NO_ACCESS' });
  });

  it('asks for no kubeconfig where something stronger decides', async () => {
    const kubeconfig = () => Promise.reject(new Error('it was read'));
    expect(await chooseLogin('one', facts({ kubeconfig, mayHaveSecret: () => true }))).toMatchObject({ by: 'token' });
  });

  it('sends no token in clear text to another machine', async () => {
    const open = { ...WITH_TOKEN, serverUrl: 'http://api.one' };
    await expect(chooseLogin('one', facts({ access: [open], mayHaveSecret: () => true }))).rejects.toMatchObject({
      code: 'KUBE_INSECURE',
    });
  });
});

describe('--context', () => {
  it('is for the only cluster, or names one', () => {
    expect(contextsOf(['admin'], [ONE])).toEqual(new Map([['one', 'admin']]));
    expect(contextsOf(['two=b', 'one=a'], [ONE, TWO])).toEqual(
      new Map([
        ['two', 'b'],
        ['one', 'a'],
      ]),
    );
  });

  it('without a cluster is refused where there are several', () => {
    expect(() => contextsOf(['admin'], [ONE, TWO])).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
  });
});

describe('the server that a secret names', () => {
  it.each(['https://api.one:6443', 'https://api.one:6443/', undefined])('%s is as good as serverUrl', (server) => {
    expect(() => requireServer(ONE, SECRET, server)).not.toThrow();
  });

  it('must not be another one', () => {
    expect(() => requireServer(ONE, SECRET, 'https://api.two:6443')).toThrow(
      expect.objectContaining({ code: 'KUBE_SERVER_MISMATCH' }),
    );
  });
});
