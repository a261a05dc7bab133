import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultProxy, WRITES } from '../support/fault-proxy.ts';
import {
  CLUSTER,
  DONE,
  type Fleet,
  type ManagerWorld,
  pathOf,
  type Running,
  startManagerWorld,
} from '../support/manager-e2e.ts';
import { REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { until } from '../support/until.ts';

const ENVIRONMENT = {
  ...{ $schema: '/app-sre/environment-1.yml', name: 'e2e', product: { $ref: '/product.yml' }, servicePhase: 'prod' },
};
const HEALTH = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];
const NAME = 'qontract-reconcile-a';
const EVERY = { times: Number.POSITIVE_INFINITY };
const DEPLOYMENTS = /\/deployments\//;
const LEASES = /\/leases\//;

/** Two replicas with one lease: the leader reaches the API server through a proxy, the other one directly. */
interface Pair {
  readonly fleet: Fleet;
  readonly proxy: FaultProxy;
  readonly other: Running;
  readonly leader: Running;
  declare(tag: string): void;
  /** The other one has taken over, and both shards have this image. */
  takenOver(tag: string): Promise<void>;
  images(): Promise<string[]>;
  /** Writes of the first leader to workloads that the server accepted since the beginning. */
  accepted(): string[];
}

describe.skipIf(skipRealKube)('a write that arrives late', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  const says = (running: Running, text: string): Promise<boolean> =>
    until(() => running.stdout().includes(text), { timeoutSeconds: 180, what: `it says "${text}"` });

  function imagesOf(fleet: Fleet): Promise<string[]> {
    return Promise.all(
      [0, 1].map(async (shard) => {
        const { spec } = await fleet.object('Deployment', `${NAME}-${shard}`);
        return JSON.stringify(spec).match(/reconcile:([\w-]+)/)?.[1] ?? '';
      }),
    );
  }

  /** The first one leads and has applied v1; the other one stands by. */
  async function pair(name: string, pollOfOther = '1s'): Promise<Pair> {
    const fleet = await world.fleet(name);
    const [one, two] = [await world.proxiedAccount(`${name}-one`), await world.newAccount(`${name}-two`)];
    const declare = (imageRef: string): void =>
      fleet.integration('a', {
        sharding: { strategy: 'static', shards: 2, shardSpecOverrides: [0, 1].map((shard) => ({ shard, imageRef })) },
      });
    const place = ['--lease', `${CLUSTER}/${fleet.namespace}/manager`];
    const start = (as: typeof two, poll: string): Running =>
      fleet.start('run integrations-manager', ['--poll', poll, ...HEALTH, ...place], { as });
    const reached = (tag: string): Promise<boolean> =>
      until(async () => (await imagesOf(fleet)).every((image) => image === tag), {
        ...{ timeoutSeconds: 180, what: `both shards have the image ${tag}` },
      });
    declare('v1');
    const leader = start(one, '1s');
    await says(leader, '"pass completed"');
    const other = start(two, pollOfOther);
    await says(other, 'waiting for the lease');
    const before = one.proxy.requests.length;
    return {
      ...{ fleet, proxy: one.proxy, leader, other, declare, images: () => imagesOf(fleet) },
      takenOver: async (tag) => {
        await says(other, 'lease acquired');
        await reached(tag);
      },
      accepted: () =>
        one.proxy.requests
          .slice(before)
          .filter(({ method, path }) => WRITES.includes(method) && !LEASES.test(path))
          .filter(({ status = 0 }) => status >= 200 && status < 300)
          .map(({ method, path }) => `${method} ${path}`),
    };
  }

  it.concurrent('of a leader that was suspended is refused, and none follows', async () => {
    const { proxy, leader, declare, takenOver, images, accepted } = await pair('suspended');
    const late = proxy.hold({ method: 'PATCH', path: new RegExp(`${NAME}-0$`) });
    const lost = proxy.hold({ method: 'PATCH', path: new RegExp(`${NAME}-1$`) });
    declare('v2');
    await Promise.all([late.arrived(), lost.arrived()]);
    leader.kill('SIGSTOP');
    declare('v3');
    await takenOver('v3');
    await late.release();
    expect(late.held.map(({ status }) => status)).toEqual([409]);
    lost.reset();
    leader.kill('SIGCONT');
    await says(leader, 'lease lost, going to standby');
    expect([await images(), accepted()]).toEqual([['v3', 'v3'], []]);
  });

  it.concurrent('of a leader behind a partition is refused, and none follows when that heals', async () => {
    const { proxy, leader, declare, takenOver, images, accepted } = await pair('partitioned');
    const late = proxy.hold({ method: 'PATCH', path: DEPLOYMENTS, times: 2 });
    declare('v2');
    await late.arrived(2);
    const partition = proxy.partition('silent');
    declare('v3');
    await takenOver('v3');
    partition.heal();
    await says(leader, 'lease lost, going to standby');
    await late.release();
    expect(late.held.map(({ status }) => status)).toEqual([409, 409]);
    expect([await images(), accepted()]).toEqual([['v3', 'v3'], []]);
  });

  it.concurrent('of an object that nobody declares any more is carried out, and undone by the second full pass', async () => {
    const { proxy, leader, fleet, other, takenOver, declare } = await pair('created-late', '1h');
    const late = proxy.hold({ method: 'PATCH', path: /qontract-reconcile-late$/ });
    const path = pathOf('Deployment', fleet.namespace, 'qontract-reconcile-late');
    const status = async (): Promise<number> => (await world.kube.harness('GET', path)).status;
    fleet.integration('late');
    await late.arrived();
    leader.kill('SIGSTOP');
    fleet.unmanaged('late');
    declare('v3');
    await takenOver('v3');
    await says(other, '"pass completed"');
    await late.release();
    expect([late.held.map((request) => request.status), await status()]).toEqual([[201], 200]);
    await until(async () => (await status()) === 404, { timeoutSeconds: 180, what: 'the second full pass deletes it' });
    await says(other, '"reason":"second","changed":true');
    leader.kill('SIGKILL');
  });

  it.concurrent('is not sent by a leader in the pause after 503 with Retry-After when that is over', async () => {
    const { proxy, leader, declare, takenOver, images, accepted } = await pair('throttled');
    const busy = { status: 503, headers: { 'retry-after': '30' } };
    const writes = proxy.add({ method: 'PATCH', path: DEPLOYMENTS, ...EVERY }, busy);
    const leases = proxy.add({ path: LEASES, ...EVERY }, busy);
    declare('v2');
    await until(() => writes.struck.length >= 2, { timeoutSeconds: 30, what: 'both writes were refused' });
    declare('v3');
    await takenOver('v3');
    writes.remove();
    leases.remove();
    await says(leader, 'lease lost, going to standby');
    expect([await images(), accepted(), writes.struck.length]).toEqual([['v3', 'v3'], [], 2]);
  });

  const merge = (path: string, body: object) =>
    world.kube.admin('PATCH', `${path}?fieldManager=kubectl-edit`, body, 'application/merge-patch+json');

  it.concurrent('does not delete what another team took over meanwhile', async () => {
    const fleet = await world.fleet('taken-over');
    const as = await world.proxiedAccount('taken-over');
    fleet.integration('a');
    fleet.integration('gone');
    expect((await fleet.run('manager apply', ['--yes'], { as })).code).toBe(0);
    fleet.drop('gone');
    const held = as.proxy.hold({ method: 'DELETE' });
    const applied = fleet.run('manager apply', ['--yes'], { as });
    await held.arrived();
    const path = pathOf('Deployment', fleet.namespace, 'qontract-reconcile-gone');
    const annotations = { 'qontract.integration': 'theirs' };
    expect((await merge(path, { metadata: { annotations } })).status).toBe(200);
    await held.release();
    const { code, stdout, stderr } = await applied;
    expect({ code, said: stdout + stderr }).toEqual({
      code: 1,
      said: expect.stringContaining('changed since the plan was computed; it was not touched'),
    });
    expect((await fleet.object('Deployment', 'qontract-reconcile-gone')).metadata).toMatchObject({ annotations });
  });

  it.concurrent('is repeated when only the status of its object changed meanwhile', async () => {
    const fleet = await world.fleet('reported');
    const as = await world.proxiedAccount('reported');
    fleet.integration('a');
    expect((await fleet.run('manager apply', ['--yes'], { as })).code).toBe(0);
    fleet.write('environment.yml', { ...ENVIRONMENT, parameters: { IMAGE_TAG: 'v2' } });
    const held = as.proxy.hold({ method: 'PATCH', path: DEPLOYMENTS });
    const applied = fleet.run('manager apply', ['--yes'], { as });
    await held.arrived();
    const path = pathOf('Deployment', fleet.namespace, 'qontract-reconcile-a');
    expect((await merge(`${path}/status`, { status: { collisionCount: 1 } })).status).toBe(200);
    await held.release();
    expect(held.held.map(({ status }) => status)).toEqual([409]);
    expect(await applied).toMatchObject(DONE);
    expect(JSON.stringify((await fleet.object('Deployment', 'qontract-reconcile-a')).spec)).toContain('reconcile:v2');
  });
});
