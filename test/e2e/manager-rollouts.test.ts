import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER, type ManagerWorld, RESOURCE_SPEC, type Running, startManagerWorld } from '../support/manager-e2e.ts';
import { toldSeed } from '../support/property.ts';
import { type AuditEvent, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { type RealPrometheus, startRealPrometheus } from '../support/real-prometheus.ts';
import { type RolloutFleet, rolloutFleet, SOAK_SECONDS, shardOf } from '../support/rollouts-e2e.ts';
import { until } from '../support/until.ts';

const SHARDS = ['0', '1', '2', '3', '4'];
const all = (tag: string, others = {}): Record<string, string> => ({
  ...Object.fromEntries(SHARDS.map((shard) => [shard, tag])),
  ...others,
});

describe.skipIf(skipRealKube)('rollouts on a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
    await world.kube.startNodes();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  const killed = async (running: Running): Promise<void> => {
    running.kill('SIGKILL');
    expect(await running.ended).toBe('SIGKILL');
  };

  /** Accepted writes to the shards by anybody who manages, in the order in which they were answered. */
  const writesTo = ({ audit }: RolloutFleet, mark: number): AuditEvent[] => {
    const since = new Set(world.kube.auditSince(mark));
    return audit().filter((event) => since.has(event) && event.verb === 'patch' && event.code === 200);
  };
  const shardsOf = (events: readonly AuditEvent[]): string[] => events.map(({ name }) => shardOf(name));

  /** Seconds from the end of the last write of one wave to the beginning of the first of the next. */
  const between = (before: readonly AuditEvent[], after: readonly AuditEvent[]): number =>
    (Math.min(...after.map(({ received }) => Date.parse(received))) -
      Math.max(...before.map(({ answered }) => Date.parse(answered)))) /
    1000;

  /** R1, by the times of the server: canary, two of five, the rest. A write is in its log shortly after its answer. */
  const inOrder = async (rollout: RolloutFleet, mark: number): Promise<readonly AuditEvent[]> => {
    const isLogged = (): boolean => writesTo(rollout, mark).length >= SHARDS.length;
    await until(isLogged, { timeoutSeconds: 30, what: 'every write is in the audit log' });
    const writes = writesTo(rollout, mark);
    expect(shardsOf(writes.slice(0, 1))).toEqual(['0']);
    expect(shardsOf(writes).sort()).toEqual(SHARDS);
    const waves = [writes.slice(0, 1), writes.slice(1, 3), writes.slice(3)] as const;
    expect(between(waves[0], waves[1])).toBeGreaterThanOrEqual(SOAK_SECONDS);
    expect(between(waves[1], waves[2])).toBeGreaterThanOrEqual(SOAK_SECONDS);
    return writes;
  };

  it.concurrent('R1: an image goes through its waves in order, each after the soak of the one before; then S4', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'good', onTestFinished);
    const manager = await rollout.manager('one');
    const mark = world.mark();
    rollout.promote('v2');
    manager.start(['--no-lease', '--resync', '1s']);
    await manager.moved(5);
    await inOrder(rollout, mark);
    expect(await rollout.images()).toEqual(all('v2'));
    expect(new Set(manager.writes().filter((write) => !write.includes('-a-')))).toEqual(
      new Set(['POST configmaps', 'PUT echelon-rollouts']),
    );
    const { stdout } = await rollout.fleet.run('manager plan', rollout.record);
    expect(stdout).not.toContain('hold');
    await manager.quiet(4);
    expect(manager.moves()).toHaveLength(5);
  });

  it.concurrent.for([
    { image: 'never becomes ready', tag: 'v2-broken' },
    { image: 'crashes', tag: 'v2-crashing' },
  ])('R3: an image that $image is halted in the first wave and taken back', async ({ tag }, { onTestFinished }) => {
    const rollout = await rolloutFleet(world, tag, onTestFinished);
    const manager = await rollout.manager('one');
    rollout.promote(tag);
    manager.start();
    await manager.moved(2);
    await manager.quiet(4);
    expect(manager.moves()).toEqual([
      { shard: '0', tag },
      { shard: '0', tag: 'v1' },
    ]);
    expect(await rollout.images()).toEqual(all('v1'));
  });

  describe.concurrent('D2: a canary that takes an image which never becomes ready', () => {
    /** Only what is done by hand can fail the image. */
    const PATIENT = { health: { progressDeadline: '1h', queries: [] } };
    const statusOf = async ({ fleet, record }: RolloutFleet): Promise<string> =>
      (await fleet.run('rollout status', record)).stdout;

    it.for([
      {
        done: 'scaled to 0',
        verb: ['scale'],
        args: ['--replicas=0'],
        says: 'it was stopped before it soaked: scaled to 0',
      },
      { done: 'paused', verb: ['rollout', 'pause'], args: [], says: 'it was stopped before it soaked: paused' },
      { done: 'deleted', verb: ['delete'], args: [], says: 'it was deleted before it soaked' },
    ])('and is $done halts it, and the next wave does not get it', async ({ done, verb, args, says }, context) => {
      const name = `by-hand-${done.replaceAll(' ', '-')}`;
      const rollout = await rolloutFleet(world, name, context.onTestFinished);
      rollout.declare({ ...PATIENT, onFailure: 'halt' });
      const manager = await rollout.manager('one');
      rollout.promote('v2-broken');
      manager.start();
      await manager.moved(1);
      await rollout.kubectl(verb, '0', args);
      // More than the soak of the canary.
      await manager.passes(2 * SOAK_SECONDS);
      expect(manager.moves()).toEqual([{ shard: '0', tag: 'v2-broken' }]);
      const { 0: canary, ...others } = await rollout.images();
      expect({ canary, ...others }).toEqual({
        ...{ canary: done === 'deleted' ? undefined : 'v2-broken' },
        ...{ 1: 'v1', 2: 'v1', 3: 'v1', 4: 'v1' },
      });
      expect(await statusOf(rollout)).toContain(`halted: a/0 on v2-broken: ${says}`);
    });

    it('and is scaled to 0 is taken back, stays at 0, and starts on the good image', async ({ onTestFinished }) => {
      const rollout = await rolloutFleet(world, 'by-hand-returned', onTestFinished);
      rollout.declare(PATIENT);
      const manager = await rollout.manager('one');
      rollout.promote('v2-broken');
      manager.start();
      await manager.moved(1);
      await rollout.kubectl(['scale'], '0', ['--replicas=0']);
      await manager.moved(2);
      await manager.passes(2);
      const { spec } = await rollout.fleet.object('Deployment', 'qontract-reconcile-a-0');
      expect([spec?.['replicas'], await rollout.images()]).toEqual([0, all('v1')]);
      await rollout.kubectl(['scale'], '0', ['--replicas=1']);
      await manager.quiet(3);
      expect(manager.moves()).toEqual([
        { shard: '0', tag: 'v2-broken' },
        { shard: '0', tag: 'v1' },
      ]);
    });
  });

  describe.concurrent('R6: killed', () => {
    it('after it announced a move, moves nothing that is rejected by then', async ({ onTestFinished }) => {
      const rollout = await rolloutFleet(world, 'announced', onTestFinished);
      const [first, second] = [await rollout.manager('one'), await rollout.manager('two')];
      const stored = first.proxy.hold({ method: ['POST', 'PUT'], path: /\/configmaps/ }, 'the way back');
      rollout.promote('v2');
      const loop = first.start();
      await stored.arrived();
      await killed(loop);
      const at = new Date().toISOString();
      rollout.declare({}, { overrules: [{ track: 'all', image: 'v2', action: 'reject', at, reason: 'test' }] });
      second.start();
      await second.passes(3);
      expect([first.moves(), second.moves()]).toEqual([[], []]);
      rollout.declare();
      await second.moved(1);
      expect(second.moves()).toEqual([{ shard: '0', tag: 'v2' }]);
    });

    it('while it moves a shard, leaves the move to the next, and the late write is refused', async ({
      onTestFinished,
    }) => {
      const rollout = await rolloutFleet(world, 'moving', onTestFinished);
      const [first, second] = [await rollout.manager('one'), await rollout.manager('two')];
      const late = first.proxy.hold({ method: 'PATCH', path: /\/deployments\// });
      const mark = world.mark();
      rollout.promote('v2');
      const loop = first.start();
      await late.arrived();
      await killed(loop);
      second.start();
      await second.moved(1);
      await late.release();
      expect(late.held.map(({ status }) => status)).toEqual([409]);
      await second.moved(5);
      await inOrder(rollout, mark);
    });

    it('R2: after it moved a shard, soaks it from zero and moves it once', async ({ onTestFinished }) => {
      const rollout = await rolloutFleet(world, 'moved', onTestFinished);
      const [first, second] = [await rollout.manager('one'), await rollout.manager('two')];
      const unanswered = first.proxy.hold({ method: 'PATCH', path: /\/deployments\// }, 'the way back');
      const mark = world.mark();
      rollout.promote('v2');
      const loop = first.start();
      await unanswered.arrived();
      await killed(loop);
      const restarted = new Date().toISOString();
      second.start();
      await second.moved(4);
      const writes = await inOrder(rollout, mark);
      const [one] = writes as [AuditEvent];
      expect(between([{ ...one, answered: restarted }], writes.slice(1))).toBeGreaterThanOrEqual(SOAK_SECONDS);
    });

    it('at random requests again and again, moves every shard once and in its wave', async ({ onTestFinished }) => {
      const rollout = await rolloutFleet(world, 'random', onTestFinished);
      const manager = await rollout.manager('one');
      const where = fc.constantFrom('lost', 'late', 'unanswered');
      const kills = fc.sample(fc.tuple(fc.integer({ min: 1, max: 90 }), where), { seed: toldSeed(), numRuns: 4 });
      const mark = world.mark();
      rollout.promote('v2');
      for (const [nth, point] of kills) {
        const held = manager.proxy.hold({ nth }, point === 'unanswered' ? 'the way back' : 'the way there');
        const loop = manager.start();
        // Once all have moved there may be no more requests.
        const isReached = (): boolean => held.held.length > 0 || manager.moves().length === SHARDS.length;
        await until(isReached, { timeoutSeconds: 120, what: `request ${nth}` });
        await killed(loop);
        if (point === 'lost') held.reset();
        else await held.release();
      }
      manager.start();
      await manager.moved(SHARDS.length);
      await manager.quiet(3);
      await inOrder(rollout, mark);
      expect(await rollout.images()).toEqual(all('v2'));
    });

    it('while it takes an image back, is followed by one that takes it back', async ({ onTestFinished }) => {
      const rollout = await rolloutFleet(world, 'returning', onTestFinished);
      const [first, second] = [await rollout.manager('one'), await rollout.manager('two')];
      const back = first.proxy.hold({ method: 'PATCH', path: /\/deployments\//, nth: 2 });
      rollout.promote('v2-broken');
      const loop = first.start();
      await back.arrived();
      await killed(loop);
      second.start();
      await second.moved(1);
      await second.quiet(3);
      expect(first.moves()).toEqual([{ shard: '0', tag: 'v2-broken' }]);
      expect(second.moves()).toEqual([{ shard: '0', tag: 'v1' }]);
      expect(await rollout.images()).toEqual(all('v1'));
    });
  });

  it.concurrent('R4: nothing moves forward in a freeze, but an image is taken back', async ({ onTestFinished }) => {
    const rollout = await rolloutFleet(world, 'frozen', onTestFinished);
    const health = { progressDeadline: '8s', queries: [] };
    const freeze = { name: 'now', from: '2020-01-01T00:00:00Z', until: '2120-01-01T00:00:00Z', reason: 'r' };
    rollout.declare({ health });
    const manager = await rollout.manager('one');
    rollout.promote('v2-broken');
    manager.start();
    await manager.moved(1);
    rollout.declare({ health }, { freezes: [freeze] });
    await manager.moved(2);
    rollout.promote('v3');
    await manager.passes(4);
    expect(manager.moves()).toEqual([
      { shard: '0', tag: 'v2-broken' },
      { shard: '0', tag: 'v1' },
    ]);
    rollout.declare({ health });
    await manager.moved(3);
    expect(manager.moves().slice(2)).toEqual([{ shard: '0', tag: 'v3' }]);
  });

  it.concurrent('R5: a pin wins in the middle of a rollout, and stays when it completes', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'pinned', onTestFinished);
    const manager = await rollout.manager('one');
    rollout.promote('v2');
    manager.start();
    await manager.moved(1);
    const shardSpecOverrides = [{ shard: 2, imageRef: 'v9' }];
    rollout.fleet.integration('a', { sharding: { strategy: 'static', shards: 5, shardSpecOverrides } });
    await manager.moved(5);
    await manager.quiet(3);
    expect(manager.moves().filter(({ shard }) => shard === '2')).toEqual([{ shard: '2', tag: 'v9' }]);
    expect(await rollout.images()).toEqual(all('v2', { 2: 'v9' }));
  });

  it.concurrent('A4: of two managers only the one that holds the lease moves, and the other goes on after it', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'leased', onTestFinished);
    const [one, two] = [await rollout.manager('one'), await rollout.manager('two')];
    const lease = ['--lease', `${CLUSTER}/${rollout.fleet.namespace}/manager`];
    const says = (running: Running, text: string): Promise<boolean> =>
      until(() => running.stdout().includes(text), { timeoutSeconds: 60, what: `it says "${text}"` });
    const leader = one.start(lease);
    await says(leader, '"pass completed"');
    const other = two.start(lease);
    await says(other, 'waiting for the lease');
    const mark = world.mark();
    rollout.promote('v2');
    await one.moved(1);
    expect(two.writes()).toEqual([]);
    leader.kill('SIGTERM');
    expect(await leader.ended).toBe(0);
    const done = one.moves().length;
    await two.moved(5 - done);
    await inOrder(rollout, mark);
  });

  it.concurrent('A4: apply moves nothing without the lease, nor after it lost it, and its late writes are refused', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'applied', onTestFinished);
    rollout.declare({ waves: [{ name: 'canary', shards: ['0', '1'], soak: '10m' }, { name: 'rest' }] });
    const [first, second] = [await rollout.manager('one'), await rollout.manager('two')];
    const place = `${rollout.fleet.namespace}/manager`;
    const path = `/apis/coordination.k8s.io/v1/namespaces/${rollout.fleet.namespace}/leases/manager`;
    const holdBy = (holderIdentity: string) =>
      world.kube.harness('PATCH', path, { spec: { holderIdentity } }, 'application/merge-patch+json');
    rollout.promote('v2');
    const flags = ['--yes', ...rollout.record];
    const without = await rollout.fleet.run('manager apply', flags, { as: first.account });
    expect({ code: without.code, images: await rollout.images() }).toEqual({ code: 0, images: all('v1') });

    const late = first.proxy.hold({ method: 'PATCH', path: /\/deployments\//, times: 2 });
    const leased = [...flags, '--lease', `${CLUSTER}/${place}`];
    const applying = rollout.fleet.start('manager apply', leased, { as: first.account });
    await late.arrived(2);
    await holdBy('somebody-else');
    expect(await applying.ended).toBe(1);
    expect(await rollout.images()).toEqual(all('v1'));

    await holdBy('');
    second.start(['--lease', `${CLUSTER}/${place}`]);
    await second.moved(2);
    await late.release();
    expect(late.held.map(({ status }) => status)).toEqual([409, 409]);
    await second.quiet(3);
    expect([first.moves(), await rollout.images()]).toEqual([[], all('v1', { 0: 'v2', 1: 'v2' })]);
  });

  it.concurrent('A5: after its record was lost, an image soaks from zero and nothing moves back', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'lost', onTestFinished);
    const manager = await rollout.manager('one');
    const mark = world.mark();
    rollout.promote('v2');
    manager.start();
    await manager.moved(1);
    const path = `/api/v1/namespaces/${rollout.fleet.namespace}/configmaps/echelon-rollouts`;
    expect((await world.kube.harness('DELETE', path)).status).toBe(200);
    const lost = new Date().toISOString();
    await manager.moved(5);
    await manager.quiet(3);
    expect(new Set(manager.moves().map(({ tag }) => tag))).toEqual(new Set(['v2']));
    const writes = await inOrder(rollout, mark);
    const [one] = writes as [AuditEvent];
    expect(between([{ ...one, answered: lost }], writes.slice(1))).toBeGreaterThanOrEqual(SOAK_SECONDS);
  });

  it.concurrent('A1: a held shard takes what is not of its image, with its live image', async ({ onTestFinished }) => {
    const rollout = await rolloutFleet(world, 'held', onTestFinished);
    rollout.declare({ waves: [{ name: 'canary', shards: ['0'], soak: '1h' }, { name: 'rest' }] });
    const manager = await rollout.manager('one');
    rollout.promote('v2');
    manager.start();
    await manager.moved(1);
    const resources = { ...RESOURCE_SPEC.resources, requests: { cpu: '20m', memory: '64Mi' } };
    rollout.fleet.integration('a', {
      spec: { resources, extraEnv: [{ name: 'NEW', value: 'x' }] },
      sharding: { strategy: 'static', shards: 5, shardSpecOverrides: [{ shard: 1, disabled: true }] },
    });
    await manager.moved(6);
    expect(
      manager
        .moves()
        .slice(1)
        .sort((a, b) => (a.shard < b.shard ? -1 : 1)),
    ).toEqual(SHARDS.map((shard) => ({ shard, tag: shard === '0' ? 'v2' : 'v1' })));
    await manager.quiet(3);
    expect(manager.moves()).toHaveLength(6);
    const specs = await Promise.all(
      ['0', '1', '2'].map(async (shard) => {
        const { spec } = await rollout.fleet.object('Deployment', `qontract-reconcile-a-${shard}`);
        const text = JSON.stringify(spec);
        return [spec?.['replicas'], text.includes('"cpu":"20m"'), text.includes('"NEW"')];
      }),
    );
    expect(specs).toEqual([
      [1, true, true],
      [0, true, false],
      [1, true, false],
    ]);
  });

  describe.concurrent('with a Prometheus', () => {
    const QUERY = {
      name: 'errors',
      promql: 'max(last_run_status{image="$image",pod=~"($pods).*|any"})',
      expect: { max: 0 },
    };
    const HEALTH = { progressDeadline: '1h', queries: ['errors'] };

    /** One that knows how runs of an image ended: 0 is well. */
    async function prometheusWith(statuses: Readonly<Record<string, number>>): Promise<RealPrometheus> {
      return startRealPrometheus(
        Object.entries(statuses).map(([image, value]) => ({
          ...{ name: 'last_run_status', labels: { image, pod: 'any' }, value },
        })),
      );
    }

    it('D5: a query that is wrong halts an image, and it is taken back; one as expected soaks', async ({
      onTestFinished,
    }) => {
      const rollout = await rolloutFleet(world, 'queried', onTestFinished);
      rollout.declare({ health: HEALTH }, { queries: [QUERY] });
      const manager = await rollout.manager('one');
      const { spec } = await rollout.fleet.object('Deployment', 'qontract-reconcile-a-0');
      const [, repository] = JSON.stringify(spec).match(/"image":"([^"]+):v1"/)!;
      const statuses = { [`${repository}:v1`]: 0, [`${repository}:v2`]: 0, [`${repository}:v3`]: 1 };
      const prometheus = await prometheusWith(statuses);
      onTestFinished(() => prometheus.stop());
      rollout.promote('v2');
      manager.start(['--no-lease', '--prometheus', prometheus.url]);
      await manager.moved(5);
      await manager.quiet(1);
      rollout.promote('v3');
      await manager.moved(7);
      await manager.quiet(3);
      expect(manager.moves().slice(5)).toEqual([
        { shard: '0', tag: 'v3' },
        { shard: '0', tag: 'v2' },
      ]);
      expect(await rollout.images()).toEqual(all('v2'));
    });

    it('that is not given, nothing moves, and the plan says why', async ({ onTestFinished }) => {
      const rollout = await rolloutFleet(world, 'unqueried', onTestFinished);
      rollout.declare({ health: HEALTH }, { queries: [QUERY] });
      const manager = await rollout.manager('one');
      rollout.promote('v2');
      manager.start();
      await manager.quiet(3);
      expect(manager.moves()).toEqual([]);
      const { stdout } = await rollout.fleet.run('manager plan', rollout.record);
      expect(stdout).toMatch(/^hold .*qontract-reconcile-a-0 +wave canary: no query can be answered: no Prometheus/m);
    });
  });
});
