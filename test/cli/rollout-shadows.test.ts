import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consoleOf } from '../support/console-run.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';

const FILE = TWO_WAVES.replace('  health:', '  shadow: { maxDifferences: 0 }\n  health:');
const line = (message: string): string => `[2026-08-21 10:22:51] [INFO] [DRY-RUN] [x.py:run:1] - ${message}\n`;
const PLAN = line("['apply', 'c1', 'ns1', 'Deployment', 'web']");
const DELETION = "['delete', 'c1', 'ns1', 'Secret', 'x']";

let fleet: RolloutFleet;
let proxy: FaultProxy;
/** What the pods of each side print: the simulated cluster runs the Jobs, and has no logs. */
let logs: { baseline: string; candidate: string };
beforeEach(async () => {
  fleet = await rolloutFleet();
  proxy = await startFaultProxy({ server: fleet.sim.url });
  logs = { baseline: PLAN, candidate: PLAN };
  proxy.add({ path: /\/log$/, times: Number.POSITIVE_INFINITY }, ({ path }) => ({
    ...{ status: 200, text: path.includes('-baseline-') ? logs.baseline : logs.candidate },
  }));
  const config = fleet.manager.path('kubeconfig');
  writeFileSync(config, readFileSync(config, 'utf8').replace(fleet.sim.url, proxy.server));
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
  fleet.declare(FILE);
  expect((await pass()).code).toBe(0);
  fleet.promote('0473914');
});
afterEach(async () => {
  await proxy.close();
  await fleet.dispose();
});

const pass = (args = ['--shadow-jobs']) => fleet.pass(args);
const jobs = (): string[] => fleet.sim.store.list('batch/v1', 'Job', 'fleet').map(({ metadata }) => metadata.name);
const explain = (shard: string) => fleet.cli(['rollout', 'explain', shard, '--rollout-record', fleet.record()]);
const TAGS = { alpha: 'f929a38', beta: 'f929a38', gamma: 'f929a38' };

describe('R8: a track that asks for a shadow', () => {
  it('starts both images in one pass, compares them in a later one, then moves the shard and removes the Jobs', async () => {
    expect((await pass()).code).toBe(0);
    expect([fleet.images(), jobs().length]).toEqual([TAGS, 2]);
    expect((await explain('alpha')).stdout).toMatch(/^\S+\/alpha .* shadow +closed .* its shadow is running$/m);
    const { stdout } = await pass();
    expect(stdout).toMatch(/"result":"same".*"msg":"shadow compared"/);
    expect([fleet.images(), jobs()]).toEqual([{ ...TAGS, alpha: '0473914' }, []]);
    const asked = fleet.sim.requests.filter(({ method, path }) => method === 'POST' && path.includes('/jobs'));
    expect(asked).toHaveLength(2);
  });

  it('halts at a difference, explains it, and lets exactly that one through when it is accepted', async () => {
    logs.candidate = PLAN + line(DELETION);
    await pass();
    await pass();
    expect([fleet.images(), jobs()]).toEqual([TAGS, []]);
    const { code, stdout } = await fleet.cli(['rollout', 'status', '--rollout-record', fleet.record()]);
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('shadow-differs') });
    const told = (await explain('alpha')).stdout;
    expect(told).toContain(`  + ${DELETION}\n`);
    const [, digest = ''] = /--digest (sha256:[0-9a-f]{64}) /.exec(told) ?? [];
    const console = await consoleOf(fleet, { rolloutRecord: fleet.record() });
    const page = `${console.url}/rollouts/lab/terraform-resources%2Falpha`;
    const body = await (await fetch(page)).text();
    const { shard } = (await (await fetch(`${page}.json`)).json()) as { shard: { shadow: object } };
    const overview = await (await fetch(`${console.url}/rollouts`)).text();
    const { items } = JSON.parse(await (await fetch(`${console.url}/shards.json`)).text());
    const paths = ['alpha', 'beta'].map((name) => {
      const found = items.find((one: { shard: string }) => one.shard === name);
      return `${console.url}/shards/${found.cluster}/${found.namespace}/${found.name}`;
    });
    const [alpha = '', beta = ''] = await Promise.all(paths.map(async (path) => (await fetch(path)).text()));
    const { rollout } = JSON.parse(await (await fetch(`${paths[0]}.json`)).text());
    await console.stop();
    expect(body).toMatch(/<h2 id="shadow">Shadow<.*<li><code>\+ .*delete.*Secret.*<\/code><\/li>/s);
    expect(shard.shadow).toMatchObject({ result: 'different', differences: 1, digest, text: `+ ${DELETION}` });
    expect(overview).toContain('differs by 1 action');
    const section = (page: string) => page.slice(page.indexOf('<h2 id="shadow">'), page.indexOf('</main>'));
    expect(section(alpha)).toMatch(/different<\/span>.*<code>\S+:0473914<\/code> against <code>\S+:f929a38<\/code>/s);
    expect(section(alpha)).toMatch(/<time [^>]+>[^<]+ UTC<\/time> <small data-age>\(/);
    expect(section(alpha)).toMatch(/1 action.*href="\/rollouts\/lab\/terraform-resources%2Falpha#shadow"/s);
    expect(section(beta)).toContain('The comparison of terraform-resources/alpha holds it');
    expect(section(beta)).toContain('href="/rollouts/lab/terraform-resources%2Falpha#shadow"');
    expect(rollout).toMatchObject({ state: 'held', shadow: { result: 'different' } });
    const accept = (given: string) =>
      fleet.cli(['rollout', 'accept-shadow', 'lab', '--digest', given, '--reason', 'reviewed']);
    expect((await accept(`sha256:${'0'.repeat(64)}`)).code).toBe(0);
    await pass();
    expect(fleet.images()).toEqual(TAGS);
    expect((await accept(digest)).code).toBe(0);
    await pass();
    expect(fleet.images()).toEqual({ ...TAGS, alpha: '0473914' });
  });

  it('moves nothing where the manager runs no Jobs, and says what to do', async () => {
    await pass([]);
    await pass([]);
    expect([fleet.images(), jobs()]).toEqual([TAGS, []]);
    expect((await explain('alpha')).stdout).toContain('--shadow-jobs');
  });

  it('removes what a manager left that was killed between the two Jobs, and what it left altogether; no others', async () => {
    await pass();
    const [one = ''] = jobs();
    const { spec, metadata } = fleet.sim.store.list('batch/v1', 'Job', 'fleet')[0] as never as {
      spec: { template: object };
      metadata: { labels: Record<string, string> };
    };
    const labels = { ...metadata.labels, 'echelon/shadow-owner': 'somebody-else' };
    const template = { ...spec.template, metadata: { labels } };
    const url = `${fleet.sim.url}/apis/batch/v1/namespaces/fleet/jobs`;
    const headers = { authorization: 'Bearer sim-token-that-nobody-may-see', 'content-type': 'application/json' };
    const other = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'of-another', labels }, spec: { template } };
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(other) })).status).toBe(201);
    expect((await fetch(`${url}/${one}`, { method: 'DELETE', headers })).status).toBe(200);
    await pass();
    expect(fleet.images()).toEqual(TAGS);
    expect(jobs()).toHaveLength(3);
    expect(jobs()).not.toContain(one);
    fleet.promote('f929a38');
    await pass();
    expect(jobs()).toEqual(['of-another']);
    expect((await fleet.run(['status'])).stdout).not.toContain('shadow');
  });
});

