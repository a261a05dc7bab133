import { describe, expect, it } from 'vitest';
import {
  account,
  cluster,
  environment,
  handMadeSnapshot,
  integration,
  leanNamespace,
  managedIn,
  ocmEnvironment,
  organization,
  product,
  ref,
  zone,
} from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../domain/read-instance.ts';
import { duplicateNames, managedTwice, partialResources, sameServer, settingsWithoutEffect } from './instance-rules.ts';

const OTHER_LAB = { serverUrl: 'https://api.example.com', automationToken: { path: 'p', field: 'f' } };

function twiceManaged(...managed: readonly object[]) {
  const snapshot = handMadeSnapshot({
    '/ns/a.yml': leanNamespace('a'),
    '/ns/a-again.yml': leanNamespace('a'),
    '/ns/a-elsewhere.yml': leanNamespace('a', { cluster: { name: 'other', ...OTHER_LAB } }),
    '/ns/a-twin.yml': leanNamespace('a', {
      cluster: { name: 'twin', ...OTHER_LAB, serverUrl: 'https://API.example.com:443/' },
    }),
    '/i.yml': integration('i', { managed }),
    '/j.yml': integration('j', { managed: [managedIn('/ns/a.yml')] }),
  });
  return managedTwice(readInstance(snapshot));
}

describe('an integration', () => {
  it('in one namespace once, on two clusters of the same namespace name, beside another integration is right', () => {
    expect(twiceManaged(managedIn('/ns/a.yml'), managedIn('/ns/a-elsewhere.yml'))).toEqual([]);
  });

  it.each([
    { given: 'the same file', second: '/ns/a.yml' },
    { given: 'another file for the same namespace', second: '/ns/a-again.yml' },
  ])('that is managed twice, by $given, is told at the second', ({ second }) => {
    expect(twiceManaged(managedIn('/ns/a.yml'), managedIn('/ns/a-elsewhere.yml'), managedIn(second))).toEqual([
      {
        rule: 'managed-twice',
        severity: 'error',
        path: '/i.yml',
        keys: ['managed', 2, 'namespace'],
        message: 'i is managed twice in lab/a',
        hint: 'merge the two entries',
      },
    ]);
  });

  it('that is managed under two names of one API server is told at the second', () => {
    expect(twiceManaged(managedIn('/ns/a-elsewhere.yml'), managedIn('/ns/a-twin.yml'))).toMatchObject([
      { keys: ['managed', 1, 'namespace'], message: 'i is managed twice in twin/a' },
    ]);
  });

  it('keeps its places in the list when an entry before is left out', () => {
    const broken = { namespace: { $ref: '/ns/a-elsewhere.yml' }, spec: {} };
    expect(twiceManaged(broken, managedIn('/ns/a.yml'), managedIn('/ns/a.yml'))).toMatchObject([
      { keys: ['managed', 2, 'namespace'] },
    ]);
  });
});

const LAB = { serverUrl: 'https://API.lab.example.com:443/', automationToken: { path: 'p', field: 'f' } };
const lean = (name: string, clusterName: string) => leanNamespace(name, { cluster: { name: clusterName, ...LAB } });
const sameServers = (files: Parameters<typeof handMadeSnapshot>[0]) =>
  sameServer(readInstance(handMadeSnapshot(files)));

describe('two cluster names for one API server', () => {
  it('are reported in the second file, which names the first', () => {
    const findings = sameServers({
      '/clusters/lab.yml': cluster('lab'),
      '/clusters/other.yml': cluster('other'),
      '/clusters/twin.yml': cluster('twin', { serverUrl: LAB.serverUrl }),
    });
    expect(findings).toEqual([
      {
        rule: 'same-server',
        severity: 'warning',
        path: '/clusters/twin.yml',
        keys: ['serverUrl'],
        message:
          'cluster twin has the same API server as cluster lab in data/clusters/lab.yml: https://API.lab.example.com:443/',
        hint: 'use one cluster name for it; until then the manager treats both as one cluster',
      },
    ]);
  });

  it('are reported once for a name that several namespaces contain', () => {
    const findings = sameServers({
      '/clusters/lab.yml': cluster('lab'),
      '/ns/a.yml': lean('a', 'lean-lab'),
      '/ns/b.yml': lean('b', 'lean-lab'),
    });
    expect(findings).toMatchObject([{ path: '/ns/a.yml', keys: ['cluster', 'serverUrl'] }]);
    expect(findings[0]?.message).toContain('data/clusters/lab.yml');
  });

  it.each([
    {
      given: 'one name in a file and in a namespace',
      files: { '/clusters/lab.yml': cluster('lab'), '/ns/a.yml': lean('a', 'lab') },
    },
    {
      given: 'clusters that do not exist yet',
      files: { '/a.yml': cluster('a', { serverUrl: '' }), '/b.yml': cluster('b', { serverUrl: '' }) },
    },
  ])('are not found for $given', ({ files }) => {
    expect(sameServers(files)).toEqual([]);
  });
});

