import { beforeEach, describe, expect, it } from 'vitest';
import { type GivenOrganization, member, minutes, upgradeWorld } from '../../../test/support/upgrade-world.ts';
import { defined, memoryStateStore, type StateStore } from '../../base/index.ts';
import { MICROS } from '../../gates/index.ts';
import {
  createWorlds,
  type Intercept,
  parseFleet,
  type SimulatedSchedulerOptions,
  simulatedScheduler,
  type World,
  type WorldCall,
} from '../../sim/index.ts';
import { organizationPlan } from '../views/plan.ts';
import { isSkipped } from './plan-organization.ts';
import type { FleetReport } from './scheduler.ts';

const WRITES = ['createPolicy', 'deletePolicy', 'switchChannel', 'createServiceLog'];
const KEY = 'advanced-upgrade-scheduler/test/org-1';

let calls: WorldCall[] = [];
beforeEach(() => {
  calls = [];
});

const writes = (): WorldCall[] => calls.filter(({ name }) => WRITES.includes(name));
const named = (name: string): WorldCall[] => calls.filter((call) => call.name === name);

/** A scheduler whose calls are noted, and faults added. */
function scheduled(worlds: readonly World[], options: SimulatedSchedulerOptions = {}) {
  return simulatedScheduler(worlds, {
    ...options,
    intercept: (environment) => (call, act) => {
      calls.push(call);
      return (options.intercept?.(environment) ?? ((_, go) => go()))(call, act);
    },
  });
}

/** Does something else with some calls than to let them pass. */
function instead(name: WorldCall['name'], answer: (call: WorldCall, act: () => unknown) => unknown): Intercept {
  return (call, act) => (call.name === name ? answer(call, act) : act());
}

const organization = (...clusters: GivenOrganization['clusters']): GivenOrganization[] => [{ id: 'org-1', clusters }];

const policies = (world: World): string[] =>
  [...world.state.policies.all()].map(({ target, version }) => `${target.clusterId} ${version}`).sort();

const outcomes = ({ organizations }: FleetReport): string[] =>
  organizations.flatMap(({ results }) =>
    results.map(({ item, outcome }) => `${item.action} ${item.clusterId} ${outcome}`),
  );

/** What the report says of a cluster. */
function rowOf({ organizations }: FleetReport, name: string) {
  const rows = organizations.flatMap(({ outcome }) => organizationPlan(outcome).clusters);
  return rows.find((row) => row.name === name);
}

async function storedText(store: StateStore, key = KEY): Promise<string> {
  return new TextDecoder().decode((await store.read(key))?.value);
}

