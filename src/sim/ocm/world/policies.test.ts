import { describe, expect, it } from 'vitest';
import {
  automatic,
  CLASSIC,
  create,
  HOSTED,
  manual,
  POOL,
  refusal,
} from '../../../../test/support/sim-ocm-requests.ts';
import { minute, smallWorld } from '../../../../test/support/sim-ocm-small-fleet.ts';
import type { PolicyTarget } from '../model.ts';
import type { World } from './world.ts';

/** The state at each of some minutes; `-` when there is no policy. */
function states(world: World, target: PolicyTarget, minutes: readonly number[]): string[] {
  return minutes.map((each) => {
    world.advanceTo(new Date(minute(each)));
    const [policy] = world.listPolicies(target).items;
    return policy === undefined ? '-' : world.getPolicyState(target, policy.id).value;
  });
}

describe('an upgrade', () => {
  it.each([
    { of: CLASSIC, to: '4.18.5', ends: 100, gone: 105 },
    { of: HOSTED, to: '4.18.5', ends: 40, gone: 45 },
    { of: POOL, to: '4.18.3', ends: 30, gone: 35 },
  ])('of a $of.kind goes its way', ({ of, to, ends, gone }) => {
    const world = smallWorld();
    create(world, of, manual(to));
    expect(states(world, of, [0, 1, 9, 10, ends - 1, ends, gone - 1, gone])).toEqual([
      'pending',
      'scheduled',
      'scheduled',
      'started',
      'started',
      'completed',
      'completed',
      '-',
    ]);
  });

  it('of a classic cluster changes its version, upgrades and service logs', () => {
    const world = smallWorld();
    create(world, CLASSIC, manual('4.18.4'));
    world.advanceTo(new Date(minute(99)));
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.3');
    world.advanceTo(new Date(minute(100)));
    expect(world.getCluster('c1')).toMatchObject({
      openshift_version: '4.18.4',
      version: { id: 'openshift-v4.18.4', raw_id: '4.18.4', available_upgrades: ['4.18.5'] },
    });
    const logs = world.listClusterLogs({ clusterId: 'c1' }, { search: "log_type = 'Cluster Updates'" }).items;
    expect(logs.map(({ summary }) => summary)).toEqual(['Upgrade to 4.18.4 started', 'Upgrade to 4.18.4 completed']);
  });

  it('of a control plane leaves the node pools where they are', () => {
    const world = smallWorld();
    create(world, HOSTED, manual('4.18.5'));
    world.advanceTo(new Date(minute(60)));
    expect(world.getCluster('h1').version.raw_id).toBe('4.18.5');
    const pools = world
      .listNodePools('h1')
      .items.map(({ id, version }) => [id, version.raw_id, version.available_upgrades]);
    expect(pools).toEqual([
      ['np1', '4.18.3', ['4.18.4', '4.18.5']],
      ['np2', '4.18.1', ['4.18.2', '4.18.3', '4.18.4', '4.18.5']],
    ]);
  });

  it('of a node pool changes only that', () => {
    const world = smallWorld();
    create(world, POOL, manual('4.18.3'));
    world.advanceTo(new Date(minute(60)));
    expect(world.listNodePools('h1').items.map(({ version }) => version.raw_id)).toEqual(['4.18.3', '4.18.3']);
    expect(world.getCluster('h1').version.raw_id).toBe('4.18.3');
  });

  it.each([
    { outcomes: { delayed: 1 }, at: [10, 39, 40, 130, 220], seen: ['started', 'started', 'delayed', 'delayed', '-'] },
    { outcomes: { failed: 1 }, at: [40, 129, 130, 189, 190], seen: ['delayed', 'delayed', 'failed', 'failed', '-'] },
  ])('with $outcomes is seen as $seen', ({ outcomes, at, seen }) => {
    const world = smallWorld({ outcomes });
    create(world, CLASSIC, manual('4.18.5'));
    expect(states(world, CLASSIC, at)).toEqual(seen);
  });

  it('that fails leaves the version', () => {
    const world = smallWorld({ outcomes: { failed: 1 } });
    create(world, CLASSIC, manual('4.18.5'));
    world.advanceTo(new Date(minute(300)));
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.3');
  });

  it('of a cluster that is not ready when its time comes fails', () => {
    const world = smallWorld();
    create(world, CLASSIC, manual('4.18.5'));
    world.setClusterState('c1', 'hibernating');
    expect(states(world, CLASSIC, [10, 40, 130])).toEqual(['started', 'delayed', 'failed']);
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.3');
  });

  it('of a cluster that is removed is gone with it', () => {
    const world = smallWorld();
    create(world, CLASSIC, manual('4.18.5'));
    world.removeCluster('c1');
    world.advanceTo(new Date(minute(300)));
    expect(world.state.policies.size).toBe(0);
    expect(refusal(() => world.listPolicies(CLASSIC))).toMatchObject({
      status: 404,
      message: "Cluster 'c1' not found",
    });
  });

  it('goes the same way in small steps and in one', () => {
    const ends = [1, 7, 1440].map((step) => {
      const world = smallWorld({ outcomes: { delayed: 0.5 }, timing: {} });
      create(world, CLASSIC, manual('4.18.5'));
      create(world, HOSTED, manual('4.18.4'));
      for (let at = step; at <= 1440; at += step) world.advanceTo(new Date(minute(at)));
      world.advanceTo(new Date(minute(1440)));
      return [...world.state.logs.all()].map(({ createdAt, summary }) => [createdAt, summary]);
    });
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[2]).toEqual(ends[0]);
  });
});

