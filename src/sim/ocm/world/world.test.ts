import * as fc from 'fast-check';
import { compare } from 'semver';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/property.ts';
import { CLASSIC, create, manual, refusal } from '../../../../test/support/sim-ocm-requests.ts';
import { minute, START, smallFleet, smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import { parseFleet } from '../fleet/read-fleet.ts';
import { HOUR, MINUTE } from '../instants.ts';
import type { PolicyTarget } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import { isOver } from './policy-timeline.ts';
import { createWorld, createWorlds, type World } from './world.ts';

describe('what a fleet file announces', () => {
  const events = [
    { at: 'day 1', cluster: 'classic', health: 'unhealthy' },
    { at: 'day 1 06:00', cluster: 'classic', state: 'hibernating', aus: { 'soak-days': null, sector: 'main' } },
    { at: 'day 2', cluster: 'hosted', status: 'Stale' },
    { at: 'day 3', organization: 'First', aus: { 'blocked-versions': '^4' } },
    { at: 'day 4', cluster: 'hosted', remove: true },
  ];
  const seen = (world: World, day: number) => {
    world.advanceTo(new Date(Date.parse(START) + day * 24 * HOUR));
    return world;
  };

  it('happens when its time comes', () => {
    const world = smallWorld({ events });
    expect(seen(world, 0.99).getCluster('c1').health_state).toBe('healthy');
    expect(seen(world, 1).getCluster('c1')).toMatchObject({ health_state: 'unhealthy', state: 'ready' });
    expect(seen(world, 1.25).getCluster('c1').state).toBe('hibernating');
    const { subscriptionId } = world.cluster('classic');
    const labels = world.listOwnerLabels({ type: 'Subscription', id: subscriptionId }).items;
    expect(labels.map(({ key, value }) => [key.split('.').at(-1), value])).toEqual([
      ['workloads', 'w'],
      ['sector', 'main'],
    ]);
    const hosted = world.cluster('hosted').subscriptionId;
    expect(seen(world, 2).getSubscription(hosted).status).toBe('Stale');
    expect(seen(world, 3).listLabels({ search: "key like '%blocked%'" }).total).toBe(1);
    expect(refusal(() => seen(world, 4).getCluster('h1'))?.status).toBe(404);
    expect(world.getSubscription(hosted)).toMatchObject({ status: 'Deprovisioned', metrics: [] });
    expect(world.listNodePools.bind(world, 'h1')).toThrow(SimOcmError);
  });

  it('happens in one leap as in small ones', () => {
    const [leap, walk] = [smallWorld({ events }), smallWorld({ events })];
    for (let day = 0; day <= 5; day += 0.25) seen(walk, day);
    seen(leap, 5);
    expect(leap.listClusters({ order: 'id' }).items).toEqual(walk.listClusters({ order: 'id' }).items);
  });
});

describe('the hand of the owner', () => {
  it('sets labels, health and states, and blocks, releases and withdraws versions', () => {
    const world = smallWorld();
    world.setPolicyLabels('classic', { schedule: '0 * * * *' });
    world.blockVersions('org-1', ['^4\\.18\\.4$', '^4\\.19\\.']);
    world.setHealth('hosted', 'unhealthy');
    world.releaseVersion('4.18.7', ['stable']);
    world.withdrawVersion('4.18.4');
    expect(world.listLabels({ search: "value like '^4%' or value = '0 * * * *'" }).total).toBe(2);
    expect(world.unhealthyClusters().map(({ id }) => id)).toEqual(['h1']);
    expect(world.getCluster('c1').version.available_upgrades).toEqual(['4.18.5', '4.18.7']);
    world.blockVersions('org-1', []);
    expect(world.listLabels({ search: "value like '^4%'" }).total).toBe(0);
  });

  it('finds clusters by id, external id and name, and says when there is none', () => {
    const world = smallWorld();
    const { externalId } = world.cluster('c1');
    expect([world.cluster(externalId).id, world.cluster('classic').id]).toEqual(['c1', 'c1']);
    expect(() => world.cluster('none')).toThrow('test: no cluster is named none');
    expect(world.targetOf('hosted')).toEqual({ kind: 'control_plane', clusterId: 'h1' });
  });
});

describe('a cluster', () => {
  it('that joins later is found like the others', () => {
    const [world, other] = [smallWorld(), parseFleet(smallFleet())];
    const [first] = other.environments[0]?.organizations[0]?.clusters ?? [];
    if (first === undefined) throw new Error('the small fleet has clusters');
    const joined = { ...first, id: 'c2', uuid: 'u2', name: 'late', subscriptionId: 's2' };
    world.addCluster('org-1', joined);
    expect(world.listClusters({ search: "subscription.id = 's2'" }).items.map(({ name }) => name)).toEqual(['late']);
    expect(world.listLabels({ search: "subscription_id = 's2'" }).total).toBe(2);
  });
});

describe('time', () => {
  it('does not run backwards', () => {
    const world = smallWorld();
    world.advanceTo(new Date(minute(10)));
    world.advanceTo(new Date(minute(5)));
    expect(world.now()).toEqual(new Date(minute(10)));
    expect(() => world.advanceTo(new Date('never'))).toThrow(RangeError);
  });

  it('can be looked back at', () => {
    const world = smallWorld();
    create(world, CLASSIC, manual('4.18.5'));
    world.advanceTo(new Date(minute(120)));
    world.setLabel({ type: 'Organization', id: 'org-1' }, 'k', 'v');
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.5');
    const past = world.asOf(new Date(minute(50)));
    expect(past.getCluster('c1').version.raw_id).toBe('4.18.3');
    expect(past.listPolicies(CLASSIC).total).toBe(1);
    expect(past.listLabels({ search: "key = 'k'" }).total).toBe(0);
    expect(world.listLabels({ search: "key = 'k'" }).total).toBe(1);
  });

  it('tells when something will happen next', () => {
    const world = smallWorld();
    expect(world.nextChange()).toBeUndefined();
    create(world, CLASSIC, manual('4.18.5'));
    expect(world.nextChange()).toEqual(new Date(minute(1)));
  });
});

describe('worlds', () => {
  it('of a fleet are one for each environment', () => {
    const two = ['a', 'b'].map((name) => ({ name, organizations: [{ id: `org-${name}`, name }] }));
    const worlds = createWorlds(parseFleet(smallFleet({ environments: two })));
    expect([...worlds.keys()]).toEqual(['a', 'b']);
    expect(
      worlds
        .get('b')
        ?.listOrganizations()
        .items.map(({ id }) => id),
    ).toEqual(['org-b']);
  });

  it('need an environment that there is', () => {
    expect(() => createWorld(parseFleet(smallFleet()), 1, { environment: 'x' })).toThrow('no environment x');
  });
});

/** Something somebody does to a fleet, as numbers that any world can make sense of. */
const deed = fc.record({
  cluster: fc.nat(5),
  version: fc.nat(9),
  lead: fc.integer({ min: 3, max: 120 }),
  pause: fc.integer({ min: 0, max: 300 }),
  what: fc.constantFrom('create', 'create', 'create', 'delete', 'move', 'sleep', 'wake', 'pool'),
});
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

function busyFleet() {
  const clusters = [
    { name: 'c{n}', count: 3, version: '4.18.1', product: 'osd' },
    { name: 'h{n}', count: 3, version: '4.18.1', hosted: true, node_pools: [{ name: 'np', version: '4.17.2' }] },
  ];
  const timing = { classic: '30m..3h', schedule: '5s..4m' };
  const environments = [{ name: 'test', organizations: [{ id: 'o', name: 'O', clusters }] }];
  return parseFleet(smallFleet({ environments, timing, outcomes: { delayed: 0.2, failed: 0.2 } }));
}

type Doing = (world: World, id: string, target: PolicyTarget, deed: { version: number; next_run: string }) => unknown;

const DOINGS: Readonly<Record<Deed['what'], Doing>> = {
  create: (world, id, target, { version, next_run }) => {
    const offered = world.getCluster(id).version.available_upgrades;
    return world.createPolicy(target, {
      schedule_type: 'manual',
      version: offered[version % offered.length],
      next_run,
    });
  },
  pool: (world, id, _, { next_run }) => {
    const pool: PolicyTarget = { kind: 'node_pool', clusterId: id, nodePool: 'np' };
    return world.createPolicy(pool, { schedule_type: 'manual', version: world.cluster(id).version, next_run });
  },
  delete: (world, _, target) => world.deletePolicy(target, world.listPolicies(target).items[0]?.id ?? ''),
  move: (world, _, target, { next_run }) =>
    world.patchPolicy(target, world.listPolicies(target).items[0]?.id ?? '', { next_run }),
  sleep: (world, id) => world.setClusterState(id, 'hibernating'),
  wake: (world, id) => world.setClusterState(id, 'ready'),
};

function act(world: World, { cluster, version, lead, pause, what }: Deed): void {
  world.advanceTo(new Date(world.now().getTime() + pause * MINUTE));
  const id = [...world.state.clusters.all()][cluster]?.id ?? '';
  const next_run = new Date(world.now().getTime() + lead * MINUTE).toISOString();
  refusal(() => DOINGS[what](world, id, world.targetOf(id), { version, next_run }));
}

function summary(world: World): unknown[] {
  const { clusters, nodePools, policies, logs } = world.state;
  return [[...clusters.all()], [...nodePools.all()], [...policies.all()], [...logs.all()]];
}

describe('whatever is done to a fleet', () => {
  const fleet = busyFleet();
  const deeds = fc.array(deed, { maxLength: 40 });

  it('one target has at most one policy that is not over, no version goes back, and every upgrade ends', () => {
    holds(
      fc.property(deeds, (all) => {
        const world = createWorld(fleet, 7);
        let before = [...world.state.clusters.all()];
        for (const each of all) {
          act(world, each);
          const open = [...world.state.policies.all()].filter(({ state }) => !isOver(state)).map(({ slot }) => slot);
          expect(new Set(open).size).toBe(open.length);
          const now = [...world.state.clusters.all()];
          for (const [index, { version }] of now.entries())
            expect(compare(version, before[index]?.version ?? version)).not.toBe(-1);
          before = now;
        }
        world.advanceTo(new Date(world.now().getTime() + 24 * HOUR));
        expect(world.state.policies.size).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('the same deeds and seed give the same world', () => {
    holds(
      fc.property(deeds, fc.nat(), (all, seed) => {
        const [one, other] = [createWorld(fleet, seed), createWorld(fleet, seed)];
        for (const each of all) act(one, each);
        for (const each of all) act(other, each);
        expect(summary(one)).toEqual(summary(other));
      }),
      { numRuns: 30 },
    );
  });
});
