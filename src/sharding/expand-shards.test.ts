import { describe, expect, it } from 'vitest';
import { type Entry, fleetWith, managedOnce } from '../../test/support/fleet.ts';
import { account, cluster, organization, ref } from '../../test/support/hand-made-snapshot.ts';
import { defined } from '../base/index.ts';
import { expandShards } from './expand-shards.ts';

type Files = Parameters<typeof fleetWith>[0];

function expand(entry: Entry, files: Files = {}, capabilities?: ReadonlyMap<string, readonly string[]>) {
  const instance = fleetWith({ ...files, '/mine.yml': managedOnce(entry) });
  const [integration] = instance.integrations;
  const [managed] = integration?.managed ?? [];
  return expandShards(instance, integration!, managed!, capabilities);
}

/** What tells shards apart, as short as it can be written. */
function told(entry: Entry, files: Files = {}): string[] {
  return expand(entry, files).shards.map(
    ({ key, part, suffix, extraArgs }) =>
      `${key}|${part === undefined ? '' : `${part.id}/${part.shards}`}|${suffix}|${extraArgs}`,
  );
}

describe('the shards of a strategy', () => {
  const spec = { extraArgs: 'integ-extra-arg' };

  it.each([
    { given: 'no sharding', sharding: undefined, shards: ['|0/1||integ-extra-arg'] },
    { given: 'static without a number', sharding: { strategy: 'static' }, shards: ['|0/1||integ-extra-arg'] },
    { given: 'static 1', sharding: { strategy: 'static', shards: 1 }, shards: ['|0/1||integ-extra-arg'] },
    {
      given: 'static 2',
      sharding: { strategy: 'static', shards: 2 },
      shards: ['|0/2|-0|integ-extra-arg', '|1/2|-1|integ-extra-arg'],
    },
    {
      given: 'per-aws-account',
      sharding: { strategy: 'per-aws-account' },
      shards: ['acc-1', 'acc-2', 'acc-3', 'acc-4'].map(
        (name) => `${name}||-${name}|integ-extra-arg --account-name ${name}`,
      ),
    },
    {
      given: 'per-openshift-cluster',
      sharding: { strategy: 'per-openshift-cluster' },
      shards: ['cluster-1', 'cluster-2'].map((name) => `${name}||-${name}|integ-extra-arg --cluster-name ${name}`),
    },
    {
      given: 'per-ocm-organization',
      sharding: { strategy: 'per-ocm-organization' },
      shards: ['A', 'B', 'C'].map(
        (id) => `org-id-${id}||-org-id-${id.toLowerCase()}|integ-extra-arg --org-id org-id-${id}`,
      ),
    },
    {
      given: 'per-ocm-environment',
      sharding: { strategy: 'per-ocm-environment' },
      shards: ['live||-live|integ-extra-arg --ocm-env live'],
    },
    {
      given: 'per-cloudflare-zone',
      sharding: { strategy: 'per-cloudflare-zone' },
      shards: ['lost||-lost|integ-extra-arg --zone-name lost', 'main-web||-main-web|integ-extra-arg --zone-name web'],
    },
    {
      given: 'the older name of zones',
      sharding: { strategy: 'per-cloudflare-dns-zone' },
      shards: ['lost||-lost|integ-extra-arg --zone-name lost', 'main-web||-main-web|integ-extra-arg --zone-name web'],
    },
  ])('$given', ({ sharding, shards }) => {
    expect(told({ spec, ...defined({ sharding }) })).toEqual(shards);
  });

  it('static shards are in the order of their numbers', () => {
    const { shards } = expand({ sharding: { strategy: 'static', shards: 12 } });
    expect(shards.map(({ name }) => name)).toEqual(Array.from({ length: 12 }, (_, id) => String(id)));
  });

  it.each([
    { strategy: 'per-aws-account', extraArgs: undefined, args: ' --account-name acc-1' },
    { strategy: 'per-aws-account', extraArgs: '', args: ' --account-name acc-1' },
    { strategy: 'per-aws-account', extraArgs: '--arg', args: '--arg --account-name acc-1' },
    { strategy: 'per-aws-account', extraArgs: '--text "${HOME}"', args: '--text "${HOME}" --account-name acc-1' },
    { strategy: 'static', extraArgs: undefined, args: '' },
    { strategy: 'static', extraArgs: '--arg', args: '--arg' },
  ])('$strategy with the arguments $extraArgs gets "$args"', ({ strategy, extraArgs, args }) => {
    const given = extraArgs === undefined ? {} : { extraArgs };
    expect(expand({ spec: given, sharding: { strategy } }).shards[0]?.extraArgs).toBe(args);
  });

  it('A3: the case of an organization is kept, but for the name of the object', () => {
    const files = { '/orgs/1.yml': organization('org-1', '/ocm/live.yml', { orgId: '1AbC' }) };
    expect(told({ sharding: { strategy: 'per-ocm-organization' } }, files)[0]).toBe('1AbC||-1abc| --org-id 1AbC');
  });

  it('a scheduled integration is sharded as any other', () => {
    const sharding = { strategy: 'per-openshift-cluster' };
    expect(told({ spec: { cron: '0 8 * * *' }, sharding })).toEqual(told({ sharding }));
  });
});

