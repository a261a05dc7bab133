import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FaultProxy } from '../support/fault-proxy.ts';
import {
  type Account,
  type Fleet,
  type ManagerWorld,
  pathOf,
  type Running,
  startManagerWorld,
} from '../support/manager-e2e.ts';
import { REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { until } from '../support/until.ts';

const HEALTH = ['--metrics-port', '0', '--metrics-host', '127.0.0.1', '--no-lease'];
const SHARDS = 40;
const WATCHES = {
  where: ({ query }: { query: Readonly<Record<string, string>> }) => query['watch'] === '1',
  times: Number.POSITIVE_INFINITY,
};

describe.skipIf(skipRealKube)('a loop that watches a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld({ controllerManager: false });
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  async function startLoop(name: string, as: Account, args: readonly string[]): Promise<Fleet & { loop: Running }> {
    const fleet = await world.fleet(name);
    fleet.integration('a', { sharding: { strategy: 'static', shards: SHARDS } });
    expect((await fleet.run('manager apply', ['--yes'])).code).toBe(0);
    const loop = fleet.start('run integrations-manager', [...HEALTH, '--poll', '1s', ...args], { as });
    onTestFinished(() => loop.kill('SIGKILL'));
    return { ...fleet, loop };
  }
  const passes = ({ loop }: { loop: Running }, reason: string): number =>
    loop.stdout().match(new RegExp(`"reason":"${reason}".*"pass completed"`, 'g'))?.length ?? 0;
  const until1 = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(condition, { what, timeoutSeconds: 60 });
  const lists = (proxy: FaultProxy) => proxy.requests.filter(({ query }) => query['limit'] !== undefined);

  it('reads at most 5 % of the first pass in one without changes, and repairs an edit, a deletion and a foreign object by the next', async () => {
    const as = await world.proxiedAccount('watching');
    const fleet = await startLoop('watching', as, ['--resync', '1h']);
    await until1('the first pass', () => passes(fleet, 'first') === 1);
    await until1('a pass', () => passes(fleet, 'poll') === 1);
    const [first, count, before] = [as.proxy.bytesSent(), lists(as.proxy).length, passes(fleet, 'poll')];
    await until1('five more passes', () => passes(fleet, 'poll') >= before + 5);
    const perPass = (as.proxy.bytesSent() - first) / (passes(fleet, 'poll') - before);
    expect(lists(as.proxy)).toHaveLength(count);
    expect(perPass / first).toBeLessThanOrEqual(0.05);

    const { kube } = world;
    const own = pathOf('Deployment', 'watching', 'qontract-reconcile-a-0');
    const labels = async () => JSON.stringify((await kube.harness('GET', own)).body.metadata?.['labels']);
    const edit = { metadata: { labels: { 'echelon/instance': null } } };
    await kube.harness('PATCH', own, edit, 'application/merge-patch+json');
    await until1('the edit is repaired', async () => (await labels()).includes('echelon/instance'));
    await kube.harness('DELETE', own);
    await until1('it is there again', async () => (await kube.harness('GET', own)).status === 200);
    const { metadata, spec } = (await kube.harness('GET', own)).body;
    const { labels: same, annotations } = metadata as { labels?: object; annotations?: object };
    const foreign = { metadata: { name: 'foreign', labels: same, annotations }, spec };
    expect((await kube.harness('POST', pathOf('Deployment', 'watching'), foreign)).status).toBe(201);
    const gone = pathOf('Deployment', 'watching', 'foreign');
    await until1('the foreign object is deleted', async () => (await kube.harness('GET', gone)).status === 404);
    fleet.loop.kill('SIGTERM');
    expect(await fleet.loop.ended).toBe(0);
    await until1('no connection is left', () => as.proxy.connections() === 0);
  });

  it('finds at the resync what a watch did not report', async () => {
    const as = await world.proxiedAccount('swallowed');
    as.proxy.swallow(WATCHES);
    const fleet = await startLoop('swallowed', as, ['--resync', '6s']);
    await until1('a pass', () => passes(fleet, 'poll') >= 1);
    const own = pathOf('Deployment', 'swallowed', 'qontract-reconcile-a-0');
    await world.kube.harness('DELETE', own);
    const [polls, resyncs] = [passes(fleet, 'poll'), passes(fleet, 'resync')];
    await until1('it is there again', async () => (await world.kube.harness('GET', own)).status === 200);
    await until1('the resync', () => passes(fleet, 'resync') > resyncs);
    expect(fleet.loop.stdout()).toMatch(/"object applied"[^\n]*\n(?:[^\n]*\n)*?[^\n]*"reason":"resync","changed":true/);
    expect(passes(fleet, 'poll')).toBeGreaterThanOrEqual(polls);
  });
});
