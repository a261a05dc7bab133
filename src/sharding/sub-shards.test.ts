import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../test/support/fleet.ts';
import { cluster, ref } from '../../test/support/hand-made-snapshot.ts';
import { holds } from '../../test/support/property.ts';
import type { Instance } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';
import { expandShards } from './expand-shards.ts';
import { isMember } from './membership.ts';

type Content = Readonly<Record<string, unknown>>;

function expand(sharding: Content, files: Readonly<Record<string, Content>> = {}, spec: Content = {}) {
  return expandOne(fleetWith({ ...files, '/mine.yml': managedOnce({ sharding, spec }) }));
}

function expandOne(instance: Instance, capabilities?: Capabilities) {
  const [integration] = instance.integrations;
  const [managed] = integration?.managed ?? [];
  const expanded = managed && expandShards(instance, integration!, managed, capabilities);
  return { ...expanded, read: instance.findings };
}

/** One override, with sub-sharding. */
function divided(strategy: string, shard: unknown, subSharding: Content): Content {
  return { strategy, shardSpecOverrides: [{ shard, imageRef: 'pin', subSharding }] };
}

describe('sub-sharding', () => {
  it.each([
    { strategy: 'per-aws-account', shard: 'acc-2', key: 'acc-2', flag: '--account-name acc-2' },
    {
      strategy: 'per-openshift-cluster',
      shard: ref('/clusters/cluster-1.yml'),
      key: 'cluster-1',
      flag: '--cluster-name cluster-1',
    },
    { strategy: 'per-ocm-organization', shard: 'org-3', key: 'org-id-C', flag: '--org-id org-id-C' },
    { strategy: 'per-ocm-environment', shard: 'live', key: 'live', flag: '--ocm-env live' },
    { strategy: 'per-cloudflare-zone', shard: 'web', key: 'main-web', flag: '--zone-name web' },
  ])(
    '$strategy: all parts have the flag, the settings and the override of the whole',
    ({ strategy, shard, key, flag }) => {
      const whole = expand({ strategy, shardSpecOverrides: [{ shard, imageRef: 'pin' }] });
      const { shards, findings } = expand(divided(strategy, shard, { strategy: 'static', shards: 3 }));
      const parts = shards?.filter((one) => one.key === key) ?? [];
      const { suffix, settings, override, name } = whole.shards?.find((one) => one.key === key) ?? {};
      expect(findings?.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(parts).toEqual(
        [0, 1, 2].map((id) =>
          expect.objectContaining({
            part: { id, shards: 3 },
            name: `${name}-${id}`,
            suffix: `${suffix}-${id}`,
            extraArgs: ` ${flag}`,
            settings,
            override,
          }),
        ),
      );
      expect(shards).toHaveLength((whole.shards?.length ?? 0) + 2);
    },
  );

  it('A2: into two, into one, and of a cluster that is switched off', () => {
    const files = { '/clusters/cluster-3.yml': cluster('cluster-3', { disable: { integrations: ['mine'] } }) };
    const overrides = [
      { shard: 'cluster-2', subSharding: { strategy: 'static', shards: 1 } },
      { shard: 'cluster-1', subSharding: { strategy: 'static', shards: 2 } },
    ];
    const sharding = { strategy: 'per-openshift-cluster', shardSpecOverrides: overrides };
    const { shards } = expand(sharding, files, { extraArgs: '--x y' });
    expect(shards?.map(({ suffix, part, extraArgs }) => `${suffix} ${part?.id}/${part?.shards} ${extraArgs}`)).toEqual([
      '-cluster-1-0 0/2 --x y --cluster-name cluster-1',
      '-cluster-1-1 1/2 --x y --cluster-name cluster-1',
      '-cluster-2-0 0/1 --x y --cluster-name cluster-2',
    ]);
  });

  it('without a number is into one, with the number in its name', () => {
    const { shards } = expand(divided('per-openshift-cluster', 'cluster-1', { strategy: 'static' }));
    expect(shards?.map(({ suffix, part }) => ({ suffix, part }))).toEqual([
      { suffix: '-cluster-1-0', part: { id: 0, shards: 1 } },
      { suffix: '-cluster-2', part: undefined },
    ]);
  });

  it.each([
    { given: 'static 0', sharding: { strategy: 'static', shards: 0 }, rule: 'bad-shard-count' },
    { given: 'static -1', sharding: { strategy: 'static', shards: -1 }, rule: 'bad-shard-count' },
    {
      given: 'sub-sharding 0',
      sharding: divided('per-aws-account', 'acc-1', { strategy: 'static', shards: 0 }),
      rule: 'bad-shard-count',
    },
    {
      given: 'sub-sharding that is not static',
      sharding: divided('per-aws-account', 'acc-1', { strategy: 'per-aws-account' }),
      rule: 'bad-value',
    },
  ])('$given is an error when it is read', ({ sharding, rule }) => {
    const { shards, read } = expand(sharding);
    expect(shards).toBeUndefined();
    expect(read).toMatchObject([{ severity: 'error', rule, path: '/mine.yml' }]);
  });

  it('of a static shard is an error: it would take the work of the others', () => {
    const { findings } = expand({ ...divided('static', 1, { strategy: 'static', shards: 2 }), shards: 3 });
    expect(findings).toEqual([
      {
        severity: 'error',
        path: '/mine.yml',
        keys: ['managed', 0, 'sharding', 'shardSpecOverrides', 0, 'subSharding'],
        rule: 'override-sub-sharding',
        message: 'a static shard cannot have sub-shards',
        hint: 'remove subSharding and increase shards',
      },
    ]);
  });
});

describe('sub-sharding of an integration', () => {
  const known = (name: string, capabilities?: readonly string[]): Capabilities =>
    new Map(capabilities === undefined ? [] : [[name, capabilities]]);

  it.each([
    { name: 'terraform-resources', strategy: 'per-aws-account', shard: 'acc-1' },
    { name: 'advanced-upgrade-scheduler', strategy: 'per-ocm-organization', shard: 'org-1' },
    { name: 'openshift-rhcs-certs', strategy: 'per-openshift-cluster', shard: 'cluster-1' },
    { name: 'stranger', strategy: 'per-openshift-cluster', shard: 'cluster-1' },
    { name: 'openshift-resources', strategy: 'per-openshift-cluster', shard: 'cluster-1', divides: true },
    { name: 'openshift-namespaces', strategy: 'per-openshift-cluster', shard: 'cluster-1', divides: true },
    { name: 'terraform-resources', strategy: 'per-aws-account', shard: 'acc-1', own: ['--account-name'] },
    {
      ...{ name: 'terraform-resources', strategy: 'per-aws-account', shard: 'acc-1' },
      ...{ own: ['--account-name', 'SHARDS'], divides: true },
    },
    {
      ...{ name: 'stranger', strategy: 'per-aws-account', shard: 'acc-1' },
      ...{ given: ['--account-name', 'SHARDS'], divides: true },
    },
    { name: 'openshift-resources', strategy: 'per-openshift-cluster', shard: 'cluster-1', given: ['--cluster-name'] },
    {
      ...{ name: 'stranger', strategy: 'per-aws-account', shard: 'acc-1' },
      ...{ own: ['--account-name', 'SHARDS'], given: [], divides: true },
    },
  ])('$name, with $own in its file and $given in a file of the user: divides its work: $divides', (row) => {
    const { name, strategy, shard, own = null, given, divides = false } = row;
    const sharding = divided(strategy, shard, { strategy: 'static', shards: 3 });
    const instance = fleetWith({ '/mine.yml': managedOnce({ name, sharding, capabilities: own }) });
    const { findings } = expandOne(instance, known(name, given));
    const errors = findings?.filter(({ rule }) => rule === 'sub-sharding-undivided');
    expect(errors).toEqual(divides ? [] : [expect.objectContaining({ severity: 'error', path: '/mine.yml' })]);
  });

  it('into one is the whole shard with another name, so nothing is done twice', () => {
    const sharding = divided('per-aws-account', 'acc-1', { strategy: 'static', shards: 1 });
    const instance = fleetWith({ '/mine.yml': managedOnce({ sharding, capabilities: ['--account-name'] }) });
    expect(expandOne(instance).findings?.map(({ severity }) => severity)).toEqual(['warning']);
  });
});

describe('what a server does not carry', () => {
  const SUB = { strategy: 'static', shards: 2 };

  it.each([
    { strategy: 'per-aws-account', shard: 'acc-1', warned: true },
    { strategy: 'per-ocm-organization', shard: 'org-1', warned: true },
    { strategy: 'per-openshift-cluster', shard: 'cluster-1', warned: false },
  ])('is reported of files: sub-sharding of $strategy: $warned', ({ strategy, shard, warned }) => {
    const { findings } = expand(divided(strategy, shard, SUB));
    const keys = ['managed', 0, 'sharding', 'shardSpecOverrides', 0, 'subSharding'];
    expect(findings).toEqual(
      warned ? [expect.objectContaining({ rule: 'sub-sharding-not-served', severity: 'warning', keys })] : [],
    );
  });

  it.each([
    { given: 'overrides of a strategy without the field', strategy: 'per-aws-account', shard: 'acc-1', warned: true },
    { given: 'no overrides', strategy: 'per-aws-account', shard: undefined, warned: false },
    { given: 'a strategy with the field', strategy: 'per-openshift-cluster', shard: 'cluster-1', warned: false },
  ])('is reported of a server: $given', ({ strategy, shard, warned }) => {
    const shardSpecOverrides = shard === undefined ? [] : [{ shard, imageRef: 'pin' }];
    const read = fleetWith({ '/mine.yml': managedOnce({ sharding: { strategy, shardSpecOverrides } }) });
    const strategiesWithoutSubSharding: ReadonlySet<string> = new Set(['per-aws-account']);
    const { findings } = expandOne({
      ...read,
      snapshot: { ...read.snapshot, kind: 'server', strategiesWithoutSubSharding },
    });
    expect(findings?.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(
      warned ? ['warning sub-sharding-not-served'] : [],
    );
  });
});

describe('the shards of an entry', () => {
  it('S1: every key belongs to exactly one shard and one sub-shard, for any N', () => {
    const parts = fc.dictionary(fc.constantFrom('cluster-1', 'cluster-2'), fc.integer({ min: 1, max: 40 }));
    const item = fc.tuple(fc.constantFrom('cluster-1', 'cluster-2'), fc.string({ unit: 'binary' }));
    holds(
      fc.property(parts, item, fc.constantFrom('md5', 'rendezvous'), (numbers, [home, key], membership) => {
        const overrides = Object.entries(numbers).map(([shard, shards]) => ({
          shard,
          subSharding: { strategy: 'static', shards },
        }));
        const { shards = [] } = expand({ strategy: 'per-openshift-cluster', shardSpecOverrides: overrides });
        const owners = shards.filter(
          (shard) => shard.key === home && isMember(key, shard.part ?? { id: 0, shards: 1 }, membership),
        );
        expect(owners).toHaveLength(1);
      }),
    );
  });

  it('S1: every key belongs to exactly one static shard', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.string({ unit: 'binary' }), (number, key) => {
        const { shards = [] } = expand({ strategy: 'static', shards: number });
        expect(shards).toHaveLength(number);
        expect(shards.filter(({ part }) => part !== undefined && isMember(key, part))).toHaveLength(1);
      }),
    );
  });
});