describe('a pass', () => {
  it('schedules what may be scheduled; the next one, with nothing new, changes nothing', async () => {
    const world = upgradeWorld(organization(member('a'), member('b', { 'soak-days': 3 })));
    const scheduler = scheduled([world]);
    expect(outcomes(await scheduler.pass())).toEqual(['upgrade a-id done']);
    expect(policies(world)).toEqual(['a-id 4.18.3']);
    calls = [];
    expect(outcomes(await scheduler.pass(minutes(1)))).toEqual([]);
    expect([writes(), policies(world)]).toEqual([[], ['a-id 4.18.3']]);
  });

  it('counts soak that it saw, and lets the next cluster go when there is enough', async () => {
    const world = upgradeWorld(organization(member('a', {}, { version: '4.18.3' }), member('b', { 'soak-days': 1 })));
    const scheduler = scheduled([world]);
    for (let hour = 0; hour < 24; hour += 1) expect(outcomes(await scheduler.pass(minutes(hour * 60)))).toEqual([]);
    expect(outcomes(await scheduler.pass(minutes(24 * 60)))).toEqual(['upgrade b-id done']);
  });

  it('counts soak up to when the clusters were seen, not to when it decided', async () => {
    const world = upgradeWorld(organization(member('a', {}, { version: '4.18.3' })));
    const slow = instead('listPolicies', (_, act) => {
      world.advanceTo(new Date(world.now().getTime() + 60_000));
      return act();
    });
    const scheduler = scheduled([world], { intercept: () => slow });
    await scheduler.pass();
    const { organizations } = await scheduler.pass(minutes(31));
    const [report] = organizations;
    if (report === undefined || isSkipped(report.outcome)) throw new Error('it was skipped');
    expect(report.outcome.decision.ledger.versions.get('4.18.3')?.get('wl')?.micros).toBe(31 * MICROS.minute);
    expect(report.outcome.decidedAt - (report.outcome.decision.ledger.checkIn ?? 0)).toBe(MICROS.minute);
  });

  it('upgrades a hosted cluster, then its node pools one by one', async () => {
    const pools = { hosted: true, product: 'rosa', node_pools: [{ name: 'np1' }, { name: 'np2' }] };
    const world = upgradeWorld(organization(member('h', {}, pools)));
    const scheduler = scheduled([world]);
    const done: string[] = [];
    for (let minute = 0; minute <= 240; minute += 10) {
      const { organizations } = await scheduler.pass(minutes(minute));
      for (const { item } of organizations.flatMap(({ results }) => results)) {
        if (item.action === 'upgrade') done.push([item.kind, item.nodePool, item.version].filter(Boolean).join(' '));
      }
    }
    expect(done).toEqual(['control_plane 4.18.3', 'node_pool np1 4.18.3', 'node_pool np2 4.18.3']);
    expect([...world.state.nodePools.all()].map(({ version }) => version)).toEqual(['4.18.3', '4.18.3']);
  });

  it('moves a cluster to the next channel when there is one', async () => {
    const world = upgradeWorld(organization(member('a', { schedule: '0 3 * * *' })), {
      versions: {
        releases: [
          { version: '4.18.{n}', from: 1, count: 3, at: 'day -40' },
          { version: '4.19.1', at: 'day -1' },
        ],
      },
    });
    expect(outcomes(await scheduled([world]).pass())).toEqual(['switch-channel a-id done']);
    expect(world.cluster('a').channel).toBe('stable-4.19');
  });
});

describe('promise P1: calls made are the plan shown', () => {
  it('does exactly what the plan says', async () => {
    const clusters = [
      ...[member('a'), member('b', { mutexes: 'm' }), member('c', { mutexes: 'm' }), member('d', { schedule: 'soon' })],
      member('h', {}, { hosted: true, product: 'rosa', node_pools: [{ name: 'np', version: '4.18.0' }] }),
    ];
    const world = upgradeWorld(organization(...clusters));
    const scheduler = scheduled([world]);
    const planned = await scheduler.plan();
    expect(writes()).toEqual([]);
    const shown = planned.organizations.flatMap((each) => organizationPlan(each).clusters);
    const upgrades = shown.filter(({ action }) => action.startsWith('upgrade'));
    await planned.apply();
    expect(
      named('createPolicy').map(({ args: [target, policy] }) => ({ ...(target as object), ...(policy as object) })),
    ).toEqual(
      upgrades.map(({ id, to, startsAt, nodePool, action }) => ({
        kind: action === 'upgrade' ? 'cluster' : 'node_pool',
        clusterId: id,
        ...defined({ nodePool }),
        version: to,
        nextRun: startsAt,
      })),
    );
    expect(upgrades.map(({ name }) => name)).toEqual(['a', 'b', 'h']);
    expect([named('deletePolicy'), named('switchChannel')]).toEqual([[], []]);
    expect(named('createServiceLog')).toHaveLength(1);
  });

  it('carries out no plan that is older than the history', async () => {
    const world = upgradeWorld(organization(member('a')));
    const scheduler = scheduled([world]);
    const planned = await scheduler.plan();
    await scheduled([world], { store: scheduler.store, intercept: () => instead('createPolicy', refuse) }).pass();
    calls = [];
    const { organizations } = await planned.apply();
    expect(organizations[0]?.faults).toMatchObject([{ code: 'STATE_RACE_LOST' }]);
    expect(writes()).toEqual([]);
  });
});

const refuse = (): unknown => ({ outcome: 'refused', reason: 'no', missingGates: [] });

