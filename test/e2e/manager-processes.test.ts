import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../src/runtime/index.ts';
import {
  type Account,
  accepted,
  CLUSTER,
  DONE,
  type Fleet,
  type ManagerWorld,
  pathOf,
  requestsOf,
  sayings,
  startManagerWorld,
} from '../support/manager-e2e.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env['ECHELON_SEED'] || Math.floor(Math.random() * 2 ** 31));
const KILLS = 50;
/** Of the change that is interrupted: two for each object that is taken over. */
const WRITES = 12;
const HEALTH = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];

const SHARDS = (shards: number, ...shardSpecOverrides: object[]) => ({
  sharding: { strategy: 'static', shards, shardSpecOverrides },
});

describe.skipIf(skipRealKube)('processes of a manager on a real cluster', () => {
  let world: ManagerWorld;
  /** Reaches the cluster by the token that the instance refers to. */
  let byToken: { readonly account: Account; readonly flags: string[]; readonly env: Record<string, string> };
  beforeAll(async () => {
    world = await startManagerWorld();
    const account = await world.newAccount('by-token');
    const secrets = join(world.folder, 'secrets');
    mkdirSync(join(secrets, 'clusters', CLUSTER), { recursive: true });
    writeFileSync(join(secrets, 'clusters', CLUSTER, 'token'), account.token);
    const authority = join(world.folder, 'ca.crt');
    writeFileSync(authority, world.kube.ca);
    byToken = {
      ...{ account, flags: ['--secrets-dir', secrets] },
      env: { KUBECONFIG: '', NODE_EXTRA_CA_CERTS: authority },
    };
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  const imageOf = async (fleet: Fleet, name: string): Promise<string> =>
    JSON.stringify((await fleet.object('Deployment', name)).spec).match(/reconcile:([\w-]+)/)![1]!;

  it('of which one holds the lease and writes; the others do when it dies or loses it', async () => {
    const [one, two] = [await world.newAccount('one'), await world.newAccount('two')];
    const fleet = await world.fleet('leased');
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${fleet.namespace}/leases/manager`;
    const place = ['--lease', `${CLUSTER}/${fleet.namespace}/manager`];
    const start = (as: Account) =>
      fleet.start('run integrations-manager', ['--poll', '1s', '--resync', '1s', ...HEALTH, ...place], { as });
    const declare = (imageRef: string): void =>
      fleet.integration('a', SHARDS(2, { shard: 0, imageRef }, { shard: 1, imageRef }));
    const reached = (tag: string): Promise<boolean> =>
      until(async () => (await imageOf(fleet, 'qontract-reconcile-a-1')) === tag, {
        timeoutSeconds: 90,
        what: `shard 1 has the image ${tag}`,
      });
    const says = (running: { stdout(): string }, text: string, times = 1): Promise<boolean> =>
      until(() => running.stdout().split(text).length > times, { timeoutSeconds: 60, what: `it says "${text}"` });
    const hold = (holderIdentity: string) =>
      world.kube.admin('PATCH', lease, { spec: { holderIdentity } }, 'application/merge-patch+json');

    declare('v1');
    const first = start(one);
    await says(first, 'lease acquired');
    const second = start(two);
    await says(second, 'waiting for the lease');
    const beginning = world.mark();
    declare('v2');
    await reached('v2');
    expect(requestsOf(accepted(world.writes(beginning, one))).sort()).toEqual([
      'patch deployments qontract-reconcile-a-0',
      'patch deployments qontract-reconcile-a-1',
    ]);
    expect(requestsOf(world.writes(0, two))).toEqual([]);

    first.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    const killed = world.mark();
    declare('v3');
    await says(second, 'lease acquired');
    await reached('v3');
    expect(requestsOf(world.writes(killed, one))).toEqual([]);

    await hold('somebody-else');
    await says(second, 'lease lost, going to standby');
    const lost = world.mark();
    declare('v4');
    const looks = () => world.kube.auditSince(lost).filter(({ user, verb }) => user === two.user && verb === 'get');
    await until(() => looks().length >= 3, { timeoutSeconds: 60, what: 'it asks for the lease again and again' });
    expect(requestsOf(world.writes(lost, two))).toEqual([]);
    expect(await imageOf(fleet, 'qontract-reconcile-a-1')).toBe('v3');
    await hold('');
    await reached('v4');

    second.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect((await world.kube.harness('GET', lease)).body.spec?.['holderIdentity'] ?? '').toBe('');
  });

  it('hold a lease in a cluster that is reached by the token of the instance', async () => {
    const fleet = await world.fleet('lease-by-token');
    fleet.integration('a');
    const place = ['--lease', `${CLUSTER}/${fleet.namespace}/manager`];
    const running = fleet.start(
      'run integrations-manager',
      ['--run-once', ...HEALTH, ...place, ...byToken.flags],
      byToken,
    );
    const end = await running.ended;
    expect([end, running.stderr()]).toEqual([0, '']);
    expect(await fleet.objects()).toHaveLength(2);
  });

  describe(`S5: killed at ${KILLS} moments (ECHELON_SEED=${SEED})`, () => {
    const legacy = ['qontract-reconcile-legacy-0', 'qontract-reconcile-legacy-1'];

    /** Two states of the same instance: from one to the other something is created, changed, taken over and deleted. */
    const declare = (fleet: Fleet, state: 'x' | 'y'): void => {
      const overrides = [0, 1, 2].map((shard) => ({ shard, imageRef: state }));
      fleet.integration('a', SHARDS(5, ...overrides));
      fleet.integration('legacy', SHARDS(2));
      fleet.integration('cron', { spec: { cron: state === 'x' ? '0 0 1 1 *' : '0 1 1 1 *' } });
      fleet.integration('stateful', { spec: { cache: true, storage: '1Gi', storageClassName: 'fast' } });
      fleet.integration(`only-${state}`, SHARDS(2));
      fleet.unmanaged(`only-${state === 'x' ? 'y' : 'x'}`);
    };

    /** As another manager had it, with a variable of its own. */
    async function asBefore(fleet: Fleet): Promise<void> {
      for (const name of legacy) {
        const { metadata, spec } = await fleet.object('Deployment', name);
        const { labels, annotations } = metadata as Record<string, Record<string, string>>;
        const copy = structuredClone(spec) as { template: { spec: { containers: { env: object[] }[] } } };
        copy.template.spec.containers[0]!.env.push({ name: 'OLD', value: 'x' });
        const without = (prefix: RegExp, map: Record<string, string> = {}): object =>
          Object.fromEntries(Object.entries(map).filter(([key]) => !prefix.test(key)));
        await world.kube.harness('DELETE', pathOf('Deployment', fleet.namespace, name));
        const made = await world.kube.harness(
          'POST',
          `${pathOf('Deployment', fleet.namespace)}?fieldManager=kubectl-client-side-apply`,
          {
            ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: copy },
            metadata: { name, labels: without(/^echelon/, labels), annotations: without(/^deployment/, annotations) },
          },
        );
        expect(made.status).toBe(201);
      }
    }

    const ownersOf = ({ metadata }: KubeBody): string[] =>
      metadata!
        .managedFields!.filter(({ manager }) => manager !== 'kube-controller-manager')
        .map(({ manager, operation }) => `${manager} ${operation}`);

    async function stateOf(fleet: Fleet): Promise<object> {
      const objects = await fleet.objects();
      return { said: sayings(objects), owners: objects.map(ownersOf) };
    }

    const done = (mark: number, account: Account): number =>
      world.writes(mark, account).filter(({ code = 0 }) => code < 300).length;

    /** Starts a process and kills it when so many writes of it are answered; before the first, when it has asked anything. */
    async function killedAfter(fleet: Fleet, writes: number, random: Random): Promise<number | string> {
      const command = random() < 0.5 ? 'manager apply --yes' : `run integrations-manager --run-once --no-lease`;
      const concurrency = ['--concurrency', random() < 0.5 ? '1' : '10'];
      const flags = ['--adopt-templates', ...concurrency, ...(command.startsWith('run') ? HEALTH : [])];
      const mark = world.mark();
      const running = fleet.start(command, [...flags, ...byToken.flags], byToken);
      let end: number | string | undefined;
      void running.ended.then((how) => {
        end = how;
      });
      const isDue = (): boolean => {
        const asked = (): boolean => world.kube.auditSince(mark).some(({ user }) => user === byToken.account.user);
        return end !== undefined || (writes === 0 ? asked() : done(mark, byToken.account) >= writes);
      };
      await until(isDue, { timeoutSeconds: 60, what: `the process has written ${writes} times`, everyMs: 4 });
      running.kill('SIGKILL');
      return running.ended;
    }

    it('reaches the same state after a restart as without', async () => {
      const random = seededRandom(SEED);
      const fleet = await world.fleet('crashes');
      const flags = ['--yes', '--adopt-templates'];
      const apply = async (): Promise<void> => expect(await fleet.run('manager apply', flags)).toMatchObject(DONE);
      declare(fleet, 'y');
      await apply();
      const undisturbed = {} as Record<'x' | 'y', object>;
      for (const state of ['x', 'y'] as const) {
        await asBefore(fleet);
        declare(fleet, state);
        const mark = world.mark();
        await apply();
        expect(done(mark, world.account)).toBe(WRITES);
        undisturbed[state] = await stateOf(fleet);
      }
      const ends: (number | string)[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const state = kill % 2 === 0 ? 'x' : 'y';
        await asBefore(fleet);
        declare(fleet, state);
        const after = Math.floor(random() * WRITES);
        ends.push(await killedAfter(fleet, after, random));
        await apply();
        expect({ kill, after, ...(await stateOf(fleet)) }).toEqual({ kill, after, ...undisturbed[state] });
      }
      expect(ends.filter((end) => end === 'SIGKILL').length).toBeGreaterThan(KILLS / 2);
    });
  });

  it('X1: never shows a secret', () => {
    const { outputs, with: leaking } = world.leaks();
    expect(outputs).toBeGreaterThan(KILLS);
    expect(leaking).toEqual([]);
  });
});
