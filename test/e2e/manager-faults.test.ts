import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/runtime/index.ts';
import { disturb } from '../support/disturb.ts';
import {
  CLUSTER,
  clusterFile,
  DONE,
  type Fleet,
  type ManagerWorld,
  namesOf,
  requestsOf,
  startManagerWorld,
} from '../support/manager-e2e.ts';
import { REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { freePorts } from '../support/real-kube-ports.ts';
import { until } from '../support/until.ts';
import { Tally } from '../support/upgrade-simulation-tally.ts';

const SEED = Number(process.env['ECHELON_SEED'] || Math.floor(Math.random() * 2 ** 31));
const SHARDS = (shards: number) => ({ sharding: { strategy: 'static', shards } });

describe.skipIf(skipRealKube)('a manager in trouble on a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  const numbered = (integration: string, shards: number): string[] =>
    Array.from({ length: shards }, (_, index) => `Deployment/qontract-reconcile-${integration}-${index}`).sort();

  it('goes on without a cluster that cannot be reached, and names it', async () => {
    const [closed] = await freePorts(1);
    const server = `https://127.0.0.1:${closed}`;
    const fleet = await world.fleet('half-dark');
    fleet.write('clusters/dark.yml', clusterFile('dark', server));
    fleet.declare('in-the-dark', 'dark');
    fleet.integration('a', SHARDS(2));
    fleet.integration('b', { namespace: 'in-the-dark' });
    const { kube, account } = world;
    const kubeconfig = world.kubeconfig('two', {
      [CLUSTER]: { server: kube.server, ca: kube.ca, token: account.token },
      dark: { server, token: 'a-token-for-the-dark' },
    });
    const ran = await fleet.run('manager apply', ['--yes'], { env: { KUBECONFIG: kubeconfig } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/dark: cannot reach 127\.0\.0\.1:\d+.*\[KUBE_UNREACHABLE\]/);
    expect(ran.stderr).not.toContain(CLUSTER);
    expect(namesOf(await fleet.objects())).toEqual([...numbered('a', 2), 'Service/qontract-reconcile']);
    const status = await fleet.run('manager status', ['-o', 'json'], { env: { KUBECONFIG: kubeconfig } });
    expect(status.code).toBe(1);
    const { items } = JSON.parse(status.stdout) as { items: { cluster: string; state: string; reason?: string }[] };
    expect(items).toHaveLength(3);
    expect(items.filter(({ state }) => state === 'unknown')).toMatchObject([
      { cluster: 'dark', integration: 'b', reason: expect.stringMatching(/^dark: cannot reach/) },
    ]);
  });

  it('goes on without a namespace that does not exist, and names it', async () => {
    const fleet = await world.fleet('half-there');
    fleet.declare('not-there');
    fleet.integration('a', SHARDS(2));
    fleet.integration('b', { namespace: 'not-there' });
    const ran = await fleet.run('manager apply', ['--yes']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/namespaces "not-there" not found.*\[KUBE_NO_NAMESPACE\]/);
    expect(ran.stderr).not.toContain('half-there');
    expect(namesOf(await fleet.objects())).toEqual([...numbered('a', 2), 'Service/qontract-reconcile']);
    await world.createNamespace('not-there');
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect(await world.objects('not-there')).toHaveLength(2);
  });

  it('tells that a token is not accepted, and not the token', async () => {
    const fleet = await world.fleet('refused');
    fleet.integration('a');
    const token = 'a-token-that-nobody-knows';
    const contexts = { [CLUSTER]: { server: world.kube.server, ca: world.kube.ca, token } };
    const env = { KUBECONFIG: world.kubeconfig('refused', contexts) };
    for (const command of ['manager plan', 'manager apply --yes', 'manager diff', 'manager status']) {
      const ran = await fleet.run(command, ['--debug'], { env });
      expect(ran.code).toBe(command === 'manager diff' ? 2 : 1);
      expect(ran.stderr).toMatch(/app-sre-prod-01.*\[KUBE_UNAUTHORIZED\]/);
      expect(ran.stdout + ran.stderr).not.toContain(token);
    }
    expect(await fleet.objects()).toEqual([]);
  });

  it(`converges through an API server that throttles, fails, resets and loses responses (ECHELON_SEED=${SEED})`, async () => {
    const as = await world.proxiedAccount('disturbed');
    const faults = new Tally();
    disturb(as.proxy, { share: 0.4, most: 4, random: seededRandom(SEED), count: (kind) => faults.count(kind) });
    const fleet = await world.fleet('disturbed');
    fleet.integration('a', SHARDS(12));
    fleet.integration('goes', SHARDS(3));
    expect(await fleet.run('manager apply', ['--yes'], { as })).toMatchObject(DONE);
    expect(await fleet.objects()).toHaveLength(16);
    fleet.integration('a', { ...SHARDS(12), spec: { sleepDurationSecs: '60' } });
    fleet.drop('goes');
    expect(await fleet.run('manager apply', ['--yes'], { as })).toMatchObject(DONE);
    expect(namesOf(await fleet.objects())).toEqual([...numbered('a', 12), 'Service/qontract-reconcile']);
    expect(faults.counts().map(([kind]) => kind)).toEqual([
      'failed',
      'reset',
      'response lost',
      'throttled',
      'unavailable',
    ]);
    const mark = world.mark();
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect(requestsOf(world.writes(mark))).toEqual([]);
  });

  it('goes on with a new token when the old one is no longer accepted, without a restart', async () => {
    const { kube } = world;
    const fleet: Fleet = await world.fleet('renewed');
    fleet.integration('a');
    const account = await world.newAccount('renewed');
    const secrets = join(world.folder, 'secrets');
    const [authority, log] = [join(world.folder, 'ca.crt'), join(world.folder, 'manager.log')];
    writeFileSync(authority, kube.ca);
    mkdirSync(join(secrets, 'clusters', CLUSTER), { recursive: true });
    const store = (token: string): void => {
      const file = join(secrets, 'clusters', CLUSTER, 'token');
      writeFileSync(join(world.folder, 'token.new'), token);
      renameSync(join(world.folder, 'token.new'), file);
    };
    store(account.token);
    const flags = [
      '--poll',
      '1s',
      '--resync',
      '1s',
      '--no-lease',
      '--metrics-port',
      '0',
      '--metrics-host',
      '127.0.0.1',
    ];
    const running = fleet.start('run integrations-manager', [...flags, '--secrets-dir', secrets], {
      env: { KUBECONFIG: '', NODE_EXTRA_CA_CERTS: authority, LOG_FILE: log },
    });
    const image = async (): Promise<string> =>
      JSON.stringify((await fleet.object('Deployment', 'qontract-reconcile-a')).spec).match(/reconcile:(\w+)/)![1]!;
    await until(async () => (await image()) === 'v1', { timeoutSeconds: 60, what: 'it is installed' });

    await kube.harness('DELETE', '/api/v1/namespaces/e2e-accounts/serviceaccounts/renewed');
    const refused = (): boolean => running.stdout().includes('KUBE_UNAUTHORIZED');
    await until(refused, { timeoutSeconds: 60, what: 'the old token is refused' });
    fleet.integration('a', {
      sharding: { strategy: 'static', shards: 1, shardSpecOverrides: [{ shard: 0, imageRef: 'v2' }] },
    });
    const fresh = await world.newAccount('renewed');
    expect(fresh.token).not.toBe(account.token);
    expect(await image()).toBe('v1');
    store(fresh.token);
    await until(async () => (await image()) === 'v2', { timeoutSeconds: 60, what: 'it goes on' });
    running.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(readFileSync(log, 'utf8')).toContain('KUBE_UNAUTHORIZED');
    world.keep(log, readFileSync(log, 'utf8'));
    const written = world.kube.audit().filter(({ user, verb }) => user === account.user && verb === 'patch');
    expect(requestsOf(written).sort()).toEqual([
      'patch deployments qontract-reconcile-a',
      'patch deployments qontract-reconcile-a',
      'patch services qontract-reconcile',
    ]);
  });

  it('X1: never shows a secret', () => {
    const { outputs, with: leaking } = world.leaks();
    expect(outputs).toBeGreaterThan(10);
    expect(leaking).toEqual([]);
  });
});