describe('promise P2: a dry run', () => {
  it('writes nothing to OCM and nothing to the store', async () => {
    const store = memoryStateStore();
    const world = upgradeWorld(organization(member('a'), member('b', { schedule: 'soon' })));
    const report = await scheduled([world], { store }).pass(undefined, { dryRun: true });
    expect(rowOf(report, 'a')).toMatchObject({ action: 'upgrade', to: '4.18.3', startsAt: '2026-03-02T10:07:00Z' });
    expect([writes(), store.keys()]).toEqual([[], []]);
  });

  it('is what a replica does that does not lead', async () => {
    const store = memoryStateStore();
    const world = upgradeWorld(organization(member('a'), member('b', { schedule: 'soon' })));
    const report = await scheduled([world], { store }).pass(undefined, { mayWrite: () => false });
    expect(outcomes(report)).toEqual(['upgrade a-id skipped']);
    expect([writes(), store.keys()]).toEqual([[], []]);
  });
});

describe('looking at clusters', () => {
  const idle = () => organization(member('a', { 'soak-days': 9 }), member('b', { 'soak-days': 9 }), member('c'));

  it('reads those that are neither due nor busy no more often than the resync period', async () => {
    const scheduler = scheduled([upgradeWorld(idle())], { resyncSeconds: 600 });
    const read = async (minute: number): Promise<unknown[]> => {
      calls = [];
      await scheduler.pass(minutes(minute));
      return named('listPolicies').map(({ args: [target] }) => (target as { clusterId: string }).clusterId);
    };
    expect(await read(0)).toEqual(['a-id', 'b-id', 'c-id']);
    expect(await read(1)).toEqual(['c-id']);
    expect(await read(9)).toEqual(['c-id']);
    expect((await read(10)).toSorted()).toEqual(['a-id', 'b-id', 'c-id']);
  });

  it('needs one list each of labels, subscriptions and clusters, and no more calls without anything to do', async () => {
    const clusters = Array.from({ length: 50 }, (_, index) => member(`c${index}`, { 'soak-days': 9 }));
    const scheduler = scheduled([upgradeWorld(organization(...clusters))]);
    await scheduler.pass();
    calls = [];
    await scheduler.pass(minutes(1));
    expect(calls.map(({ name }) => name)).toEqual(['listLabels', 'listSubscriptions', 'listClusters']);
  });

  it('asks for subscriptions of others once an hour, as a shard of many has to', async () => {
    const world = upgradeWorld([
      { id: 'org-1', clusters: [member('a')] },
      { id: 'org-2', clusters: [member('b'), member('c')] },
    ]);
    const scheduler = scheduled([world], { serves: (orgId) => orgId === 'org-1' });
    for (const minute of [0, 1, 59, 60]) await scheduler.pass(minutes(minute));
    expect(named('listSubscriptions').map(({ args: [ids] }) => (ids as string[]).length)).toEqual([3, 1, 1, 3]);
  });

  it('looks again at whoever could hold a mutex before it takes it', async () => {
    const world = upgradeWorld(
      organization(
        member('a', { mutexes: 'm', schedule: '0 13 * * *' }),
        member('b', { mutexes: 'm', 'soak-days': 9 }),
      ),
    );
    const scheduler = scheduled([world], { resyncSeconds: 6 * 60 * 60 });
    expect(outcomes(await scheduler.pass())).toEqual([]);
    const body = { schedule_type: 'manual', version: '4.18.2', next_run: minutes(180).toISOString() };
    world.createPolicy({ kind: 'cluster', clusterId: 'b-id' }, body);
    const report = await scheduler.pass(minutes(90));
    expect(outcomes(report)).toEqual([]);
    expect(rowOf(report, 'a')).toMatchObject({ action: 'wait', gate: 'mutex', reason: 'mutex m is held by b' });
  });

  it('takes a cluster for busy whose policies cannot be read, and goes on with the others', async () => {
    const world = upgradeWorld(organization(member('a', { mutexes: 'm' }), member('b', { mutexes: 'm' }), member('c')));
    const fail = instead('listPolicies', ({ args: [target] }, act) => {
      if ((target as { clusterId: string }).clusterId === 'a-id') throw new Error('OCM answered 500');
      return act();
    });
    const report = await scheduled([world], { intercept: () => fail }).pass();
    expect(outcomes(report)).toEqual(['upgrade c-id done']);
    expect(rowOf(report, 'a')).toMatchObject({ action: 'wait', gate: 'busy' });
    expect(rowOf(report, 'b')).toMatchObject({ action: 'wait', gate: 'mutex', reason: 'mutex m is held by a' });
    expect(report.organizations[0]?.outcome).toMatchObject({ faults: [{ code: 'POLICIES_UNREADABLE' }] });
  });

  it('reads agreements where only a gate is missing, and agreements open it', async () => {
    const world = upgradeWorld(
      organization(member('a', {}, { version: '4.18.4', channel: 'stable-4.19' }), member('b')),
    );
    const scheduler = scheduled([world]);
    const gated = await scheduler.pass(minutes(11 * 24 * 60));
    expect(rowOf(gated, 'a')).toMatchObject({
      ...{ action: 'agree-gates', gate: 'version-gate', to: '4.19.1' },
      reason: 'not agreed for 4.19: api.openshift.com/gate-ocp',
    });
    expect(named('listAgreements').map(({ args }) => args)).toEqual([['a-id']]);
    world.createAgreement('a-id', { version_gate: { id: 'gate-ocp' } });
    expect(outcomes(await scheduler.pass(minutes(11 * 24 * 60 + 5)))).toEqual(['upgrade a-id done']);
  });
});

