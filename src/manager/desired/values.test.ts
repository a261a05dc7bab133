import { describe, expect, it } from 'vitest';
import { type Entry, fleetWith, managedOnce } from '../../../test/support/fleet.ts';
import { integration, managedIn, organization } from '../../../test/support/hand-made-snapshot.ts';
import { selectWorkloads } from './select.ts';
import { type NamespaceValues, valuesOf } from './values.ts';

type Files = Parameters<typeof fleetWith>[0];

const RESOURCES = { requests: { cpu: '100m', memory: '1Mi' }, limits: { cpu: '100m', memory: '1Mi' } };
const NOTHING = { environment: {}, process: {}, flags: new Map<string, string>() };
const ONE_SHARD = { shards: '1', shard_id: '0', shard_key: '', shard_name_suffix: '', extra_args: '' };

/** The values of the one namespace of these files. */
function values(files: Files): NamespaceValues {
  const { groups, findings } = selectWorkloads(fleetWith(files));
  expect(findings).toEqual([]);
  expect(groups).toHaveLength(1);
  return valuesOf(groups[0]!, NOTHING);
}

/** The shards of one integration, as the chart gets them. */
function shardSpecs(entry: Entry, files: Files = {}) {
  const { integrations, cronjobs } = values({ ...files, '/mine.yml': managedOnce(entry) });
  return [...integrations, ...cronjobs].flatMap(({ shard_specs }) => shard_specs);
}

