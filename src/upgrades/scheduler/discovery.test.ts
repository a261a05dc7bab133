import { describe, expect, it } from 'vitest';
import { declaredIn, entry } from '../../../test/support/declared-organizations.ts';
import { observed } from '../../../test/support/observed-organizations.ts';
import { member, upgradeFleet, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import {
  createWorlds,
  type Intercept,
  parseFleet,
  simulatedScheduler,
  type WorldCall,
  worldApi,
} from '../../sim/index.ts';
import { DEFAULT_RULES } from '../engine/rules.ts';
import { discover, discoverDeclared } from './discovery.ts';
import type { Listed, Site, Unread } from './ports.ts';
import { createScheduler } from './scheduler.ts';

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

const FILES = {
  'org-1': { upgradePolicyClusters: [entry('b'), entry('a'), entry('gone')] },
  'org-2': { upgradePolicyClusters: [entry('c')] },
  'org-3': {},
};
const DECLARED_FLEET = [
  { id: 'org-1', clusters: [member('a'), member('b', {}, { product: 'rosa', sts: true }), member('unlisted')] },
  { id: 'org-2', clusters: [member('c')] },
  { id: 'org-3', clusters: [member('d')] },
];

async function discoveredDeclared(
  options: { intercept?: Intercept; serves?: (orgId: string) => boolean; sts?: boolean } = {},
) {
  const calls: WorldCall[] = [];
  const noting: Intercept = (call, act) => {
    calls.push(call);
    return options.intercept?.(call, act) ?? act();
  };
  const api = worldApi(upgradeWorld(DECLARED_FLEET), noting);
  const discovery = await discoverDeclared(api, declaredIn(FILES), options.serves ?? (() => true));
  const organizations = await observed(api, discovery, { ignoreSts: options.sts === false });
  const found = organizations.map(({ orgId, clusters }) => [orgId, ...clusters.map(({ row }) => row.name)]);
  return { found, organizations, calls };
}

describe('clusters that organization files name', () => {
  it('are found by their organization, whatever their labels; others and those that are gone are not', async () => {
    const { found, calls } = await discoveredDeclared();
    expect(found).toEqual([
      ['org-1', 'a', 'b'],
      ['org-2', 'c'],
    ]);
    expect(calls.map(({ name }) => name)).toEqual(['listOrganizationSubscriptions', 'listClusters']);
  });

  it('are asked for only where somebody is served', async () => {
    const { found, calls } = await discoveredDeclared({ serves: (orgId) => orgId === 'org-2' });
    expect([found, calls[0]?.args]).toEqual([[['org-2', 'c']], [['org-2']]]);
    expect((await discoveredDeclared({ serves: () => false })).calls).toEqual([]);
  });

  it('are left out with AWS STS where that is asked for', async () => {
    expect((await discoveredDeclared({ sts: false })).found[0]).toEqual(['org-1', 'a']);
  });

  it('cannot be told where a record cannot be read: that stays with its organization', async () => {
    const unread: Unread = { id: 'x', known: { organization_id: 'org-2' }, message: 'id: expected text' };
    const { organizations } = await discoveredDeclared({
      intercept: (call, act) => {
        if (call.name !== 'listOrganizationSubscriptions') return act();
        return { items: (act() as Listed<unknown>).items, problems: [unread] };
      },
    });
    expect(organizations.map(({ orgId, faults }) => [orgId, faults.map(({ code }) => code)])).toEqual([
      ['org-1', []],
      ['org-2', ['OCM_RECORD_UNREADABLE']],
    ]);
  });
});

const NETWORK = parseFleet({
  ...upgradeFleet([]),
  environments: [
    {
      name: 'prod',
      organizations: [
        {
          id: 'heir',
          name: 'heir',
          aus: { 'version-data.inherit': 'source' },
          clusters: [member('h', { 'soak-days': 2 })],
        },
        { id: 'loner', name: 'loner', clusters: [member('l')] },
      ],
    },
    {
      name: 'stage',
      organizations: [
        {
          id: 'source',
          name: 'source',
          aus: { 'version-data.publish': 'heir' },
          clusters: [member('s', {}, { version: '4.18.3' })],
        },
      ],
    },
  ],
});

const down: Intercept = () => {
  throw new Error('no route to host');
};

/** Serves prod; stage is a neighbour. */
function parts() {
  const worlds = createWorlds(NETWORK);
  const store = memoryStateStore();
  const faults = new Map<string, Intercept>();
  const asked: string[] = [];
  const site = (name: string): Site => {
    const world = worlds.get(name);
    if (world === undefined) throw new Error(`no ${name}`);
    const api = worldApi(world, (call, act) => {
      asked.push(`${name} ${call.name}`);
      return (faults.get(name) ?? ((_, go) => go()))(call, act);
    });
    const serves = (orgId: string) => ({ orgId: orgId as OrgId, name: orgId, healthChecks: [] });
    return { name, connect: async () => api, serves, health: new Map() };
  };
  const clock = { now: () => worlds.get('prod')?.now() ?? new Date(0) };
  const scheduler = createScheduler({ integration: 'advanced-upgrade-scheduler', store, rules: DEFAULT_RULES, clock });
  const pass = (minute = 0) => {
    for (const world of worlds.values()) world.advanceTo(new Date(NETWORK.start + minute * 60_000));
    return scheduler.pass({ sites: [site('prod')], neighbours: [site('stage')] });
  };
  return { worlds, store, faults, asked, pass };
}

const soak = (days: number): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      check_in: '2026-03-02T09:00:00Z',
      versions: { '4.18.3': { workloads: { wl: { soak_days: days, reporting: ['s'] } } } },
      stats: { min_version: '4.18.3', min_version_per_workload: { wl: '4.18.3' } },
    }),
  );