describe('a policy is refused', () => {
  it.each([
    {
      given: 'less than five minutes ahead',
      target: CLASSIC,
      body: manual('4.18.5', 4.99),
      says: 'Cannot set upgrade to start earlier than 5 minutes from now',
    },
    {
      given: 'a version that is not offered',
      target: CLASSIC,
      body: manual('4.18.9'),
      says: "Version '4.18.9' is not an available upgrade of cluster 'c1'",
    },
    { given: 'the version it has', target: CLASSIC, body: manual('4.18.3'), says: 'not an available upgrade' },
    {
      given: 'no version',
      target: CLASSIC,
      body: { schedule_type: 'manual', next_run: minute(10) },
      says: "needs a 'version'",
    },
    {
      given: 'no time',
      target: CLASSIC,
      body: { schedule_type: 'manual', version: '4.18.5' },
      says: "needs a 'next_run'",
    },
    {
      given: 'no date',
      target: CLASSIC,
      body: { ...manual('4.18.5'), next_run: 'soon' },
      says: "Invalid value for field 'next_run'",
    },
    {
      given: 'no schedule type',
      target: CLASSIC,
      body: { version: '4.18.5', next_run: minute(10) },
      says: "Schedule type ''",
    },
    {
      given: 'a schedule without one',
      target: CLASSIC,
      body: { schedule_type: 'automatic' },
      says: "needs a 'schedule'",
    },
    {
      given: 'a schedule and a version',
      target: CLASSIC,
      body: { ...automatic('0 1 * * *'), version: '4.18.5' },
      says: "cannot have a 'version'",
    },
    {
      given: 'a schedule that is none',
      target: CLASSIC,
      body: automatic('never'),
      says: 'not a valid cron expression',
    },
    {
      given: 'a wrong type',
      target: CLASSIC,
      body: { ...manual('4.18.5'), upgrade_type: 'NodePool' },
      says: "Upgrade type 'NodePool'",
    },
    {
      given: 'a number as version',
      target: CLASSIC,
      body: { ...manual('4.18.5'), version: 4 },
      says: "Invalid value for field 'version'",
    },
    {
      given: 'a classic policy of a hosted cluster',
      target: { kind: 'cluster', clusterId: 'h1' },
      body: manual('4.18.5'),
      says: 'no upgrade policies of this kind',
    },
    {
      given: 'a hosted policy of a classic cluster',
      target: { kind: 'control_plane', clusterId: 'c1' },
      body: manual('4.18.5'),
      says: 'no upgrade policies of this kind',
    },
    {
      given: 'a pool ahead of its control plane',
      target: POOL,
      body: manual('4.18.5'),
      says: "not an available upgrade of node pool 'np2'",
    },
  ] as const)('with $given', ({ target, body, says }) => {
    const world = smallWorld();
    const error = refusal(() => world.createPolicy(target, body));
    expect(error).toMatchObject({ status: 400, code: 'CLUSTERS-MGMT-400' });
    expect(error?.message).toContain(says);
    expect(world.state.policies.size).toBe(0);
  });

  it.each([
    { target: { kind: 'cluster', clusterId: 'none' }, says: "Cluster 'none' not found" },
    { target: { ...POOL, nodePool: 'none' }, says: "Node pool with id 'none' not found." },
  ] as const)('because $says', ({ target, says }) => {
    expect(refusal(() => smallWorld().createPolicy(target, manual('4.18.5')))).toMatchObject({
      status: 404,
      message: says,
    });
  });

  it('while another is not over, and allowed as soon as that is deleted', () => {
    const world = smallWorld();
    const first = create(world, CLASSIC, manual('4.18.5'));
    expect(refusal(() => world.createPolicy(CLASSIC, manual('4.18.4')))?.message).toContain(
      'There is already an upgrade policy',
    );
    world.deletePolicy(CLASSIC, first.id);
    expect(create(world, CLASSIC, manual('4.18.4')).version).toBe('4.18.4');
  });

  it('not because another one failed', () => {
    const world = smallWorld({ outcomes: { failed: 1 } });
    create(world, CLASSIC, manual('4.18.5'));
    world.advanceTo(new Date(minute(140)));
    create(world, CLASSIC, manual('4.18.4', 150));
    expect(world.listPolicies(CLASSIC).items.map(({ version }) => version)).toEqual(['4.18.4']);
  });

  it('of a cluster that is not ready', () => {
    const world = smallWorld();
    world.setClusterState('c1', 'hibernating');
    expect(refusal(() => world.createPolicy(CLASSIC, manual('4.18.5')))?.message).toContain("in state 'hibernating'");
  });

  it('while a hosted control plane settles', () => {
    const world = smallWorld();
    create(world, HOSTED, manual('4.18.4'));
    world.advanceTo(new Date(minute(41)));
    const again = () => world.createPolicy(HOSTED, manual('4.18.5', 60));
    expect(refusal(again)?.message).toBe(
      'An update is already in progress and the details are in the Progressing condition',
    );
    world.advanceTo(new Date(minute(42)));
    expect(refusal(again)).toBeUndefined();
  });

  it('for somebody who may only look', () => {
    const viewer = { id: 'v', username: 'v', role: 'viewer', organizationId: 'org-1' } as const;
    expect(refusal(() => smallWorld().as(viewer).createPolicy(CLASSIC, manual('4.18.5')))?.status).toBe(403);
  });
});