describe('an upgrade that was asked for', () => {
  const pair = () => organization(member('a', { mutexes: 'm' }), member('b', { mutexes: 'm' }));

  it.each([
    { given: 'it arrived', act: true },
    { given: 'it never arrived', act: false },
  ])('counts as taken while nobody knows, if $given', async ({ act: arrives }) => {
    const world = upgradeWorld(pair());
    let lost = 0;
    const lose = instead('createPolicy', (_, act) => {
      lost += 1;
      if (lost > 1) return act();
      if (arrives) act();
      return { outcome: 'unconfirmed', reason: 'no answer in time' };
    });
    const scheduler = scheduled([world], { intercept: () => lose });
    expect(outcomes(await scheduler.pass())).toEqual(['upgrade a-id unconfirmed']);
    expect(outcomes(await scheduler.pass(minutes(5)))).toEqual([]);
    expect(outcomes(await scheduler.pass(minutes(14)))).toEqual([]);
    const later = outcomes(await scheduler.pass(minutes(15)));
    expect(later).toEqual(arrives ? [] : ['upgrade a-id done']);
    expect(policies(world)).toEqual(['a-id 4.18.3']);
  });

  it('counts as taken although OCM does not show it yet', async () => {
    const world = upgradeWorld(pair());
    const blind = instead('listPolicies', () => ({ items: [], problems: [] }));
    const scheduler = scheduled([world], { intercept: () => blind });
    expect(outcomes(await scheduler.pass())).toEqual(['upgrade a-id done']);
    expect(outcomes(await scheduler.pass(minutes(5)))).toEqual([]);
  });

  it('counts as taken for a scheduler that takes over after a crash', async () => {
    const world = upgradeWorld(pair());
    const first = scheduled([world]);
    let asked = 0;
    const crash = (): boolean => {
      asked += 1;
      return asked === 1;
    };
    expect(outcomes(await first.pass(undefined, { mayWrite: crash }))).toEqual(['upgrade a-id skipped']);
    const second = scheduled([world], { store: first.store });
    expect(outcomes(await second.pass(minutes(5)))).toEqual([]);
    expect(outcomes(await second.pass(minutes(15)))).toEqual(['upgrade a-id done']);
  });

  it.each([
    { given: 'OCM refuses it', answer: refuse, came: 'refused' },
    {
      given: 'it fails',
      answer: () => {
        throw new Error('no connection');
      },
      came: 'failed',
    },
  ])('is free again at once when $given', async ({ answer, came }) => {
    const world = upgradeWorld(pair());
    let asked = 0;
    const once = instead('createPolicy', (_, act) => {
      asked += 1;
      return asked === 1 ? answer() : act();
    });
    const scheduler = scheduled([world], { intercept: () => once });
    expect(outcomes(await scheduler.pass())).toEqual([`upgrade a-id ${came}`]);
    expect(outcomes(await scheduler.pass(minutes(1)))).toEqual(['upgrade a-id done']);
  });

  it('takes no other with it when it fails', async () => {
    const world = upgradeWorld(organization(member('a'), member('b'), member('c')));
    const fail = instead('createPolicy', ({ args: [target] }, act) => {
      if ((target as { clusterId: string }).clusterId === 'b-id') throw new Error('no connection');
      return act();
    });
    const report = await scheduled([world], { intercept: () => fail }).pass();
    expect(outcomes(report)).toEqual(['upgrade a-id done', 'upgrade b-id failed', 'upgrade c-id done']);
  });

  it('names the gates that OCM misses when it refuses', async () => {
    const gates = [{ id: 'gate-new', version: '4.19', label: 'example.com/gate-new' }];
    const world = upgradeWorld(organization(member('a', {}, { version: '4.18.4', channel: 'stable-4.19' })), { gates });
    const report = await scheduled([world]).pass(minutes(11 * 24 * 60));
    expect(report.organizations[0]?.results).toMatchObject([
      { outcome: 'refused', reason: expect.stringContaining('(missing: example.com/gate-new for 4.19)') },
    ]);
  });

  it('is cancelled when its version becomes blocked, and those of others are not', async () => {
    const world = upgradeWorld(organization(member('a', { schedule: '0 12 * * *' }), member('b', { 'soak-days': 9 })));
    const body = { schedule_type: 'manual', version: '4.18.3', next_run: minutes(120).toISOString() };
    world.createPolicy({ kind: 'cluster', clusterId: 'b-id' }, body);
    const scheduler = scheduled([world]);
    expect(outcomes(await scheduler.pass())).toEqual(['upgrade a-id done']);
    world.blockVersions('org-1', ['^4\\.18\\.3$']);
    expect(outcomes(await scheduler.pass(minutes(20)))).toEqual(['cancel a-id done']);
    expect(policies(world)).toEqual(['b-id 4.18.3']);
  });

  it('frees its mutexes at once when it is cancelled', async () => {
    const mutexes = 'm';
    const late = member('b', { mutexes, 'soak-days': 0, schedule: '30 10 * * *' });
    const world = upgradeWorld(organization(member('a', { mutexes, schedule: '0 12 * * *' }), late));
    const scheduler = scheduled([world]);
    expect(outcomes(await scheduler.pass())).toEqual(['upgrade a-id done']);
    world.blockVersions('org-1', ['^4\\.18\\.3$']);
    expect(outcomes(await scheduler.pass(minutes(2)))).toEqual(['cancel a-id done']);
    expect(outcomes(await scheduler.pass(minutes(3)))).toEqual(['upgrade a-id done']);
    expect(policies(world)).toEqual(['a-id 4.18.2']);
  });

  it('is still known as ours after its organization was stopped for a while', async () => {
    const world = upgradeWorld(organization(member('a', { schedule: '0 12 * * *' })));
    const scheduler = scheduled([world]);
    expect(outcomes(await scheduler.pass())).toEqual(['upgrade a-id done']);
    world.blockVersions('org-1', ['(']);
    expect(outcomes(await scheduler.pass(minutes(30)))).toEqual([]);
    world.blockVersions('org-1', ['^4\\.18\\.3$']);
    expect(outcomes(await scheduler.pass(minutes(40)))).toEqual(['cancel a-id done']);
  });
});

