import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accepted,
  CLUSTER,
  DONE,
  type Fleet,
  type ManagerWorld,
  namesOf,
  pathOf,
  requestsOf,
  sayings,
  startManagerWorld,
} from '../support/manager-e2e.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { deployment } from '../support/real-kube-objects.ts';
import { EXAMPLE_INSTANCE, REPO } from '../support/shared.ts';
import { until } from '../support/until.ts';

const RUN_ONCE = 'run integrations-manager';
const RUN_FLAGS = ['--run-once', '--no-lease', '--metrics-port', '0', '--metrics-host', '127.0.0.1'];
const STATIC = (shards: number, ...shardSpecOverrides: object[]) => ({
  sharding: { strategy: 'static', shards, shardSpecOverrides },
});

interface PlanDocument {
  readonly items: readonly { action: string; namespace: string; kind: string; name: string; reason?: string }[];
}

/** As the API names what an item of a plan does. */
function requestOf({ action, kind, name }: PlanDocument['items'][number]): string {
  return `${action === 'delete' ? 'delete' : 'patch'} ${kind.toLowerCase()}s ${name}`;
}

function imagesOf(objects: readonly KubeBody[]): Record<string, unknown> {
  const workloads = objects.filter(({ kind }) => kind === 'Deployment');
  return Object.fromEntries(
    workloads.map(({ metadata, spec }) => {
      const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
      return [metadata!.name, template.spec.containers[0]!.image];
    }),
  );
}