describe('the values document', () => {
  it('of nothing has both lists, empty', () => {
    const { groups } = selectWorkloads(fleetWith({ '/mine.yml': managedOnce({}) }));
    expect(valuesOf({ ...groups[0]!, entries: [] }, NOTHING)).toEqual({ integrations: [], cronjobs: [] });
  });

  it('parts entries by cron and has nothing but what is given', () => {
    const files = {
      '/a.yml': managedOnce({ name: 'looped', spec: { extraArgs: 'integ-extra-arg', resources: RESOURCES } }),
      '/b.yml': managedOnce({ name: 'scheduled', spec: { cron: '0 8 * * *', resources: RESOURCES } }),
    };
    expect(values(files)).toEqual({
      integrations: [
        {
          name: 'looped',
          extraArgs: 'integ-extra-arg',
          resources: RESOURCES,
          shard_specs: [{ ...ONE_SHARD, extra_args: 'integ-extra-arg' }],
        },
      ],
      cronjobs: [{ name: 'scheduled', cron: '0 8 * * *', resources: RESOURCES, shard_specs: [ONE_SHARD] }],
    });
  });

  it('keeps an entry without shards', () => {
    const files = {
      '/mine.yml': managedOnce({ sharding: { strategy: 'per-ocm-environment' } }),
      '/ocm/live.yml': { $schema: '/app-sre/product-1.yml', name: 'no environment any more' },
    };
    const { groups } = selectWorkloads(
      fleetWith({ ...files, '/orgs/1.yml': {}, '/orgs/2.yml': {}, '/orgs/3.yml': {} }),
    );
    expect(valuesOf(groups[0]!, NOTHING).integrations).toMatchObject([{ name: 'mine', shard_specs: [] }]);
  });

  it('is ordered by integration, whatever the names of files', () => {
    const files = {
      '/1.yml': managedOnce({ name: 'c' }),
      '/2.yml': managedOnce({ name: 'a' }),
      '/3.yml': managedOnce({ name: 'b' }),
    };
    expect(values(files).integrations.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { field: 'cache', value: true },
    { field: 'cache', value: false },
    { field: 'command', value: 'app-interface-reporter' },
    { field: 'disableUnleash', value: true },
    { field: 'environmentAware', value: true },
    { field: 'extraArgs', value: '' },
    { field: 'extraArgs', value: '--x "${HOME}" ${IMAGE_TAG}' },
    { field: 'extraEnv', value: [] },
    {
      field: 'extraEnv',
      value: [
        { name: 'A', value: 'true' },
        { name: 'B', value: '1' },
      ],
    },
    { field: 'extraEnv', value: [{ secretName: 's', secretKey: 'k' }] },
    { field: 'imageRef', value: 'f929a38' },
    { field: 'internalCertificates', value: true },
    { field: 'logs', value: { slack: true, googleChat: false, slackErrorFilter: true, govSlack: true } },
    { field: 'fluentdResources', value: RESOURCES },
    { field: 'sleepDurationSecs', value: '29' },
    { field: 'state', value: true },
    { field: 'storage', value: '25Gi' },
    { field: 'storageClassName', value: 'gp2-csi' },
    { field: 'trigger', value: true },
    { field: 'dashdotdb', value: true },
    { field: 'concurrencyPolicy', value: 'Forbid' },
    { field: 'restartPolicy', value: 'Never' },
    { field: 'successfulJobHistoryLimit', value: 0 },
    { field: 'failedJobHistoryLimit', value: 24 },
    { field: 'enablePushgateway', value: true },
  ])('carries $field: $value as it is', ({ field, value }) => {
    const [entry] = values({ '/mine.yml': managedOnce({ spec: { [field]: value } }) }).integrations;
    expect(entry).toHaveProperty(field, value);
    expect(Object.keys(entry ?? {}).sort()).toEqual([field, 'name', 'resources', 'shard_specs'].sort());
  });

  it('has quantities as text, also where a file has bare numbers', () => {
    const resources = { requests: { cpu: 1, memory: '1Mi' }, limits: { cpu: 1.5, memory: '2Mi' } };
    const [entry] = values({ '/mine.yml': managedOnce({ spec: { resources } }) }).integrations;
    expect(entry?.resources).toEqual({ requests: { cpu: '1', memory: '1Mi' }, limits: { cpu: '1.5', memory: '2Mi' } });
  });
});

describe('a shard in the values document', () => {
  it.each([
    { given: 'one static', sharding: { strategy: 'static', shards: 1 }, shards: [ONE_SHARD] },
    {
      given: 'two static',
      sharding: { strategy: 'static', shards: 2 },
      shards: [
        { ...ONE_SHARD, shards: '2', shard_name_suffix: '-0' },
        { ...ONE_SHARD, shards: '2', shard_id: '1', shard_name_suffix: '-1' },
      ],
    },
    {
      given: 'by cluster',
      sharding: { strategy: 'per-openshift-cluster' },
      shards: ['cluster-1', 'cluster-2'].map((name) => ({
        shards: '',
        shard_id: '',
        shard_key: name,
        shard_name_suffix: `-${name}`,
        extra_args: ` --cluster-name ${name}`,
      })),
    },
  ])('$given', ({ sharding, shards }) => {
    expect(shardSpecs({ sharding })).toEqual(shards);
  });

  it('A4: a scheduled entry has its shards too', () => {
    expect(shardSpecs({ spec: { cron: '0 8 * * *', extraArgs: '--x' } })).toEqual([
      { ...ONE_SHARD, extra_args: '--x' },
    ]);
    const sharding = {
      strategy: 'per-openshift-cluster',
      shardSpecOverrides: [{ shard: 'cluster-2', imageRef: 'pin' }],
    };
    expect(shardSpecs({ spec: { cron: '0 8 * * *' }, sharding })).toMatchObject([
      { shard_key: 'cluster-1' },
      { shard_key: 'cluster-2', shard_spec_overrides: { imageRef: 'pin' } },
    ]);
  });

  it('carries its override under the names of the data, and the shard by name', () => {
    const overrides = [
      { shard: 'acc-1', imageRef: 'foobar' },
      { shard: 'acc-2', resources: RESOURCES },
      { shard: 'acc-3', disabled: true },
    ];
    const specs = shardSpecs({ sharding: { strategy: 'per-aws-account', shardSpecOverrides: overrides } });
    expect(specs.map((spec) => spec.shard_spec_overrides)).toEqual([
      { shard: { name: 'acc-1' }, imageRef: 'foobar' },
      { shard: { name: 'acc-2' }, resources: RESOURCES },
      { shard: { name: 'acc-3' }, disabled: true },
      undefined,
    ]);
    expect('shard_spec_overrides' in specs[3]!).toBe(false);
  });

  it('A3: carries name and id of an organization', () => {
    const files = { '/orgs/1.yml': organization('org-1', '/ocm/live.yml', { orgId: '1AbC' }) };
    const sharding = { strategy: 'per-ocm-organization', shardSpecOverrides: [{ shard: 'org-1', imageRef: 'pin' }] };
    expect(shardSpecs({ sharding }, files)[0]).toEqual({
      shards: '',
      shard_id: '',
      shard_key: '1AbC',
      shard_name_suffix: '-1abc',
      extra_args: ' --org-id 1AbC',
      shard_spec_overrides: { shard: { name: 'org-1', orgId: '1AbC' }, imageRef: 'pin' },
    });
  });

  it('A2: sub-shards share the override, less the sub-sharding', () => {
    const subSharding = { strategy: 'static', shards: 2 };
    const shardSpecOverrides = [{ shard: 'cluster-1', imageRef: 'pin', subSharding }];
    const specs = shardSpecs({ sharding: { strategy: 'per-openshift-cluster', shardSpecOverrides } });
    expect(
      specs.map(({ shards, shard_id, shard_key, shard_name_suffix }) => [
        shards,
        shard_id,
        shard_key,
        shard_name_suffix,
      ]),
    ).toEqual([
      ['2', '0', 'cluster-1', '-cluster-1-0'],
      ['2', '1', 'cluster-1', '-cluster-1-1'],
      ['', '', 'cluster-2', '-cluster-2'],
    ]);
    expect(specs.slice(0, 2).map((spec) => spec.shard_spec_overrides)).toEqual([
      { shard: { name: 'cluster-1' }, imageRef: 'pin' },
      { shard: { name: 'cluster-1' }, imageRef: 'pin' },
    ]);
  });
});

describe('the values document as JSON', () => {
  it('loses nothing', () => {
    const entry = managedIn('/ns.yml', {
      sharding: { strategy: 'static', shards: 2, shardSpecOverrides: [{ shard: 1 }] },
    });
    const document = values({ '/mine.yml': integration('mine', { managed: [entry] }) });
    expect(JSON.parse(JSON.stringify(document))).toStrictEqual(document);
  });
});

describe('how shards spread their work', () => {
  it.each([
    { membership: 'rendezvous', carried: 'rendezvous' },
    { membership: 'md5', carried: undefined },
  ])('$membership is carried as $carried', ({ membership, carried }) => {
    const shards = shardSpecs({ sharding: { strategy: 'static', shards: 2, membership } });
    expect(shards.map(({ shard_membership }) => shard_membership)).toEqual([carried, carried]);
  });
});