describe('a policy', () => {
  it('exactly five minutes ahead is taken', () => {
    expect(create(smallWorld(), CLASSIC, manual('4.18.5', 5)).next_run).toBe(minute(5));
  });

  it('of a classic cluster has its state beside it', () => {
    const world = smallWorld();
    const policy = create(world, CLASSIC, manual('4.18.5'));
    expect(policy).toMatchObject({
      kind: 'UpgradePolicy',
      upgrade_type: 'OSD',
      cluster_id: 'c1',
      schedule_type: 'manual',
    });
    expect(policy).not.toHaveProperty('state');
    expect(policy).not.toHaveProperty('schedule');
    expect(world.getPolicyState(CLASSIC, policy.id)).toMatchObject({
      value: 'pending',
      description: 'Upgrade policy defined, pending scheduling.',
    });
  });

  it.each([
    { target: HOSTED, kind: 'ControlPlaneUpgradePolicy', upgrade_type: 'ControlPlane', version: '4.18.5' },
    { target: POOL, kind: 'NodePoolUpgradePolicy', upgrade_type: 'NodePool', version: '4.18.3' },
  ])('of a $target.kind carries its state', ({ target, kind, upgrade_type, version }) => {
    const body = { ...manual(version), upgrade_type, cluster_id: 'h1' };
    expect(create(smallWorld(), target, body)).toMatchObject({ kind, upgrade_type, state: { value: 'pending' } });
  });

  it.each([
    { body: manual('4.18.5'), is: undefined },
    { body: { version: '4.18.5', schedule_type: 'manual' }, is: undefined },
    { body: manual('4.18.9'), is: 400 },
  ])('asked for only to see is $is, and is not made', ({ body, is }) => {
    const world = smallWorld();
    expect(refusal(() => expect(world.createPolicy(CLASSIC, body, true)).toBeUndefined())?.status).toBe(is);
    expect(world.state.policies.size).toBe(0);
  });

  it('can be moved before it starts and not after', () => {
    const world = smallWorld();
    const { id } = create(world, CLASSIC, manual('4.18.5'));
    world.advanceTo(new Date(minute(5)));
    expect(world.patchPolicy(CLASSIC, id, { next_run: minute(20) }).next_run).toBe(minute(20));
    expect(states(world, CLASSIC, [5, 10, 20])).toEqual(['pending', 'scheduled', 'started']);
    const says = `Upgrade policy '${id}' is in 'started' state and cannot be updated`;
    expect(refusal(() => world.patchPolicy(CLASSIC, id, { next_run: minute(40) }))?.message).toBe(says);
    expect(refusal(() => world.deletePolicy(CLASSIC, id))?.message).toBe(says);
  });

  it('cannot be moved too near', () => {
    const world = smallWorld();
    const { id } = create(world, CLASSIC, manual('4.18.5'));
    expect(refusal(() => world.patchPolicy(CLASSIC, id, { next_run: minute(2) }))?.status).toBe(400);
  });

  it('belongs to its target', () => {
    const world = smallWorld();
    const { id } = create(world, POOL, manual('4.18.3'));
    expect(refusal(() => world.getPolicy({ ...POOL, nodePool: 'np1' }, id))?.status).toBe(404);
    expect(refusal(() => world.getPolicy(HOSTED, id))?.status).toBe(404);
  });

  it('can be cancelled by support, and driven by the operator of the cluster', () => {
    const world = smallWorld();
    const { id } = create(world, CLASSIC, manual('4.18.5'));
    expect(refusal(() => world.patchPolicyState(CLASSIC, id, { value: 'completed' }))?.status).toBe(400);
    expect(refusal(() => world.patchPolicyState(CLASSIC, id, { value: 'odd' }))?.status).toBe(400);
    world.advanceTo(new Date(minute(10)));
    world.patchPolicyState(CLASSIC, id, { value: 'completed', description: 'early' });
    expect(world.getPolicyState(CLASSIC, id)).toMatchObject({ value: 'completed', description: 'early' });
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.5');
    expect(states(world, CLASSIC, [14, 15])).toEqual(['completed', '-']);
  });

  it('that is cancelled upgrades nothing', () => {
    const world = smallWorld();
    const { id } = create(world, CLASSIC, manual('4.18.5'));
    world.patchPolicyState(CLASSIC, id, { value: 'cancelled' });
    world.advanceTo(new Date(minute(200)));
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.3');
    expect(world.listPolicies(CLASSIC).total).toBe(0);
  });
});