describe('what an item switches off', () => {
  it.each([
    { name: 'aws-integration', strategy: 'per-aws-account', keys: ['acc-1', 'acc-2', 'acc-3'] },
    { name: 'other', strategy: 'per-aws-account', keys: ['acc-1', 'acc-2', 'acc-3', 'acc-4'] },
    { name: 'off', strategy: 'per-openshift-cluster', keys: ['cluster-1'] },
    { name: 'off', strategy: 'per-ocm-organization', keys: ['org-id-A', 'org-id-B', 'org-id-C'] },
  ])('$name has the shards $keys', ({ name, strategy, keys }) => {
    const disable = { integrations: ['off', 'x'] };
    const files = {
      '/clusters/cluster-2.yml': cluster('cluster-2', { disable }),
      '/orgs/1.yml': organization('org-1', '/ocm/live.yml', { orgId: 'org-id-A', disable }),
    };
    expect(expand({ name, sharding: { strategy } }, files).shards.map(({ key }) => key)).toEqual(keys);
  });
});

describe('the number of shards follows the data', () => {
  it('a new account file is a new shard', () => {
    const entry = { sharding: { strategy: 'per-aws-account' } };
    const before = told(entry);
    const after = told(entry, { '/aws/new.yml': account('acc-25') });
    expect(after).toEqual([...before.slice(0, 2), 'acc-25||-acc-25| --account-name acc-25', ...before.slice(2)]);
  });

  it('an instance without items has no shards, and that is no fault', () => {
    const files = { '/zones/web.yml': account('x'), '/zones/lost.yml': account('y') };
    expect(expand({ sharding: { strategy: 'per-cloudflare-zone' } }, files)).toEqual({ shards: [], findings: [] });
  });
});