describe('the history', () => {
  it('is kept for each environment and organization', async () => {
    const environments = ['one', 'two'].map((name) => ({
      name,
      organizations: [{ id: `org-${name}`, name, clusters: [member(`c-${name}`)] }],
    }));

    const worlds = [...createWorlds(parseFleet({ ...fleetParts(), environments })).values()];
    const store = memoryStateStore();
    await scheduled(worlds, { store }).pass();
    expect(store.keys().toSorted()).toEqual([
      'advanced-upgrade-scheduler/one/org-one',
      'advanced-upgrade-scheduler/two/org-two',
    ]);
  });

  it('that is corrupt stops its organization, stays as it is, and stops no other', async () => {
    const world = upgradeWorld([
      { id: 'org-1', clusters: [member('a')] },
      { id: 'org-2', clusters: [member('b')] },
    ]);
    const store = memoryStateStore();
    await store.write(KEY, new TextEncoder().encode('{"check_in": "2026-0'), 'absent');
    const report = await scheduled([world], { store }).pass();
    expect(outcomes(report)).toEqual(['upgrade b-id done']);
    expect(report.organizations.map(({ outcome }) => outcome)).toMatchObject([
      { orgId: 'org-1', skipped: [{ code: 'STATE_CORRUPT' }] },
      { orgId: 'org-2' },
    ]);
    expect(await storedText(store)).toBe('{"check_in": "2026-0');
  });

  it('of the existing scheduler goes on', async () => {
    const world = upgradeWorld(organization(member('a', {}, { version: '4.18.3' }), member('b', { 'soak-days': 7 })));
    const store = memoryStateStore();
    const existing = {
      check_in: '2026-03-02T09:50:00Z',
      stats: { min_version: '4.18.1', min_version_per_workload: { wl: '4.18.1' } },
      versions: { '4.18.3': { workloads: { wl: { reporting: ['a'], soak_days: 7.25 } } } },
    };
    await store.write(KEY, new TextEncoder().encode(JSON.stringify(existing)), 'absent');
    const report = await scheduled([world], { store }).pass();
    expect(outcomes(report)).toEqual(['upgrade b-id done']);
    expect(JSON.parse(await storedText(store))).toMatchObject({
      versions: { '4.18.3': { workloads: { wl: { soak_days: 7.25 } } } },
    });
  });

  it('that cannot be written leaves everything as it is', async () => {
    const world = upgradeWorld(organization(member('a')));
    const store: StateStore = {
      ...memoryStateStore(),
      write: async () => {
        throw new Error('the bucket is gone');
      },
    };
    const report = await scheduled([world], { store }).pass();
    expect(report.organizations).toMatchObject([{ faults: [{ message: 'the bucket is gone' }], results: [] }]);
    expect(writes()).toEqual([]);
  });

  it('is decided on anew when another scheduler was faster, and never overwritten: promise U2 holds for both', async () => {
    const world = upgradeWorld(organization(member('a', { mutexes: 'm' }), member('b', { mutexes: 'm' })));
    const shared = memoryStateStore();
    const other = scheduled([world], { store: shared });
    let raced = false;
    const store: StateStore = {
      ...shared,
      write: async (key, value, expected) => {
        if (!raced) {
          raced = true;
          expect(outcomes(await other.pass())).toEqual(['upgrade a-id done']);
        }
        return shared.write(key, value, expected);
      },
    };
    const blind = instead('listPolicies', () => ({ items: [], problems: [] }));
    const report = await scheduled([world], { store, intercept: () => blind }).pass();
    expect(outcomes(report)).toEqual([]);
    expect(policies(world)).toEqual(['a-id 4.18.3']);
  });

  it('gives up after losing the race again and again, and has done nothing', async () => {
    const world = upgradeWorld(organization(member('a')));
    const store: StateStore = { ...memoryStateStore(), write: async () => 'lost-race' };
    const report = await scheduled([world], { store }).pass();
    expect(report.organizations).toMatchObject([{ faults: [{ code: 'STATE_RACE_LOST' }], results: [] }]);
    expect(writes()).toEqual([]);
  });
});