describe.skipIf(skipRealKube)('a manager on a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  async function installed(name: string, declare: (fleet: Fleet) => void): Promise<Fleet> {
    const fleet = await world.fleet(name);
    declare(fleet);
    await applied(fleet);
    return fleet;
  }

  async function applied(fleet: Fleet, args: readonly string[] = []): Promise<string> {
    const ran = await fleet.run('manager apply', ['--yes', ...args]);
    expect(ran).toMatchObject(DONE);
    return ran.stdout;
  }

  async function planned(fleet: Fleet, args: readonly string[] = []): Promise<PlanDocument> {
    return JSON.parse((await fleet.run('manager plan', ['-o', 'json', ...args])).stdout) as PlanDocument;
  }

  describe('with the example instance', () => {
    const namespace = 'app-interface-production';
    const flags = ['--data', EXAMPLE_INSTANCE, '--cluster', CLUSTER];
    beforeAll(() => world.createNamespace(namespace));

    it('installs everything that is declared for the cluster', async () => {
      const rendered = await world.run(['manager', 'render', '--data', EXAMPLE_INSTANCE, '-o', 'json']);
      const { items } = JSON.parse(rendered.stdout) as { items: { namespace: string; objects: KubeBody[] }[] };
      const desired = items.find((item) => item.namespace === namespace)!.objects;
      const { code, stdout } = await world.run(['manager', 'apply', '--yes', ...flags]);
      expect([code, stdout.split('\n').at(-2)]).toEqual([0, expect.stringMatching(/: 52 objects written\.$/)]);
      const live = await world.objects(namespace);
      expect(namesOf(live)).toEqual(namesOf(desired));
      expect(namesOf(live.filter(({ kind }) => kind !== 'Deployment'))).toEqual([
        'CronJob/qontract-reconcile-dashdotdb-slo',
        'Service/qontract-reconcile',
        'StatefulSet/qontract-reconcile-quay-mirror',
      ]);
      for (const { metadata } of live) {
        expect(metadata?.['annotations']).toMatchObject({ 'qontract.integration': 'integrations-manager' });
        expect(metadata?.['labels']).toMatchObject({ 'echelon/environment': namespace });
      }
    });

    it('S4: writes nothing when everything is as declared, also after controllers have worked on it', async () => {
      const isSeen = ({ metadata, status }: KubeBody): boolean =>
        (status as { observedGeneration?: number })?.observedGeneration === metadata?.generation;
      const workloads = async () => (await world.objects(namespace)).filter(({ kind }) => /ment|Set$/.test(kind!));
      await until(async () => (await workloads()).every(isSeen), { timeoutSeconds: 60, what: 'controllers are done' });
      const before = sayings(await world.objects(namespace));
      const mark = world.mark();
      const apply = await world.run(['manager', 'apply', '--yes', ...flags]);
      const pass = await world.run([...RUN_ONCE.split(' '), ...RUN_FLAGS, ...flags]);
      expect([apply, pass]).toMatchObject([DONE, DONE]);
      expect(apply.stdout).toContain('Nothing to do');
      expect(requestsOf(world.writes(mark))).toEqual([]);
      expect(sayings(await world.objects(namespace))).toEqual(before);
    });
  });

  it('changes exactly one object for the image of one shard', async () => {
    const fleet = await installed('override', (it) => it.integration('a', STATIC(4)));
    const before = await fleet.objects();
    fleet.integration('a', STATIC(4, { shard: 2, imageRef: 'v2' }));
    const mark = world.mark();
    await applied(fleet);
    expect(requestsOf(accepted(world.writes(mark)))).toEqual(['patch deployments qontract-reconcile-a-2']);
    const after = await fleet.objects();
    const image = (tag: string): string => `quay.io/app-sre/qontract-reconcile:${tag}`;
    expect(imagesOf(after)).toEqual({
      ...imagesOf(before),
      'qontract-reconcile-a-2': image('v2'),
    });
    expect(imagesOf(before)['qontract-reconcile-a-2']).toBe(image('v1'));
    const others = (objects: KubeBody[]) =>
      objects.filter(({ metadata }) => metadata?.name !== 'qontract-reconcile-a-2');
    expect(sayings(others(after))).toEqual(sayings(others(before)));
  });

  it('puts sub-shards in the place of a shard, and takes the shard away after that', async () => {
    const sharding = (...shardSpecOverrides: object[]) => ({
      capabilities: ['--account-name', 'SHARDS'],
      sharding: { strategy: 'per-aws-account', shardSpecOverrides },
    });
    const fleet = await installed('sub-shards', (it) => {
      for (const [uid, name] of ['big', 'small'].entries()) {
        const account = { $schema: '/aws/account-1.yml', name, uid: `${uid}`, resourcesDefaultRegion: 'us-east-1' };
        it.write(`aws/${name}.yml`, account);
      }
      it.integration('terraform-users', sharding());
    });
    const prefix = 'Deployment/qontract-reconcile-terraform-users';
    expect(namesOf(await fleet.objects())).toEqual([`${prefix}-big`, `${prefix}-small`, 'Service/qontract-reconcile']);
    const subSharding = { strategy: 'static', shards: 2 };
    fleet.integration('terraform-users', sharding({ shard: { $ref: '/aws/big.yml' }, subSharding }));
    const mark = world.mark();
    await applied(fleet);
    expect(namesOf(await fleet.objects())).toEqual([
      ...[`${prefix}-big-0`, `${prefix}-big-1`, `${prefix}-small`],
      'Service/qontract-reconcile',
    ]);
    const requests = requestsOf(accepted(world.writes(mark)));
    expect(requests).toHaveLength(3);
    expect(requests.at(-1)).toBe('delete deployments qontract-reconcile-terraform-users-big');
  });

  it('deletes exactly the objects of an integration that is no longer declared', async () => {
    const fleet = await installed('removal', (it) => {
      it.integration('stays', STATIC(2));
      it.integration('goes', STATIC(2));
      it.integration('goes-too-but-not-now');
    });
    const before = await fleet.objects();
    fleet.drop('goes');
    const mark = world.mark();
    await applied(fleet);
    const gone = ['qontract-reconcile-goes-0', 'qontract-reconcile-goes-1'];
    expect(requestsOf(accepted(world.writes(mark))).sort()).toEqual(gone.map((name) => `delete deployments ${name}`));
    const kept = before.filter(({ metadata }) => !gone.includes(metadata!.name!));
    const uids = (objects: KubeBody[]) => objects.map(({ metadata }) => metadata!.uid);
    expect(uids(await fleet.objects())).toEqual(uids(kept));
  });

  it('empties a namespace that no integration names any more, of its own and of nothing else', async () => {
    const other = await installed('other-instance', (it) => it.integration('a'));
    const fleet = await installed('two-namespaces', (it) => it.integration('a', STATIC(3)));
    await world.createNamespace('left-behind');
    fleet.declare('left-behind');
    fleet.integration('b', { namespace: 'left-behind' });
    await applied(fleet);
    const foreign = deployment('foreign', { replicas: 0, metadata: { labels: { app: 'qontract-reconcile-b' } } });
    await world.kube.admin('POST', pathOf('Deployment', 'left-behind'), foreign);
    expect(namesOf(await world.objects('left-behind'))).toEqual([
      ...['Deployment/foreign', 'Deployment/qontract-reconcile-b', 'Service/qontract-reconcile'],
    ]);
    const before = [sayings(await fleet.objects()), sayings(await other.objects())];
    fleet.drop('b');
    fleet.remove('namespaces/left-behind.yml');
    await applied(fleet);
    const left = await world.objects('left-behind');
    expect(namesOf(left)).toEqual(['Deployment/foreign']);
    expect(left[0]!.metadata).toMatchObject({ generation: 1, labels: { app: 'qontract-reconcile-b' } });
    expect([sayings(await fleet.objects()), sayings(await other.objects())]).toEqual(before);
  });

  it('S6: does not forget after a restart what it deleted within the last hour', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const fleet = await installed('remembered', (it) => names.map((name) => it.integration(name)));
    const restarted = (...args: string[]) => {
      const flags = ['--run-once', '--lease', `${CLUSTER}/remembered/manager`, '--metrics-port', '0', ...args];
      return fleet.run(RUN_ONCE, [...flags, '--metrics-host', '127.0.0.1']);
    };
    for (const name of ['a', 'b']) fleet.drop(name);
    expect((await restarted()).code).toBe(0);
    expect(await fleet.objects()).toHaveLength(4);
    for (const name of ['c', 'd']) fleet.drop(name);
    const mark = world.mark();
    const { code, stdout } = await restarted();
    expect([code, stdout]).toEqual([1, expect.stringMatching(/"deletions":4,"recent":2,"objects":6,"allowed":3/)]);
    expect(requestsOf(world.writes(mark))).toEqual([]);
    expect((await restarted('--allow-mass-deletion')).code).toBe(0);
    expect(await fleet.objects()).toHaveLength(2);
  });

  describe('S8: deletes no workload of a declared shard', () => {
    const SHARDS = ['Deployment/qontract-reconcile-a-0', 'Deployment/qontract-reconcile-a-1'];
    const ALL = [...SHARDS, 'Deployment/qontract-reconcile-b', 'Service/qontract-reconcile'];
    const install = (name: string) =>
      installed(name, (it) => {
        it.integration('a', STATIC(2));
        it.integration('b');
      });
    const deletions = (mark: number) => requestsOf(world.writes(mark)).filter((text) => text.startsWith('delete'));

    it.each([1, 2])('whose values document has %i times 4096 bytes, by apply or by the loop', async (pages) => {
      const fleet = await install(`pages-${pages}`);
      const padded = (padding: number): void =>
        fleet.integration('b', { spec: { extraEnv: [{ name: 'PADDING', value: 'x'.repeat(padding) }] } });
      const documentBytes = async (): Promise<number> => {
        const { stdout } = await fleet.run('manager values', ['-o', 'json']);
        return Buffer.byteLength(JSON.stringify(JSON.parse(stdout).items[0].values));
      };
      padded(1);
      const padding = 1 + pages * 4096 - (await documentBytes());
      padded(padding);
      expect(await documentBytes()).toBe(pages * 4096);
      const mark = world.mark();
      await applied(fleet);
      expect((await fleet.run(RUN_ONCE, RUN_FLAGS)).code).toBe(0);
      expect(requestsOf(accepted(world.writes(mark)))).toEqual(['patch deployments qontract-reconcile-b']);
      expect(namesOf(await fleet.objects())).toEqual(ALL);
    });

    const LOOP =
      '- {{ include "reconciler.loop" (dict "entry" $entry "shard" $shard "cron" false) | indent 2 | trim }}';
    const COPY = LOOP.replace(' | indent 2', ' | replace "qontract-reconcile-a-1" "copy-of-a-1" | indent 2');

    it.each([
      { given: 'leaves it out', line: `{{- if ne $shard.shard_id "1" }}\n${LOOP}\n{{- end }}`, shows: 'a (data' },
      { given: 'doubles it', line: `${LOOP}\n{{- if eq $shard.shard_id "1" }}\n${COPY}\n{{- end }}`, shows: 'a (data' },
      { given: 'leaves out all', line: '', shows: 'the chart rendered no workloads' },
    ])('for a chart that $given', async ({ given, line, shows }) => {
      const fleet = await install(given.replaceAll(' ', '-'));
      const chart = join(world.folder, fleet.namespace);
      cpSync(join(REPO, 'charts/reconciler'), chart, { recursive: true });
      const file = join(chart, 'templates/template.yaml');
      const template = readFileSync(file, 'utf8');
      expect(template).toContain(LOOP);
      writeFileSync(
        file,
        template.replace(LOOP, () => line),
      );
      const mark = world.mark();
      const { code, stderr } = await fleet.run('manager apply', ['--yes', '--chart', chart]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(shows)]);
      expect((await fleet.run(RUN_ONCE, [...RUN_FLAGS, '--chart', chart])).code).toBe(1);
      expect(deletions(mark)).toEqual([]);
      expect(namesOf(await fleet.objects())).toEqual(ALL);
    });
  });

  it('deletes what moves only after it was created in its new namespace', async () => {
    const fleet = await installed('moves-from', (it) => {
      it.integration('stays', STATIC(3));
      it.integration('moves');
    });
    const moved = 'qontract-reconcile-moves';
    fleet.declare('moves-to');
    fleet.integration('moves', { namespace: 'moves-to' });
    const early = world.mark();
    const { code, stderr } = await fleet.run('manager apply', ['--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Deployment ${moved} was not created in`)]);
    expect(requestsOf(world.writes(early)).filter((text) => text.startsWith('delete'))).toEqual([]);
    expect((await fleet.object('Deployment', moved)).metadata?.name).toBe(moved);
    await world.createNamespace('moves-to');
    const mark = world.mark();
    await applied(fleet);
    const requests = requestsOf(accepted(world.writes(mark))).filter((text) => text.endsWith(moved));
    expect(requests).toEqual([`patch deployments ${moved}`, `delete deployments ${moved}`]);
    expect(namesOf(await world.objects('moves-to'))).toEqual([`Deployment/${moved}`, 'Service/qontract-reconcile']);
    expect(namesOf(await fleet.objects())).not.toContain(`Deployment/${moved}`);
  });

  it('P1: makes the requests of the plan that it prints, and no other', async () => {
    const fleet = await installed('as-planned', (it) => {
      it.integration('a', STATIC(3));
      it.integration('b');
      it.integration('c', { spec: { cron: '0 0 1 1 *' } });
    });
    fleet.integration('a', STATIC(3, { shard: 1, imageRef: 'v2' }));
    fleet.drop('b');
    fleet.integration('c', { spec: { cron: '0 1 1 1 *' } });
    fleet.integration('d');
    const { items } = await planned(fleet);
    expect(items.map(({ action }) => action).sort()).toEqual(['create', 'delete', 'update', 'update']);
    const mark = world.mark();
    await applied(fleet);
    const written = accepted(world.writes(mark));
    expect(requestsOf(written).sort()).toEqual(items.map(requestOf).sort());
    expect(written.map(({ namespace, code }) => [namespace, code! < 300])).toEqual(
      items.map(() => [fleet.namespace, true]),
    );
    expect((await planned(fleet)).items).toEqual([]);
  });

  describe('P2: without leave to write', () => {
    let fleet: Fleet;
    let before: object;
    beforeAll(async () => {
      fleet = await installed('dry', (it) => {
        it.integration('a', STATIC(3));
        it.integration('b');
      });
      fleet.integration('a', STATIC(4, { shard: 1, imageRef: 'v2' }));
      fleet.drop('b');
      before = sayings(await fleet.objects());
    });

    it.each([
      { command: 'manager plan', args: [], code: 0 },
      { command: 'manager plan', args: ['--save', 'SAVED', '--detailed-exitcode'], code: 2 },
      { command: 'manager diff', args: [], code: 1 },
      { command: 'manager status', args: [], code: 1 },
      { command: 'manager apply', args: ['--dry-run'], code: 0 },
      { command: 'manager apply', args: ['SAVED', '--dry-run'], code: 0 },
      { command: RUN_ONCE, args: ['--dry-run', ...RUN_FLAGS], code: 0 },
      {
        command: RUN_ONCE,
        args: ['--dry-run', '--run-once', '--metrics-port', '0', '--lease', `${CLUSTER}/dry/lease`],
        code: 0,
      },
    ])('$command $args asks for nothing to be changed', async ({ command, args, code }) => {
      const saved = join(world.folder, 'dry.plan.json');
      const mark = world.mark();
      const ran = await fleet.run(
        command,
        args.map((arg) => (arg === 'SAVED' ? saved : arg)),
      );
      expect(ran.code).toBe(code);
      const asked = world.kube.auditSince(mark).filter(({ user }) => user === world.account.user);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter(({ verb }) => !['get', 'list'].includes(verb))).toEqual([]);
      expect(sayings(await fleet.objects())).toEqual(before);
    });
  });

  it('carries out a saved plan that is fresh, and none that is stale or was edited', async () => {
    const fleet = await installed('saved', (it) => it.integration('a', STATIC(3)));
    fleet.integration('a', STATIC(3, { shard: 1, imageRef: 'v2' }));
    fleet.integration('b');
    const file = join(world.folder, 'saved.plan.json');
    const save = async (): Promise<string> => {
      expect((await fleet.run('manager plan', ['--save', file])).code).toBe(0);
      world.keep(file, readFileSync(file, 'utf8'));
      return readFileSync(file, 'utf8');
    };
    const carryOut = () => world.run(['manager', 'apply', file, '--yes']);
    await save();
    const edit = [{ op: 'add', path: '/metadata/labels/edited', value: 'yes' }];
    const shard = pathOf('Deployment', fleet.namespace, 'qontract-reconcile-a-1');
    expect((await world.kube.admin('PATCH', shard, edit, 'application/json-patch+json')).status).toBe(200);
    const mark = world.mark();
    const stale = await carryOut();
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringMatching(/qontract-reconcile-a-1[\s\S]*PLAN_STALE/)]);
    const text = await save();
    writeFileSync(file, text.replace(':v2"', ':v3"'));
    expect(readFileSync(file, 'utf8')).not.toBe(text);
    const edited = await carryOut();
    expect([edited.code, edited.stderr]).toEqual([1, expect.stringContaining('PLAN_INVALID')]);
    expect(requestsOf(world.writes(mark))).toEqual([]);
    writeFileSync(file, text);
    expect((await carryOut()).code).toBe(0);
    const expected = ['patch deployments qontract-reconcile-a-1', 'patch deployments qontract-reconcile-b'];
    expect(requestsOf(accepted(world.writes(mark))).sort()).toEqual(expected);
    const again = await carryOut();
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('PLAN_STALE')]);
    expect((await planned(fleet)).items).toEqual([]);
  });

  it('shows by diff what objects will be', async () => {
    const env = (...names: string[]) => names.map((name) => ({ name, value: `of ${name}` }));
    const limits = (memory: string) => ({ requests: { cpu: '0.01', memory: '1024Ki' }, limits: { memory } });
    const cached = { cache: true, storage: '1Gi', storageClassName: 'fast' };
    const fleet = await installed('diff', (it) => {
      it.integration('a', { spec: { extraEnv: env('ONE', 'TWO', 'THREE'), resources: limits('512Mi') } });
      it.integration('b', { spec: { cron: '0 0 1 1 *', extraEnv: env('ONE') } });
      it.integration('c', { spec: { ...cached, resources: limits('256Mi') } });
      it.integration('d');
    });
    fleet.integration('a', { spec: { extraEnv: env('ONE', 'NEW', 'THREE'), resources: limits('1Gi') } });
    fleet.integration('b', { spec: { cron: '0 1 1 1 *', logs: { slack: true } } });
    fleet.integration('c', { spec: { ...cached, resources: limits('512Mi'), sleepDurationSecs: '60' } });
    fleet.drop('d');
    const predicted = await fleet.predicted();
    expect(namesOf(predicted)).toEqual([
      'CronJob/qontract-reconcile-b',
      'Deployment/qontract-reconcile-a',
      'StatefulSet/qontract-reconcile-c',
    ]);
    await applied(fleet);
    const changed = namesOf(predicted);
    const live = (await fleet.objects()).filter((object) => changed.includes(namesOf([object])[0]!));
    expect(sayings(predicted)).toEqual(sayings(live));
  });

  it('tells when all shards run, and which does not and why', async () => {
    const fleet = await installed('status', (it) => {
      it.integration('a', STATIC(2));
      it.integration('b', { spec: { cache: true, storage: '1Gi', storageClassName: 'fast' } });
      it.integration('c', { spec: { cron: '0 0 1 1 *' } });
    });
    const look = async (...args: string[]) => {
      const { code, stdout } = await fleet.run('manager status', ['-o', 'json', ...args]);
      const { items } = JSON.parse(stdout) as {
        items: { name: string; state: string; reason?: string; since?: string }[];
      };
      const second = items.find(({ name }) => name.endsWith('-a-1'));
      return {
        code,
        states: Object.fromEntries(items.map(({ name, state }) => [name.slice('qontract-reconcile-'.length), state])),
        reason: second?.reason,
        since: second?.since,
      };
    };
    const missing = { code: 1, states: { 'a-0': 'lagging', 'a-1': 'lagging', b: 'lagging', c: 'converged' } };
    expect(await look()).toMatchObject(missing);
    await world.kube.startNodes();
    const all = { 'a-0': 'converged', 'a-1': 'converged', b: 'converged', c: 'converged' };
    expect(await look('--watch', '--timeout', '60s')).toMatchObject({ code: 0, states: all });
    fleet.integration('a', STATIC(2, { shard: 1, imageRef: 'v2-broken' }));
    await applied(fleet);
    const isStuck = async (): Promise<boolean> => (await look()).reason === 'ImagePullBackOff';
    await until(isStuck, { timeoutSeconds: 60, what: 'the image cannot be pulled' });
    const since = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:]+Z$/);
    const stuck = { code: 1, states: { ...all, 'a-1': 'lagging' }, reason: 'ImagePullBackOff', since };
    expect(await look('--watch', '--timeout', '3s')).toEqual(stuck);
    fleet.integration('a', STATIC(2, { shard: 1, imageRef: 'v3' }));
    await applied(fleet);
    expect(await look('--watch', '--timeout', '60s')).toMatchObject({ code: 0, states: { ...all, 'a-1': 'pinned' } });
  });

  it('X1: never shows a secret', () => {
    const { outputs, with: leaking } = world.leaks();
    expect(outputs).toBeGreaterThan(30);
    expect(leaking).toEqual([]);
  });
});