describe('overrides', () => {
  const resources = { requests: { cpu: '200m', memory: '10Mi' }, limits: { memory: '20Mi' } };

  it('are attached to their shards, and the others run as the spec says', () => {
    const overrides = [
      { shard: ref('/aws/acc-1.yml'), imageRef: 'foobar' },
      { shard: 'acc-2', resources },
      { shard: ref('/aws/acc-3.yml'), disabled: true },
    ];
    const sharding = { strategy: 'per-aws-account', shardSpecOverrides: overrides };
    const { shards } = expand({ spec: { imageRef: 'spec' }, sharding });
    expect(shards.map(({ name, override, settings }) => ({ name, override, settings }))).toMatchObject([
      { name: 'acc-1', override: { imageRef: 'foobar' }, settings: { imageRef: 'foobar', imageFrom: 'override' } },
      { name: 'acc-2', override: { resources }, settings: { imageRef: 'spec', resources, disabled: false } },
      { name: 'acc-3', override: { disabled: true }, settings: { imageRef: 'spec', disabled: true } },
      { name: 'acc-4', override: undefined, settings: { imageFrom: 'spec', resources: {}, disabled: false } },
    ]);
    expect(shards.map((shard) => 'override' in shard)).toEqual([true, true, true, false]);
  });

  it.each([
    {
      strategy: 'per-ocm-organization',
      shard: ref('/orgs/2.yml'),
      key: 'org-id-B',
      reference: { name: 'org-2', orgId: 'org-id-B' },
    },
    {
      strategy: 'per-ocm-organization',
      shard: 'org-2',
      key: 'org-id-B',
      reference: { name: 'org-2', orgId: 'org-id-B' },
    },
    { strategy: 'per-openshift-cluster', shard: 'cluster-2', key: 'cluster-2', reference: { name: 'cluster-2' } },
    { strategy: 'per-cloudflare-zone', shard: 'web', key: 'main-web', reference: { name: 'web' } },
  ])('$strategy: $shard is the shard $key', ({ strategy, shard, key, reference }) => {
    const sharding = { strategy, shardSpecOverrides: [{ shard, imageRef: 'pin' }] };
    const { shards, findings } = expand({ sharding });
    const pinned = shards.filter(({ settings }) => settings.imageRef === 'pin');
    expect(findings).toEqual([]);
    expect(pinned.map((one) => ({ key: one.key, reference: one.reference }))).toEqual([{ key, reference }]);
  });

  it('of a static integration name a shard by its id', () => {
    const sharding = { strategy: 'static', shards: 11, shardSpecOverrides: [{ shard: 10, imageRef: 'pin' }] };
    const { shards } = expand({ sharding });
    expect(shards.filter(({ override }) => override !== undefined).map(({ suffix }) => suffix)).toEqual(['-10']);
  });

  it('A1: unknown, switched-off and repeated shards are errors, each with its place', () => {
    const files = { '/aws/acc-2.yml': account('acc-2', { disable: { integrations: ['tf'] } }) };
    const overrides = [
      { shard: ref('/aws/acc-1.yml'), imageRef: 'abc' },
      { shard: ref('/aws/acc-2.yml') },
      { shard: 'unknown' },
      { shard: ref('/aws/acc-1.yml'), imageRef: 'last', disabled: true },
    ];
    const sharding = { strategy: 'per-aws-account', shardSpecOverrides: overrides };
    const { shards, findings } = expand({ name: 'tf', sharding }, files);
    expect(findings.map(({ rule, severity, keys }) => `${severity} ${rule} ${keys?.slice(4).join('.')}`)).toEqual([
      'error override-disabled-shard 1.shard',
      'error override-unknown-shard 2.shard',
      'error override-duplicate 3.shard',
    ]);
    expect(shards.map(({ key, settings }) => `${key} ${settings.imageRef}`)).toEqual([
      'acc-1 abc',
      'acc-3 undefined',
      'acc-4 undefined',
    ]);
  });
});

describe('the flag of a strategy', () => {
  it.each([
    { given: 'built in', name: 'terraform-users', strategy: 'per-aws-account', rules: [] },
    {
      given: 'built in for another flag',
      name: 'openshift-routes',
      strategy: 'per-aws-account',
      rules: ['error flag-unsupported'],
    },
    { given: 'of a stranger', name: 'stranger', strategy: 'per-aws-account', rules: ['warning flag-unknown'] },
    { given: 'not needed', name: 'stranger', strategy: 'static', rules: [] },
    {
      given: 'declared in the file',
      name: 'stranger',
      capabilities: ['--account-name'],
      strategy: 'per-aws-account',
      rules: [],
    },
    {
      given: 'not among the declared',
      name: 'terraform-users',
      capabilities: ['--x'],
      strategy: 'per-aws-account',
      rules: ['error flag-unsupported'],
    },
  ])('$given: $rules', ({ name, strategy, capabilities = null, rules }) => {
    const { findings, shards } = expand({ name, capabilities, sharding: { strategy } });
    expect(findings.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(rules);
    expect(shards).not.toHaveLength(0);
  });

  it.each([
    { given: 'nothing in the file', capabilities: null, rules: [] },
    { given: 'something else in the file, which counts more', capabilities: ['--x'], rules: ['flag-unsupported'] },
  ])('a capabilities file helps with $given', ({ capabilities, rules }) => {
    const entry = { name: 'stranger', capabilities, sharding: { strategy: 'per-aws-account' } };
    const { findings } = expand(entry, {}, new Map([['stranger', ['--account-name']]]));
    expect(findings.map(({ rule }) => rule)).toEqual(rules);
  });
});