function fleetParts() {
  const releases = [{ version: '4.18.{n}', from: 1, count: 3, at: 'day -40', every: '1d' }];
  return { start: '2026-03-02T10:00:00Z', timing: {}, versions: { releases } };
}

describe('an environment that cannot be reached', () => {
  it('is told, and the others go on', async () => {
    const environments = ['one', 'two'].map((name) => ({
      name,
      organizations: [{ id: `org-${name}`, name, clusters: [member(`c-${name}`)] }],
    }));
    const worlds = [...createWorlds(parseFleet({ ...fleetParts(), environments })).values()];
    const down = instead('listLabels', () => {
      throw new Error('no route to host');
    });
    const report = await scheduled(worlds, {
      intercept: (environment) => (environment === 'one' ? down : (_, act) => act()),
    }).pass();
    expect(report.environments).toMatchObject([
      { name: 'one', fault: { message: 'no route to host' } },
      { name: 'two' },
    ]);
    expect(outcomes(report)).toEqual(['upgrade c-two-id done']);
  });
});

describe('being told to end', () => {
  it('ends with the reason', async () => {
    const world = upgradeWorld(organization(member('a')));
    const stop = new AbortController();
    const told = instead('listClusters', (_, act) => {
      stop.abort(new Error('shutting down'));
      return act();
    });
    await expect(
      scheduled([world], { intercept: () => told }).pass(undefined, { signal: stop.signal }),
    ).rejects.toThrow('shutting down');
    expect(writes()).toEqual([]);
  });
});