describe('an organization that inherits', () => {
  it('is served from the history of an organization in another environment, which itself is not served', async () => {
    const { store, pass } = parts();
    await store.write('advanced-upgrade-scheduler/stage/source', soak(3), 'absent');
    const { organizations } = await pass();
    expect(organizations.flatMap(({ results }) => results.map(({ item }) => item.clusterId))).toEqual(['h-id', 'l-id']);
  });

  it('costs one list of the neighbour, and nothing where nobody inherits', async () => {
    const { asked, pass, worlds } = parts();
    await pass();
    expect(asked.filter((call) => call.startsWith('stage'))).toEqual(['stage listLabels']);
    worlds
      .get('prod')
      ?.setLabel({ type: 'Organization', id: 'heir' }, 'sre-capabilities.aus.version-data.inherit', null);
    asked.length = 0;
    await pass(1);
    expect(asked.filter((call) => call.startsWith('stage'))).toEqual([]);
  });

  it('waits, and is not blamed, when the neighbour was never reached; others do not wait', async () => {
    const { faults, pass, worlds } = parts();
    faults.set('stage', down);
    const { organizations } = await pass();
    expect(organizations).toMatchObject([
      { outcome: { orgId: 'heir', skipped: [{ code: 'INHERITANCE_UNKNOWN' }] } },
      { outcome: { orgId: 'loner' }, results: [{ outcome: 'done' }] },
    ]);
    expect([...(worlds.get('prod')?.state.logs.all() ?? [])]).toEqual([]);
  });

  it('goes on with what was last known of the neighbour', async () => {
    const { store, faults, pass } = parts();
    await pass();
    faults.set('stage', down);
    await store.write('advanced-upgrade-scheduler/stage/source', soak(3), 'absent');
    const { organizations } = await pass(1);
    expect(organizations.flatMap(({ results }) => results.map(({ item }) => item.clusterId))).toEqual(['h-id']);
  });

  it('is told when the other does not publish to it, and stops', async () => {
    const { pass, worlds } = parts();
    worlds
      .get('stage')
      ?.setLabel({ type: 'Organization', id: 'source' }, 'sre-capabilities.aus.version-data.publish', 'x');
    const { organizations } = await pass();
    expect(organizations[0]).toMatchObject({
      outcome: {
        decision: { fault: expect.stringContaining('no history published to this organization by source') },
      },
      notices: [{ summary: 'AUS configuration error on organization' }],
    });
  });

  it('stops when the inherited history is corrupt', async () => {
    const { store, pass } = parts();
    await store.write('advanced-upgrade-scheduler/stage/source', new TextEncoder().encode('{'), 'absent');
    const { organizations } = await pass();
    expect(organizations[0]?.outcome).toMatchObject({ skipped: [{ code: 'STATE_CORRUPT' }] });
  });

  it('is served in one pass with its source, where both are served', async () => {
    const worlds = [...createWorlds(NETWORK).values()];
    const { organizations } = await simulatedScheduler(worlds).pass();
    expect(organizations.map(({ outcome }) => outcome.orgId)).toEqual(['heir', 'loner', 'source']);
    expect(organizations[0]?.outcome).toMatchObject({ spec: { inherit: [{ environment: 'stage', orgId: 'source' }] } });
  });
});