describe('an automatic policy', () => {
  it('goes to the newest of its minor, again and again', () => {
    const world = smallWorld();
    const { id } = create(world, CLASSIC, automatic('0 1 * * *'));
    expect(world.getPolicy(CLASSIC, id)).toMatchObject({
      version: '4.18.5',
      next_run: minute(60),
      schedule: '0 1 * * *',
    });
    world.advanceTo(new Date(minute(60 + 90 + 5)));
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.5');
    expect(world.getPolicy(CLASSIC, id)).toMatchObject({ version: '', next_run: minute(25 * 60) });
    expect(world.getPolicyState(CLASSIC, id).value).toBe('pending');
    world.advanceTo(new Date('2026-03-09T00:00:00Z'));
    expect(world.getCluster('c1').version.raw_id).toBe('4.18.6');
    expect(world.listPolicies(CLASSIC).items.map((policy) => policy.id)).toEqual([id]);
  });

  it.each([
    { enable_minor_version_upgrades: false, version: '4.18.6' },
    { enable_minor_version_upgrades: true, version: '4.19.1' },
  ])(
    'with $enable_minor_version_upgrades for minors goes to $version',
    ({ enable_minor_version_upgrades, version }) => {
      const world = smallWorld({ gates: [] });
      world.advanceTo(new Date(minute(11 * 1440)));
      world.patchCluster('c1', { channel: 'stable-4.19' });
      const body = { ...automatic('0 1 * * *'), enable_minor_version_upgrades };
      expect(create(world, CLASSIC, body)).toMatchObject({ version, enable_minor_version_upgrades });
    },
  );

  it('of the fleet file is there from the beginning', () => {
    const clusters = [{ name: 'c', id: 'c1', version: '4.18.3', policy: { schedule: '0 1 * * *' } }];
    const world = smallWorld({ environments: [{ name: 'test', organizations: [{ id: 'o', name: 'O', clusters }] }] });
    expect(world.listPolicies(CLASSIC).items).toMatchObject([{ schedule_type: 'automatic', version: '4.18.5' }]);
  });
});
