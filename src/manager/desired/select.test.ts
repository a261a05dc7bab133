import { describe, expect, it } from 'vitest';
import { FLEET, fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import {
  cluster,
  environment,
  integration,
  leanNamespace,
  managedIn,
  product,
  ref,
} from '../../../test/support/hand-made-snapshot.ts';
import { EXAMPLE_INSTANCE } from '../../../test/support/shared.ts';
import { openInstance, readInstance } from '../../instance/index.ts';
import { type NamespaceGroup, targetOf } from './group.ts';
import { type SelectOptions, selectWorkloads, workloadCheck } from './select.ts';

const namespaceIn = (name: string, home: string) => leanNamespace(name, { environment: { name: home } });

const FILES = {
  '/one.yml': namespaceIn('one', 'test1'),
  '/two.yml': namespaceIn('two', 'test2'),
  '/a.yml': integration('a', {
    upstream: 'https://example.com/first',
    managed: [managedIn('/one.yml'), managedIn('/two.yml')],
  }),
  '/b.yml': integration('b', { upstream: 'https://example.com/second', managed: [managedIn('/one.yml')] }),
  '/c.yml': integration('c', { managed: [managedIn('/two.yml')] }),
  '/unmanaged.yml': integration('unmanaged'),
};

/** `cluster/namespace: integrations`. */
function told(groups: readonly NamespaceGroup[]): string[] {
  return groups.map(
    ({ namespace, entries }) => `${targetOf(namespace)}: ${entries.map(({ integration: { name } }) => name).join(' ')}`,
  );
}

describe('what a manager operates', () => {
  it.each<{ given: string; options: SelectOptions; groups: string[] }>([
    { given: 'no options', options: {}, groups: ['lab/one: a b', 'lab/two: a c'] },
    { given: 'an empty environment', options: { environment: '' }, groups: ['lab/one: a b', 'lab/two: a c'] },
    { given: 'one environment', options: { environment: 'test2' }, groups: ['lab/two: a c'] },
    { given: 'an environment that is not there', options: { environment: 'test' }, groups: [] },
    { given: 'an environment in another case', options: { environment: 'Test2' }, groups: [] },
    { given: 'one upstream', options: { upstream: 'https://example.com/first' }, groups: ['lab/one: a', 'lab/two: a'] },
    { given: 'an upstream with one more letter', options: { upstream: 'https://example.com/first/' }, groups: [] },
    {
      given: 'both',
      options: { environment: 'test1', upstream: 'https://example.com/second' },
      groups: ['lab/one: b'],
    },
  ])('with $given', ({ options, groups }) => {
    const selection = selectWorkloads(fleetWith(FILES), options);
    expect(told(selection.groups)).toEqual(groups);
    expect(selection.findings).toEqual([]);
  });

  it('groups are ordered by cluster and namespace, whatever the files are named', () => {
    const files = {
      '/z.yml': leanNamespace('a'),
      '/a.yml': leanNamespace('b'),
      '/m.yml': leanNamespace('a', {
        cluster: { name: 'ace', serverUrl: 'https://x', automationToken: { path: 'p', field: 'f' } },
      }),
      '/i.yml': integration('i', { managed: [managedIn('/a.yml'), managedIn('/z.yml'), managedIn('/m.yml')] }),
    };
    expect(told(selectWorkloads(fleetWith(files)).groups)).toEqual(['ace/a: i', 'lab/a: i', 'lab/b: i']);
  });

  it('two files for one namespace of one cluster are one group', () => {
    const files = {
      '/full.yml': {
        $schema: '/openshift/namespace-1.yml',
        name: 'ns',
        cluster: ref('/lab.yml'),
        environment: ref('/env.yml'),
      },
      '/lab.yml': cluster('lab'),
      '/env.yml': environment('lab', '/product.yml'),
      '/product.yml': product('product'),
      '/a.yml': integration('a', { managed: [managedIn('/ns.yml')] }),
      '/b.yml': integration('b', { managed: [managedIn('/full.yml')] }),
    };
    expect(told(selectWorkloads(fleetWith(files)).groups)).toEqual(['lab/ns: a b']);
  });

  it('a new account file is a new shard in its group', () => {
    const entry = { '/mine.yml': managedOnce({ name: 'terraform-users', sharding: { strategy: 'per-aws-account' } }) };
    const shards = (files: typeof FLEET): number[] =>
      selectWorkloads(fleetWith({ ...entry, ...files })).groups.map(({ entries }) => entries[0]?.shards.length ?? 0);
    expect(shards({})).toEqual([4]);
    expect(shards({ '/aws/new.yml': { ...FLEET['/aws/acc-1.yml'], name: 'acc-5' } })).toEqual([5]);
  });
});

describe('an entry with a fault', () => {
  it.each([
    { fault: 'an unknown strategy', sharding: { strategy: 'by-moon' }, rule: 'unknown-strategy' },
    {
      fault: 'an override for nothing',
      sharding: { strategy: 'per-aws-account', shardSpecOverrides: [{ shard: 'acc-9' }] },
      rule: 'override-unknown-shard',
    },
    {
      fault: 'a second override',
      sharding: { strategy: 'per-aws-account', shardSpecOverrides: [{ shard: 'acc-1' }, { shard: 'acc-1' }] },
      rule: 'override-duplicate',
    },
  ])('$fault is in no group; the others stay', ({ sharding, rule }) => {
    const files = { '/bad.yml': managedOnce({ name: 'bad', sharding }), '/good.yml': managedOnce({ name: 'good' }) };
    const { groups, findings } = selectWorkloads(fleetWith(files));
    expect(told(groups)).toEqual(['lab/ns: good']);
    expect(findings).toMatchObject([{ severity: 'error', rule, path: '/bad.yml' }]);
  });

  it('leaves no group when it is the only one', () => {
    const { groups, findings } = selectWorkloads(
      fleetWith({ '/bad.yml': managedOnce({ sharding: { strategy: 'x' } }) }),
    );
    expect(groups).toEqual([]);
    expect(findings).toHaveLength(1);
  });

  it('that follows from another file is left to the check that reports it, when everything is checked', () => {
    const sharding = { strategy: 'per-aws-account', shardSpecOverrides: [{ shard: ref('/aws/absent.yml') }] };
    const instance = fleetWith({ '/bad.yml': managedOnce({ sharding }), '/bad-too.yml': managedOnce({ name: 'x_y' }) });
    expect(selectWorkloads(instance).findings.map(({ rule }) => rule)).toContain('override-unreadable-shard');
    expect(workloadCheck()(instance).map(({ rule }) => rule)).toEqual(['bad-object-name']);
  });

  it('is not told when it is not selected', () => {
    const files = { '/bad.yml': managedOnce({ sharding: { strategy: 'x' } }) };
    expect(selectWorkloads(fleetWith(files), { environment: 'other' }).findings).toEqual([]);
  });

  it.each([
    { given: 'nothing', capabilities: undefined, rules: ['flag-unknown'] },
    { given: 'its capabilities', capabilities: new Map([['stranger', ['--account-name']]]), rules: [] },
  ])('that is a warning stays, with $given known', ({ capabilities, rules }) => {
    const entry = managedOnce({ name: 'stranger', capabilities: null, sharding: { strategy: 'per-aws-account' } });
    const options = capabilities === undefined ? {} : { capabilities };
    const { groups, findings } = selectWorkloads(fleetWith({ '/stranger.yml': entry }), options);
    expect(told(groups)).toEqual(['lab/ns: stranger']);
    expect(findings.map(({ rule }) => rule)).toEqual(rules);
  });
});

describe('the example instance', () => {
  it('has something to operate in every environment, and no errors', async () => {
    const workingTree = { describe: async () => undefined };
    const source = openInstance(EXAMPLE_INSTANCE, { workingTree, server: () => expect.unreachable('it is a folder') });
    const instance = readInstance(await source.load());
    const { groups, findings } = selectWorkloads(instance);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(groups.length).toBeGreaterThan(1);
    for (const { name } of new Set(groups.map(({ namespace }) => namespace.environment))) {
      const own = selectWorkloads(instance, { environment: name }).groups;
      expect(own).toEqual(groups.filter(({ namespace }) => namespace.environment.name === name));
    }
  });
});