describe('shadow --runner kubernetes', () => {
  const shadow = (args: readonly string[] = []) =>
    fleet.cli([
      ...['shadow', 'terraform-resources', '--shard', 'alpha', '--candidate', '0473914', '--runner', 'kubernetes'],
      ...['--log-dir', fleet.manager.path('logs'), '--rollout-record', fleet.record(), ...args],
    ]);

  it('compares both images in the cluster of the shard, keeps the logs and leaves nothing', async () => {
    logs.candidate = `${PLAN}${line(DELETION)}password=swordfish\n`;
    const { code, stdout } = await shadow();
    expect([code, jobs()]).toEqual([1, []]);
    expect(stdout).toContain(`+${DELETION}`);
    const kept = readdirSync(fleet.manager.path('logs')).map((name) =>
      readFileSync(fleet.manager.path(`logs/${name}`), 'utf8'),
    );
    expect(kept.toSorted((a, b) => a.length - b.length)).toEqual([PLAN, `${PLAN}${line(DELETION)}password=***\n`]);
    expect(stdout).not.toContain('swordfish');
  });

  it.each([
    { given: 'of all environments', file: undefined },
    { given: 'that manager.yml restricts', file: 'defaults: { environment: lab }\n' },
  ])('--record opens the gate of a track whose manager runs no Jobs, $given', async ({ file }) => {
    if (file !== undefined) fleet.manager.write('instance/resources/echelon/manager.yml', file);
    await pass([]);
    const { code, stderr } = await shadow(['--record']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('recorded for 1 shard') });
    await pass([]);
    expect(fleet.images()).toEqual({ ...TAGS, alpha: '0473914' });
  });

  it('--record of a difference halts the track', async () => {
    await pass([]);
    logs.candidate = PLAN + line(DELETION);
    expect((await shadow(['--record'])).code).toBe(1);
    await pass([]);
    expect(fleet.images()).toEqual(TAGS);
    expect((await explain('alpha')).stdout).toContain(`  + ${DELETION}\n`);
  });

  it('--record says which shards no rollout knows', async () => {
    const { code, stderr } = await shadow(['--record', '--rollout-record', fleet.manager.path('other')]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('alpha is not in the record') });
  });
});
