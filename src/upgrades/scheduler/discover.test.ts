import { describe, expect, it } from 'vitest';
import { observed } from '../../../test/support/observed-organizations.ts';
import { member, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { instantOf } from '../../gates/index.ts';
import { type Intercept, simulatedScheduler, worldApi } from '../../sim/index.ts';
import { discover } from './discover.ts';
import type { Listed, Unread } from './upgrade-api.ts';

const FLEET = [
  {
    id: 'org-1',
    aus: { 'sector-deps.s': '' },
    clusters: [member('a', { mutexes: 'm' }), member('b', { mutexes: 'm' })],
  },
  { id: 'org-2', clusters: [member('c')] },
];

function broken(name: string, problem: Partial<Unread>, without: (row: Record<string, unknown>) => boolean): Intercept {
  return (call, act) => {
    if (call.name !== name) return act();
    const { items } = act() as Listed<Record<string, unknown>>;
    const unread: Unread = { id: 'x', known: {}, message: 'value: expected text', ...problem };
    return { items: items.filter((row) => !without(row)), problems: [unread] };
  };
}

async function discovered(intercept?: Intercept, serves: (orgId: string) => boolean = () => true, ignoreSts = false) {
  const world = upgradeWorld(FLEET);
  const api = worldApi(world, intercept);
  const now = () => instantOf(world.now().getTime());
  const discovery = await discover(api, { serves, now });
  return { ...discovery, organizations: await observed(api, discovery, { ignoreSts }) };
}

describe('what fleet-wide calls show', () => {
  it('is every served organization with its labels and clusters, the oldest first', async () => {
    const { organizations, organizationLabels } = await discovered();
    expect(
      organizations.map(({ orgId, clusters, faults }) => [orgId, clusters.map(({ row }) => row.name), faults]),
    ).toEqual([
      ['org-1', ['a', 'b'], []],
      ['org-2', ['c'], []],
    ]);
    expect(organizations[0]?.clusters[0]?.labels).toEqual({
      'sre-capabilities.aus.workloads': 'wl',
      'sre-capabilities.aus.soak-days': '0',
      'sre-capabilities.aus.schedule': '* * * * *',
      'sre-capabilities.aus.mutexes': 'm',
    });
    expect([...organizationLabels]).toEqual([['org-1', { 'sre-capabilities.aus.sector-deps.s': '' }]]);
  });

  it('asks for no cluster of an organization that is not served', async () => {
    const asked: unknown[] = [];
    const { organizations } = await discovered(
      (call, act) => {
        if (call.name === 'listClusters') asked.push(...call.args);
        return act();
      },
      (orgId) => orgId === 'org-2',
    );
    expect(organizations.map(({ orgId }) => orgId)).toEqual(['org-2']);
    expect(asked).toEqual([['c-sub']]);
  });

  it.each([
    { given: 'hibernating', change: { state: 'hibernating' }, found: true },
    { given: 'not managed', change: { managed: false }, found: false },
    { given: 'archived', change: { status: 'Archived' }, found: false },
    { given: 'reserved', change: { status: 'Reserved' }, found: true },
    { given: 'of STS, which is ignored', change: { product: 'rosa', sts: true }, found: false },
  ])('a cluster that is $given is found: $found', async ({ change, found }) => {
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('a', {}, change)] }]);
    const api = worldApi(world);
    const discovery = await discover(api, { serves: () => true, now: () => instantOf(0) });
    const organizations = await observed(api, discovery, { ignoreSts: true });
    expect(organizations.flatMap(({ clusters }) => clusters).length === 1).toBe(found);
  });
});

const none = (): boolean => false;

