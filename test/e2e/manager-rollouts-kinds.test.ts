import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagerWorld, startManagerWorld } from '../support/manager-e2e.ts';
import { REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { type RolloutFleet, rolloutFleet } from '../support/rollouts-e2e.ts';
import { until } from '../support/until.ts';

const NAME = 'qontract-reconcile-a';
/** Jobs run when a test starts them, as `kubectl create job --from` does. */
const CRON = { kind: 'CronJob', shards: 2, spec: { cron: '0 0 1 1 *' } } as const;

describe.skipIf(skipRealKube)('rollouts of other workloads on a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
    await world.kube.startNodes();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  /** Starts a job of a CronJob, of the template that it has now, and returns when it has ended. */
  async function ranJob({ fleet }: RolloutFleet, name: string, template?: unknown): Promise<unknown> {
    const { metadata, spec } = await fleet.object('CronJob', `${NAME}-0`);
    const owner = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      name: metadata?.name,
      uid: metadata?.uid,
      controller: true,
    };
    const jobs = `/apis/batch/v1/namespaces/${fleet.namespace}/jobs`;
    const { status } = await world.kube.harness('POST', jobs, {
      metadata: { name, ownerReferences: [owner] },
      spec: template ?? jobSpecOf(spec),
    });
    expect(status).toBe(201);
    return until(
      async () => {
        const { body } = await world.kube.harness('GET', `${jobs}/${name}`);
        const { conditions = [] } = (body.status ?? {}) as { conditions?: { type: string; status: string }[] };
        return conditions.find(({ type, status: is }) => is === 'True' && ['Complete', 'Failed'].includes(type))?.type;
      },
      { timeoutSeconds: 60, what: `the job ${name} has ended` },
    );
  }

  const jobSpecOf = (spec: unknown): unknown => (spec as { jobTemplate: { spec: unknown } }).jobTemplate.spec;

  it.concurrent('D5: a CronJob soaks by one succeeded job of the target, not by one of the image before', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'cron', onTestFinished, CRON);
    const manager = await rollout.manager('one');
    const before = jobSpecOf((await rollout.fleet.object('CronJob', `${NAME}-0`)).spec);
    rollout.promote('v2');
    manager.start();
    await manager.moved(1);
    await manager.passes(2);
    expect(await ranJob(rollout, 'before', before)).toBe('Complete');
    await manager.passes(3);
    expect(manager.moves()).toEqual([{ shard: '0', tag: 'v2' }]);
    expect(await ranJob(rollout, 'target')).toBe('Complete');
    await manager.moved(2);
    expect(manager.moves().slice(1)).toEqual([{ shard: '1', tag: 'v2' }]);
  });

  it.concurrent('D5: a job that used up its retries halts the image, and its CronJob is taken back', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'cron-crashing', onTestFinished, CRON);
    const manager = await rollout.manager('one');
    rollout.promote('v2-crashing');
    manager.start();
    await manager.moved(1);
    await manager.passes(2);
    expect(await ranJob(rollout, 'target')).toBe('Failed');
    await manager.moved(2);
    await manager.quiet(3);
    expect(manager.moves()).toEqual([
      { shard: '0', tag: 'v2-crashing' },
      { shard: '0', tag: 'v1' },
    ]);
    const { stdout } = await rollout.fleet.run('rollout status', rollout.record);
    expect(stdout).toContain('halted: a/0 on v2-crashing: a job used up its retries');
  });

  it.concurrent.for([
    { when: 'before its move was announced', isBefore: true, says: /under-way +canary .*; a\/0 is stopped: suspended/ },
    { when: 'after it took the image', isBefore: false, says: /halted: a\/0 on v2: it was stopped .*: suspended/ },
  ])('D2: a CronJob that was suspended $when does not soak, also if a job of it succeeds', async (row, context) => {
    const { isBefore, says } = row;
    const rollout = await rolloutFleet(world, `cron-suspended-${isBefore}`, context.onTestFinished, CRON);
    const suspend = (): Promise<void> => rollout.kubectl(['patch'], '0', ['-p', '{"spec":{"suspend":true}}']);
    rollout.declare({ onFailure: 'halt' });
    const manager = await rollout.manager('one');
    if (isBefore) await suspend();
    rollout.promote('v2');
    manager.start();
    await manager.moved(1);
    if (!isBefore) await suspend();
    expect(await ranJob(rollout, 'target')).toBe('Complete');
    await manager.passes(4);
    expect(manager.moves()).toEqual([{ shard: '0', tag: 'v2' }]);
    const { stdout } = await rollout.fleet.run('rollout status', rollout.record);
    expect(stdout).toMatch(says);
  });

  it.concurrent('R3: an image that crashes after it was ready is halted in the first wave and taken back', async ({
    onTestFinished,
  }) => {
    const rollout = await rolloutFleet(world, 'ailing', onTestFinished, { shards: 2 });
    // Longer than any machine takes until the crash is seen.
    rollout.declare({ waves: [{ name: 'canary', shards: ['0'], soak: '10m' }, { name: 'rest' }] });
    const manager = await rollout.manager('one');
    rollout.promote('v2-ailing');
    manager.start();
    await manager.moved(2);
    await manager.quiet(3);
    expect(manager.moves()).toEqual([
      { shard: '0', tag: 'v2-ailing' },
      { shard: '0', tag: 'v1' },
    ]);
    const { stdout } = await rollout.fleet.run('rollout status', rollout.record);
    expect(stdout).toContain('halted: a/0 on v2-ailing: 14 restarts, more than 1');
  });

  it.concurrent('D8: a StatefulSet that is taken back keeps a pod that never was ready: the alert names what to do, and that helps', async ({
    onTestFinished,
  }) => {
    const options = { kind: 'StatefulSet', shards: 2, spec: { cache: true } } as const;
    const rollout = await rolloutFleet(world, 'stateful', onTestFinished, options);
    const manager = await rollout.manager('one');
    rollout.promote('v2-broken');
    manager.start();
    await manager.moved(2);
    expect(manager.moves()).toEqual([
      { shard: '0', tag: 'v2-broken' },
      { shard: '0', tag: 'v1' },
    ]);
    const status = async (): Promise<string> => (await rollout.fleet.run('rollout status', rollout.record)).stdout;
    const says = (text: RegExp, is: boolean) =>
      until(async () => text.test(await status()) === is, { timeoutSeconds: 60, what: `${is ? '' : 'not '}${text}` });
    const alert = /return-failed: a\/0 on v1: .*a StatefulSet keeps a pod that never was ready: delete the pod/;
    await says(alert, true);
    await world.kube.harness('DELETE', `/api/v1/namespaces/${rollout.fleet.namespace}/pods/${NAME}-0-0`);
    await says(alert, false);
    expect(await status()).toContain('halted: a/0 on v2-broken');
    expect(manager.moves()).toHaveLength(2);
  });
});
