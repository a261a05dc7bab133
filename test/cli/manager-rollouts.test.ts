import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { json, type Reply, startLocalHttp } from '../support/local-http.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import { integrationText, writesOf } from '../support/sim-fleet.ts';
import { until } from '../support/until.ts';

let fleet: RolloutFleet;
beforeEach(async () => {
  fleet = await rolloutFleet();
});
afterEach(() => fleet.dispose());

const images = (): Record<string, string> => fleet.images();
const promote = (tag: string): void => fleet.promote(tag);
const declare = (text: string): void => fleet.declare(text);
const record = (): string => fleet.record();
const pass = () => fleet.pass();

/** The answer of a Prometheus with one sample. */
function vector(value: string): Reply {
  return json(200, { status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [0, value] }] } });
}

/** A running fleet that then gets a file of rollouts. */
async function installed(): Promise<void> {
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
  declare(TWO_WAVES);
  expect((await pass()).code).toBe(0);
}

describe('a manager with rollouts', () => {
  it('moves the first wave, and holds the others with the reason', async () => {
    await installed();
    promote('0473914');
    expect((await pass()).code).toBe(0);
    expect(images()).toEqual({ alpha: '0473914', beta: 'f929a38', gamma: 'f929a38' });
    const { stdout } = await fleet.run(['plan', '--rollout-record', record()]);
    expect(stdout).toMatch(/^hold +lab\/fleet +Deployment qontract-reconcile-terraform-resources-beta +wave rest: /m);
    expect(stdout).toMatch(/; 2 unchanged, 2 held\.$/m);
  });

  it('shows in the metrics of the loop how far it is', async () => {
    await installed();
    promote('0473914');
    const stop = new AbortController();
    let printed = '';
    const args = ['run', 'integrations-manager', '--no-lease', '--metrics-host', '127.0.0.1', '--metrics-port', '0'];
    const running = fleet.cli([...args, '--rollout-record', record()], {
      signal: stop.signal,
      onStdout: (text) => {
        printed += text;
      },
    });
    const text = await until(
      async () => {
        const port = /"metricsPort":(\d+)/.exec(printed)?.[1];
        const shown = port && (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
        return shown && /^echelon_rollout_record_writes_total\{result="stored"\} [1-9]/m.test(shown)
          ? shown
          : undefined;
      },
      { what: 'a pass' },
    );
    stop.abort();
    await running;
    expect(text).toContain('echelon_rollout_state{track="lab",environment="lab",state="under-way"} 1');
    expect(text).toContain('echelon_rollout_shards{track="lab",environment="lab",wave="rest",state="held"} 2');
    expect(text).toMatch(/^echelon_rollout_due_timestamp_seconds\{track="lab",environment="lab"\} \d+/m);
  });

  it('S4: writes nothing in a pass in which nothing moves', async () => {
    await installed();
    promote('0473914');
    await pass();
    const before = writesOf(fleet.sim).length;
    await pass();
    await pass();
    expect(writesOf(fleet.sim)).toHaveLength(before);
  });

  it('D2: halts an image whose shard was pinned before it soaked, and says so without failing', async () => {
    await installed();
    promote('0473914');
    await pass();
    await pass();
    const pin = '    shardSpecOverrides:\n    - { shard: { $ref: /aws/alpha.yml }, imageRef: f929a38 }\n';
    fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab'], pin));
    const { code, stdout } = await pass();
    expect(stdout).toMatch(/"reason":"it was pinned to another image before it soaked","msg":"rollout halted"/);
    expect(code).toBe(0);
    expect(new Set(Object.values(images()))).toEqual(new Set(['f929a38']));
  });

  it('D2: halts an image whose shard got another one by hand before the next pass saw it', async () => {
    await installed();
    promote('0473914');
    await pass();
    const alpha = fleet.sim.store.get('apps/v1', 'Deployment', 'fleet', 'qontract-reconcile-terraform-resources-alpha');
    fleet.sim.store.put(
      JSON.parse(JSON.stringify(alpha).replaceAll('reconcile:0473914', 'reconcile:8c41f7e')),
      'kubectl',
    );
    const { code, stdout } = await pass();
    expect(code).toBe(0);
    expect(stdout).toMatch(/"reason":"its image was changed by hand before it soaked","msg":"rollout halted"/);
    expect(images()).toEqual({ alpha: '8c41f7e', beta: 'f929a38', gamma: 'f929a38' });
  });

  it('D3: holds a track whose pods cannot be listed, names the error, and applies everything else', async () => {
    await installed();
    promote('0473914');
    const proxy = await startFaultProxy({ server: fleet.sim.url });
    proxy.add({ path: /\/pods$/, times: Number.POSITIVE_INFINITY }, { status: 403, message: 'no pods for you' });
    const config = fleet.manager.path('kubeconfig');
    writeFileSync(config, readFileSync(config, 'utf8').replace(fleet.sim.url, proxy.server));
    declare(TWO_WAVES.replace('environments: [lab]', 'integrations: [terraform-resources]'));
    fleet.write('integrations/free.yml', integrationText('free', ['lab']));
    const { code, stdout } = await pass();
    await proxy.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/no pods for you.*"msg":"observe failed"/);
    const tags = fleet.sim.store.list('apps/v1', 'Deployment', 'fleet').map(({ metadata, spec }) => {
      const tag = JSON.stringify(spec).match(/reconcile:(\w+)/)?.[1];
      return `${metadata.name.replace('qontract-reconcile-', '')} ${tag}`;
    });
    expect(tags.sort()).toEqual([
      ...['free-alpha 0473914', 'free-beta 0473914', 'free-gamma 0473914', 'terraform-resources-alpha f929a38'],
      ...['terraform-resources-beta f929a38', 'terraform-resources-gamma f929a38'],
    ]);
  });

  it('D5: moves nothing while no query can be answered, and says why', async () => {
    await installed();
    const query = '{ name: errors, promql: "max(up", expect: { max: 0 } }';
    declare(`${TWO_WAVES.replace('queries: []', 'queries: [errors]')}queries: [${query}]\n`);
    promote('0473914');
    const error = { status: 'error', errorType: 'bad_data', error: 'unclosed left parenthesis' };
    const prometheus = await startLocalHttp(json(400, error));
    const flags = ['--prometheus', prometheus.url];
    expect((await fleet.pass(flags)).code).toBe(0);
    const { stdout } = await fleet.run(['plan', '--rollout-record', record(), ...flags]);
    const noToken = [...flags, '--prometheus-token-file', 'nowhere'];
    const { stdout: told } = await fleet.run(['plan', '--rollout-record', record(), ...noToken]);
    expect(told).toContain('cannot read the token of the Prometheus, nowhere: ENOENT');
    await prometheus.close();
    expect(stdout).toMatch(
      /-alpha +wave canary: no query can be answered: .* it returned 400: unclosed left parenthesis/,
    );
    expect(new Set(Object.values(images()))).toEqual(new Set(['f929a38']));
  });

  it('D5: names the one query of several that keeps a shard from soaking, what it gave and what was expected', async () => {
    await installed();
    const queries = ['good', 'bad'].map((name) => `{ name: ${name}, promql: ${name}, expect: { max: 0 } }`);
    declare(`${TWO_WAVES.replace('queries: []', 'queries: [good, bad]')}queries: [${queries.join(', ')}]\n`);
    promote('0473914');
    let answer = vector('0');
    const prometheus = await startLocalHttp((response, request) =>
      (request.query['query'] === 'bad' ? answer : vector('0'))(response, request),
    );
    const flags = ['--prometheus', prometheus.url];
    const show = async (...args: readonly string[]) =>
      (await fleet.cli(['rollout', ...args, '--rollout-record', record(), ...flags])).stdout;
    await fleet.pass(flags);
    answer = json(400, { status: 'error', errorType: 'bad_data', error: 'unknown function' });
    await fleet.pass(flags);
    expect(await show('status')).toMatch(
      / canary .*; terraform-resources\/alpha: query bad: .* it returned 400: unknown function$/m,
    );
    expect(await show('explain', 'alpha')).toMatch(
      /^terraform-resources\/alpha does not soak: query bad: .* 400: unknown/m,
    );
    answer = vector('3');
    expect(await show('explain', 'beta')).toMatch(
      / queries +closed .* terraform-resources\/alpha: query bad: 3, expected at most 0$/m,
    );
    await fleet.pass(flags);
    await fleet.pass(flags);
    expect(await show('status')).toContain(
      'alpha on 0473914: query bad: 3, expected at most 0, wrong in two observations',
    );
    await prometheus.close();
  });

  it('A6: lists pods and jobs only where shards are under way, and none once all have completed', async () => {
    fleet.sim.store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'second' } });
    const second = '$schema: /openshift/namespace-1.yml\nname: second\ncluster: { $ref: /clusters/lab.yml }\n';
    fleet.write('namespaces/second.yml', `${second}environment: { $ref: /environments/lab.yml }\n`);
    fleet.write('integrations/free.yml', integrationText('free', ['second']));
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    declare(
      TWO_WAVES.replace('environments: [lab]', 'integrations: [terraform-*]')
        .replaceAll('soak: 1h', 'soak: 0s')
        .replace('{ name: rest }', '{ name: rest, soak: 0s }'),
    );
    const listed = async (): Promise<string[]> => {
      const before = fleet.sim.requests.length;
      expect((await pass()).code).toBe(0);
      const paths = fleet.sim.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ''));
      return [...new Set(paths.filter((path) => /\/(pods|jobs)$/.test(path)))].sort();
    };
    const concerned = ['/api/v1/namespaces/fleet/pods', '/apis/batch/v1/namespaces/fleet/jobs'];
    expect(await listed()).toEqual(concerned);
    expect(await listed()).toEqual([]);
    promote('0473914');
    expect(await listed()).toEqual(concerned);
  });

  it('F3: holds everything when the file cannot be read, and fails', async () => {
    await installed();
    declare('tracks: [');
    promote('0473914');
    expect((await pass()).code).toBe(1);
    expect(new Set(Object.values(images()))).toEqual(new Set(['f929a38']));
  });

  it('F3: names that the instance does not have fail validate, and select nothing at run time', async () => {
    await installed();
    const ghost =
      '- { name: ghost, match: { environments: [nowhere] }, waves: [{ name: w }], health: { queries: [] } }\n';
    const span = 'from: 2020-01-01T00:00:00Z, until: 2100-01-01T00:00:00Z, reason: r';
    const freezes = `freezes: [{ name: f, match: { integrations: [terraform-resorces] }, ${span} }]\n`;
    declare(TWO_WAVES.replace('tracks:\n', `tracks:\n${ghost}`).replace('[alpha]', '[alhpa, alpha]') + freezes);
    const { stdout } = await fleet.cli(['validate']);
    for (const rule of ['unknown-environment', 'unknown-shard', 'unknown-integration']) expect(stdout).toContain(rule);
    promote('0473914');
    expect((await pass()).code).toBe(0);
    expect(images()).toEqual({ alpha: '0473914', beta: 'f929a38', gamma: 'f929a38' });
  });

  it('F3: a wave of which the instance has no shard keeps all that follow closed', async () => {
    await installed();
    declare(TWO_WAVES.replace('[alpha]', '[alhpa]'));
    promote('0473914');
    expect((await pass()).code).toBe(0);
    expect(new Set(Object.values(images()))).toEqual(new Set(['f929a38']));
    const { stdout } = await fleet.cli(['rollout', 'status', '--rollout-record', record()]);
    expect(stdout).toMatch(/ canary +open .* it selects no shard$/m);
  });

  it('F3: holds everything when the file is gone while shards are held', async () => {
    await installed();
    promote('0473914');
    await pass();
    rmSync(fleet.manager.path('instance/resources/echelon/rollouts.yml'));
    const held = images();
    const ran = await pass();
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain('ROLLOUTS_MISSING');
    expect(images()).toEqual(held);
  });

  it('A5: moves nothing when the folder of the record is a file, and fails, also without a file of rollouts', async () => {
    await installed();
    promote('0473914');
    await pass();
    const before = images();
    rmSync(record(), { recursive: true });
    writeFileSync(record(), '');
    rmSync(fleet.manager.path('instance/resources/echelon/rollouts.yml'));
    const ran = await pass();
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain('STATE_KEY_CONFLICT');
    expect(images()).toEqual(before);
  });

  it('without a file behaves as without rollouts', async () => {
    await fleet.run(['apply', '--yes']);
    promote('0473914');
    expect((await pass()).code).toBe(0);
    expect(new Set(Object.values(images()))).toEqual(new Set(['0473914']));
  });
});