describe('a record that cannot be read', () => {
  it.each([
    {
      given: 'a label of a cluster',
      intercept: broken('listLabels', { known: { subscription_id: 'a-sub' } }, none),
      faults: { 'org-1': 0, 'org-2': 0 },
      unread: ['a'],
    },
    {
      given: 'a label of an organization',
      intercept: broken('listLabels', { known: { organization_id: 'org-1' } }, none),
      faults: { 'org-1': 1, 'org-2': 0 },
      unread: [],
    },
    {
      given: 'a label of nobody knows whom',
      intercept: broken('listLabels', { id: undefined }, none),
      faults: { 'org-1': 1, 'org-2': 1 },
      unread: [],
    },
    {
      given: 'a subscription with its organization',
      intercept: broken('listSubscriptions', { known: { organization_id: 'org-1' } }, ({ id }) => id === 'a-sub'),
      faults: { 'org-1': 1, 'org-2': 0 },
      unread: [],
    },
    {
      given: 'a subscription without',
      intercept: broken('listSubscriptions', {}, ({ id }) => id === 'a-sub'),
      faults: { 'org-1': 1, 'org-2': 1 },
      unread: [],
    },
    {
      given: 'a cluster of a known organization, without a version',
      intercept: broken(
        'listClusters',
        { id: 'a-id', known: { 'subscription.id': 'a-sub' } },
        ({ id }) => id === 'a-id',
      ),
      faults: { 'org-1': 1, 'org-2': 0 },
      unread: [],
    },
  ])('stays with whom it concerns: $given', async ({ intercept, faults, unread }) => {
    const { organizations } = await discovered(intercept);
    expect(Object.fromEntries(organizations.map((each) => [each.orgId, each.faults.length]))).toEqual(faults);
    const clusters = organizations.flatMap((each) => each.clusters);
    expect(clusters.filter((each) => each.unread !== undefined).map(({ row }) => row.name)).toEqual(unread);
  });

  const known = { name: 'a', external_id: 'a-uuid', 'subscription.id': 'a-sub', 'version.raw_id': '4.18.1' };

  it('is held where enough is known of the cluster, and still counts: promise U3 needs it', async () => {
    const world = upgradeWorld([
      {
        id: 'org-1',
        aus: { 'sector-deps.prod': 'stage' },
        clusters: [member('a', { sector: 'stage' }), member('b', { sector: 'prod' })],
      },
    ]);
    const intercept = broken('listClusters', { id: 'a-id', known }, ({ id }) => id === 'a-id');
    const { organizations } = await simulatedScheduler([world], { intercept: () => intercept }).pass();
    expect(organizations[0]?.outcome).toMatchObject({
      facts: { held: [{ name: 'a', held: 'it is not readable' }] },
      decision: { plan: [], verdicts: [{ clusterId: 'b-id', waitsFor: 'sector' }] },
    });
  });

  it.each([
    { given: 'no version', without: ['version.raw_id'], held: ['a'] },
    { given: 'neither name nor version', without: ['name', 'version.raw_id'], held: ['a-id'] },
    { given: 'no version, as it is not installed', without: ['external_id', 'version.raw_id'], held: [] },
  ])('stops only its own cluster where it has $given', async ({ without, held }) => {
    const readable = Object.entries({ ...known, state: 'pending' }).filter(([key]) => !without.includes(key));
    const intercept = broken(
      'listClusters',
      { id: 'a-id', known: Object.fromEntries(readable) },
      ({ id }) => id === 'a-id',
    );
    const world = upgradeWorld([{ id: 'org-1', clusters: [member('a'), member('b')] }]);
    const { organizations } = await simulatedScheduler([world], { intercept: () => intercept }).pass();
    expect(organizations[0]).toMatchObject({
      outcome: { facts: { held: held.map((name) => ({ name, version: '0.0.0-unknown' })) } },
      results: [{ item: { clusterId: 'b-id' }, outcome: 'done' }],
      notices: [],
    });
  });

  it('stops only its own cluster where its version is not one, which counts as the lowest', async () => {
    const world = upgradeWorld([
      {
        id: 'org-1',
        aus: { 'sector-deps.prod': 'stage' },
        clusters: [member('a', { sector: 'stage' }), member('b', { sector: 'prod' }), member('c')],
      },
    ]);
    const intercept: Intercept = (call, act) => {
      if (call.name !== 'listClusters') return act();
      const { items, problems } = act() as Listed<{ id: string; version: object }>;
      const odd = items.map((row) => (row.id === 'a-id' ? { ...row, version: { ...row.version, rawId: '4' } } : row));
      return { items: odd, problems };
    };
    const { organizations } = await simulatedScheduler([world], { intercept: () => intercept }).pass();
    expect(organizations[0]).toMatchObject({
      outcome: {
        facts: { held: [{ name: 'a', held: 'it is without a valid version ("4")' }] },
        decision: { verdicts: [{ clusterId: 'b-id', waitsFor: 'sector' }, { clusterId: 'c-id' }] },
      },
      results: [{ item: { clusterId: 'c-id' }, outcome: 'done' }],
    });
  });

  it.each([
    { given: 'one that it must have', key: 'schedule' },
    { given: 'one that it may have', key: 'blocked-versions' },
  ])(
    'blames no user: a cluster with a label that could not be read is held, and nobody is told: $given',
    async ({ key }) => {
      const clusters = [member('a', { 'blocked-versions': '^4' }), member('b')];
      const world = upgradeWorld([{ id: 'org-1', clusters }]);
      const isIt = (row: Record<string, unknown>): boolean =>
        row['subscriptionId'] === 'a-sub' && row['key'] === `sre-capabilities.aus.${key}`;
      const intercept = broken('listLabels', { known: { subscription_id: 'a-sub' } }, isIt);
      const { organizations } = await simulatedScheduler([world], { intercept: () => intercept }).pass();
      expect(organizations[0]).toMatchObject({
        outcome: { facts: { held: [{ name: 'a' }] }, spec: { problems: [] } },
        results: [{ item: { clusterId: 'b-id' }, outcome: 'done' }],
        notices: [],
      });
    },
  );
});