type Content = Readonly<Record<string, unknown>>;

const duplicates = (a: Content, b: Content) => duplicateNames(handMadeSnapshot({ '/a.yml': a, '/b.yml': b }));
const namespace = (name: string, on: string): Content => ({
  $schema: '/openshift/namespace-1.yml',
  name,
  cluster: ref(on),
});
const saasFile = (name: string): Content => ({ $schema: '/app-sre/saas-file-2.yml', name });

describe('two files', () => {
  it.each([
    { of: 'integration x', a: integration('x'), b: integration('x'), field: 'name' },
    { of: 'environment x', a: environment('x', '/p.yml'), b: environment('x', '/q.yml'), field: 'name' },
    { of: 'product x', a: product('x'), b: product('x'), field: 'name' },
    { of: 'cluster x', a: cluster('x'), b: cluster('x'), field: 'name' },
    { of: 'AWS account x', a: account('x'), b: account('x', { uid: 'other' }), field: 'name' },
    { of: 'AWS account with the uid 5', a: account('x', { uid: '5' }), b: account('y', { uid: '5' }), field: 'uid' },
    {
      of: 'OCM organization x',
      a: organization('x', '/o.yml'),
      b: organization('x', '/o.yml', { orgId: 'other' }),
      field: 'name',
    },
    {
      of: 'OCM organization with the id i',
      a: organization('x', '/o.yml', { orgId: 'i' }),
      b: organization('y', '/o.yml', { orgId: 'i' }),
      field: 'orgId',
    },
    { of: 'OCM environment x', a: ocmEnvironment('x'), b: ocmEnvironment('x'), field: 'name' },
    { of: 'Cloudflare zone x', a: zone('x'), b: zone('x'), field: 'identifier' },
    { of: 'saas file x', a: saasFile('x'), b: saasFile('x'), field: 'name' },
    { of: 'namespace x', a: namespace('x', '/c.yml'), b: namespace('x', '/c.yml'), field: 'name' },
    { of: 'namespace x', a: leanNamespace('x'), b: leanNamespace('x'), field: 'name' },
  ])('of one $of: the second is told of the first', ({ of, a, b, field }) => {
    expect(duplicates(a, b)).toMatchObject([
      {
        rule: 'duplicate-name',
        severity: 'error',
        path: '/b.yml',
        keys: [field],
        message: `${of} is already defined in data/a.yml`,
      },
    ]);
  });

  it.each([
    { given: 'namespaces of one name on two clusters', a: namespace('x', '/c.yml'), b: namespace('x', '/d.yml') },
    { given: 'things of one name and two kinds', a: cluster('x'), b: account('x') },
    { given: 'names that differ by case', a: cluster('x'), b: cluster('X') },
    {
      given: 'files without a name',
      a: { $schema: '/openshift/cluster-1.yml' },
      b: { $schema: '/openshift/cluster-1.yml' },
    },
    {
      given: 'files of a schema that Echelon does not read',
      a: { $schema: '/own-1.yml', name: 'x' },
      b: { $schema: '/own-1.yml', name: 'x' },
    },
  ])('$given are let be', ({ a, b }) => {
    expect(duplicates(a, b)).toEqual([]);
  });

  it('of three, the later two are told of the first', () => {
    const found = duplicateNames(
      handMadeSnapshot({ '/a.yml': cluster('x'), '/b.yml': cluster('x'), '/c.yml': cluster('x') }),
    );
    expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      '/b.yml: cluster x is already defined in data/a.yml',
      '/c.yml: cluster x is already defined in data/a.yml',
    ]);
  });
});

function withoutEffect(spec: object): string[] {
  const file = integration('i', { managed: [managedIn('/ns.yml', { spec: { resources: {}, ...spec } })] });
  const instance = readInstance(handMadeSnapshot({ '/ns.yml': leanNamespace('ns'), '/i.yml': file }));
  return settingsWithoutEffect(instance).map(({ severity, keys }) => `${severity} ${keys.join('.')}`);
}

describe('a setting without effect is told', () => {
  it.each([
    { spec: { cron: '* * * * *', cache: true }, field: 'cache' },
    { spec: { cron: '* * * * *', sleepDurationSecs: '60' }, field: 'sleepDurationSecs' },
    { spec: { cron: '* * * * *', logs: { slack: true } }, field: 'logs' },
    { spec: { concurrencyPolicy: 'Forbid' }, field: 'concurrencyPolicy' },
    { spec: { successfulJobHistoryLimit: 0 }, field: 'successfulJobHistoryLimit' },
    { spec: { dashdotdb: true }, field: 'dashdotdb' },
    { spec: { storage: '2Gi' }, field: 'storage' },
    { spec: { cache: false, storageClassName: 'gp2' }, field: 'storageClassName' },
  ])('$field in $spec', ({ spec, field }) => {
    expect(withoutEffect(spec)).toEqual([`warning managed.0.spec.${field}`]);
  });
});

describe('an entry', () => {
  const told = (entry: Readonly<Record<string, unknown>>) => {
    const files = {
      '/ns.yml': leanNamespace('ns'),
      '/i.yml': integration('i', { managed: [managedIn('/ns.yml', entry)] }),
    };
    return settingsWithoutEffect(readInstance(handMadeSnapshot(files))).map(({ keys }) => keys.join('.'));
  };

  it('with a number of shards under a strategy that derives it is told', () => {
    expect(told({ sharding: { strategy: 'per-aws-account', shards: 3 } })).toEqual(['managed.0.sharding.shards']);
    expect(told({ sharding: { strategy: 'static', shards: 3 } })).toEqual([]);
  });
});

describe('a setting with effect, or that switches something off, is not', () => {
  it.each([
    { cron: '* * * * *', concurrencyPolicy: 'Forbid', dashdotdb: true, enablePushgateway: true },
    { cron: '* * * * *', cache: false, trigger: false },
    { cache: true, storage: '2Gi', storageClassName: 'gp2' },
    { sleepDurationSecs: '60', logs: { slack: true }, trigger: true, dashdotdb: false },
  ])('%j', (spec) => {
    expect(withoutEffect(spec)).toEqual([]);
  });
});

const LIMITS = { limits: { memory: '1Gi' } };
const REQUESTS = { requests: { cpu: '1', memory: '1Gi' } };
const BOTH = { ...LIMITS, ...REQUESTS };

function partial(entry: Readonly<Record<string, unknown>>): string[] {
  const file = integration('i', { managed: [managedIn('/ns.yml', entry)] });
  const instance = readInstance(handMadeSnapshot({ '/ns.yml': leanNamespace('ns'), '/i.yml': file }));
  return partialResources(instance).map(({ severity, keys, hint }) => `${severity} ${keys.join('.')}: ${hint}`);
}

describe('resources that a server cannot serve', () => {
  const overrides = (resources: object) => ({
    strategy: 'static',
    shards: 2,
    shardSpecOverrides: [{ shard: 0 }, { shard: 1, resources }],
  });

  it.each([
    { given: 'limits only', entry: { spec: { resources: LIMITS } }, at: 'spec.resources: add requests' },
    { given: 'requests only', entry: { spec: { resources: REQUESTS } }, at: 'spec.resources: add limits' },
    {
      given: 'those of log shipping',
      entry: { spec: { resources: BOTH, fluentdResources: LIMITS } },
      at: 'spec.fluentdResources: add requests',
    },
    {
      given: 'those of an override',
      entry: { spec: { resources: BOTH }, sharding: overrides(LIMITS) },
      at: 'sharding.shardSpecOverrides.1.resources: add requests',
    },
  ])('$given', ({ entry, at }) => {
    expect(partial(entry)).toEqual([`warning managed.0.${at}`]);
  });

  it('both are served, and none is left to the JSON schemas', () => {
    expect(partial({ spec: { resources: BOTH }, sharding: overrides(BOTH) })).toEqual([]);
    expect(partial({ spec: { resources: {} } })).toEqual([]);
  });
});
