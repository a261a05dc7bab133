import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrationText, SIM_TOKEN, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

let fleet: SimFleet;
const outputs: string[] = [];

beforeEach(async () => {
  fleet = await simFleet();
});
afterEach(() => fleet.dispose());

const SHARDS = ['alpha', 'beta', 'gamma'].map((name) => `qontract-reconcile-terraform-resources-${name}`);

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const ran = await fleet.run(args, { env });
  outputs.push(ran.stdout, ran.stderr);
  return ran;
}

const install = () => run(['apply', '--yes']);
const deployments = () => fleet.sim.store.list('apps/v1', 'Deployment', 'fleet');
const names = () => deployments().map(({ metadata }) => metadata.name);
const images = () =>
  deployments().map(
    ({ spec }) =>
      (spec as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]?.image,
  );
const pin = (name: string, tag: string) =>
  fleet.write(
    'integrations/terraform-resources.yml',
    integrationText(
      'terraform-resources',
      ['lab'],
      `    shardSpecOverrides:\n    - shard: { $ref: /aws/${name}.yml }\n      imageRef: ${tag}\n`,
    ),
  );

/** As the scale subresource leaves an object: no manager holds its replicas. */
function scaleToZero(name: string): void {
  const found = fleet.sim.store.get('apps/v1', 'Deployment', 'fleet', name);
  if (found === undefined) throw new Error(`no ${name}`);
  const scaled = fleet.sim.store.put({ ...found, spec: { ...(found['spec'] as object), replicas: 0 } }, 'scale');
  const managedFields = scaled.metadata.managedFields?.filter(({ manager }) => manager !== 'scale');
  fleet.sim.store.put({ ...scaled, metadata: { ...scaled.metadata, managedFields } });
}

describe('plan', () => {
  it('shows what is missing, and writes nothing', async () => {
    const { code, stdout, stderr } = await run(['plan']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ACTION +CLUSTER\/NAMESPACE +OBJECT +WHY$/),
      expect.stringMatching(
        /^create +lab\/fleet +Deployment qontract-reconcile-terraform-resources-alpha +does not exist$/,
      ),
    ]);
    expect(stdout).toMatch(/^Plan: 4 to create, 0 to update, 0 to delete; 0 unchanged\.$/m);
    expect(writesOf(fleet.sim)).toEqual([]);
  });

  it('tells programs the same, and by its exit code when they ask', async () => {
    const { code, stdout } = await run(['plan', '-o', 'json', '--detailed-exitcode']);
    const plan = JSON.parse(stdout);
    expect(code).toBe(2);
    expect(plan).toMatchObject({
      apiVersion: 'echelon/v1',
      kind: 'Plan',
      summary: { create: 4, keep: 0 },
      failures: [],
    });
    expect(plan.items.map(({ action, name }: { action: string; name: string }) => `${action} ${name}`)).toEqual([
      ...SHARDS.map((name) => `create ${name}`),
      'create qontract-reconcile',
    ]);
    await install();
    expect((await run(['plan', '--detailed-exitcode'])).code).toBe(0);
  });

  it('of one pinned shard is one update that names the image', async () => {
    await install();
    pin('beta', '0473914');
    const { stdout } = await run(['plan']);
    expect(stdout).toMatch(/update +lab\/fleet +Deployment \S+-beta +image f929a38 → 0473914/);
    expect(stdout).toMatch(/^Plan: 0 to create, 1 to update, 0 to delete; 3 unchanged\.$/m);
  });

  it.each([
    { args: ['--cluster', 'lap'], code: 1, told: /no cluster lap.*[\s\S]*did you mean lab/ },
    { args: ['--context', 'labb'], code: 1, told: /has no context labb/ },
    { args: ['--concurrency', '0'], code: 64, told: /whole number/ },
  ])('with $args says what is wrong', async ({ args, code, told }) => {
    const ran = await run(['plan', ...args]);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(told);
  });

  it('says how to reach a cluster that nothing leads to', async () => {
    const { code, stderr } = await run(['plan'], { KUBECONFIG: '/nowhere' });
    expect(code).toBe(1);
    expect(stderr).toContain('[KUBE_NO_ACCESS]');
    expect(stderr).toContain('--context lab=CONTEXT');
  });
});

describe('apply', () => {
  it('asks, and takes nothing but yes', async () => {
    const asked: string[] = [];
    const { main } = await import('../../src/cli/main.ts');
    const sink = { write: () => undefined, isTTY: true };
    const answer = async (text: string): Promise<number> =>
      main(['manager', 'apply', '--data', fleet.manager.path('instance')], {
        stdout: sink,
        stderr: sink,
        env: {
          KUBECONFIG: fleet.manager.path('kubeconfig'),
          HELM_BIN: process.env['HELM_BIN'] ?? '',
          ECHELON_CACHE: fleet.manager.path('cache'),
        },
        cwd: fleet.manager.root,
        signal: new AbortController().signal,
        ask: async (question) => {
          asked.push(question);
          return text;
        },
      });
    expect(await answer('y')).toBe(1);
    expect(names()).toEqual([]);
    expect(await answer('yes')).toBe(0);
    expect(names()).toEqual(SHARDS);
    expect(asked[0]).toContain('Apply 4 changes?');
  });

  it('refuses without a terminal, in CI too, unless --yes is given', async () => {
    const refused = await run(['apply']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('CONSENT_MISSING');
    expect(names()).toEqual([]);
    expect((await run(['apply'], { CI: 'true' })).stderr).toContain('CONSENT_MISSING');
    expect(names()).toEqual([]);
    expect((await run(['apply', '--yes'], { CI: 'true' })).code).toBe(0);
    expect(names()).toEqual(SHARDS);
  });

  it('S4: writes nothing the second time, and says so', async () => {
    expect((await install()).stdout).toMatch(/^Applied \S+: 4 objects written\.$/m);
    fleet.sim.clearRequests();
    const { code, stdout } = await install();
    expect(code).toBe(0);
    expect(stdout).toMatch(/Nothing to do: everything matches \S+\./);
    expect(writesOf(fleet.sim)).toEqual([]);
  });

  it('of one pinned shard changes one object', async () => {
    await install();
    const before = new Map(deployments().map(({ metadata }) => [metadata.name, metadata['generation']]));
    pin('beta', '0473914');
    fleet.sim.clearRequests();
    expect((await install()).code).toBe(0);
    expect(writesOf(fleet.sim)).toEqual([expect.stringMatching(/^PATCH .*deployments\/\S+-beta$/)]);
    const changed = deployments().filter(({ metadata }) => metadata['generation'] !== before.get(metadata.name));
    expect(changed.map(({ metadata }) => metadata.name)).toEqual([SHARDS[1]]);
    expect(images()[1]).toMatch(/:0473914$/);
  });

  it('takes away what is no longer declared', async () => {
    await install();
    fleet.manager.write(
      'instance/data/aws/gamma.yml',
      "$schema: /aws/account-1.yml\nname: gamma\nuid: '1'\nresourcesDefaultRegion: us-east-1\ndisable: { integrations: [terraform-resources] }\n",
    );
    const { code, stdout } = await install();
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 to delete/);
    expect(names()).toEqual(SHARDS.slice(0, 2));
  });

  it('P2: a dry run writes nothing, neither does a plan, diff or status', async () => {
    for (const command of [['apply', '--dry-run'], ['plan'], ['diff'], ['status']]) await run(command);
    await fleet.cli([
      'run',
      'integrations-manager',
      '--dry-run',
      '--run-once',
      '--metrics-port',
      '0',
      '--metrics-host',
      '127.0.0.1',
    ]);
    expect(writesOf(fleet.sim)).toEqual([]);
    expect(names()).toEqual([]);
  });

  it('P1: makes the calls that the plan shows, and no other', async () => {
    await install();
    pin('beta', '0473914');
    fleet.manager.write(
      'instance/data/aws/gamma.yml',
      "$schema: /aws/account-1.yml\nname: gamma\nuid: '1'\nresourcesDefaultRegion: us-east-1\ndisable: { integrations: [terraform-resources] }\n",
    );
    fleet.write(
      'aws/delta.yml',
      "$schema: /aws/account-1.yml\nname: delta\nuid: '1'\nresourcesDefaultRegion: us-east-1\n",
    );
    const { items } = JSON.parse((await run(['plan', '-o', 'json'])).stdout) as {
      items: { action: string; name: string }[];
    };
    fleet.sim.clearRequests();
    await install();
    const planned = items.map(({ action, name }) => `${action === 'delete' ? 'DELETE' : 'PATCH'} ${name}`);
    const called = fleet.sim.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
    expect(planned).toHaveLength(3);
    expect(called.sort()).toEqual(planned.sort());
  });
});

describe('what is in the way', () => {
  it('S3: is a foreign object of the same name, which is left alone until it is adopted', async () => {
    const [name = ''] = SHARDS;
    const labels = { app: 'theirs' };
    fleet.sim.store.put({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'fleet' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'x', image: 'y:1' }] } },
      },
    });
    const before = fleet.sim.store.get('apps/v1', 'Deployment', 'fleet', name)?.metadata.resourceVersion;
    const { code, stdout, stderr } = await install();
    expect(code).toBe(1);
    expect(stdout).toMatch(/conflict +lab\/fleet +Deployment \S+-alpha +it exists and is not owned by a manager/);
    expect(stderr).toContain('--adopt');
    expect(fleet.sim.store.get('apps/v1', 'Deployment', 'fleet', name)?.metadata.resourceVersion).toBe(before);
    expect(names()).toEqual(SHARDS);
    expect((await run(['apply', '--yes', '--adopt'])).code).toBe(0);
    expect(images()[0]).toMatch(/f929a38$/);
  });

  it('is a field that somebody else holds, until it is taken back', async () => {
    await install();
    const url = `${fleet.sim.url}/apis/apps/v1/namespaces/fleet/deployments/${SHARDS[0]}?fieldManager=kubectl-scale`;
    await fetch(url, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${SIM_TOKEN}`, 'Content-Type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { replicas: 0 } }),
    });
    const { code, stdout } = await install();
    expect(code).toBe(1);
    expect(stdout).toContain('spec.replicas (kubectl-scale)');
    expect(deployments()[0]?.['spec']).toMatchObject({ replicas: 0 });
    expect((await run(['apply', '--yes', '--force-conflicts'])).code).toBe(0);
    expect(deployments()[0]?.['spec']).toMatchObject({ replicas: 1 });
  });

  it('is a shard that was scaled to 0 by hand, in plan and status, until it is taken back', async () => {
    await install();
    scaleToZero(SHARDS[0] ?? '');
    pin('alpha', '0473914');
    const { code, stdout, stderr } = await install();
    expect(code).toBe(1);
    expect(stdout).toMatch(/conflict +lab\/fleet +Deployment \S+-alpha .*spec\.replicas \(scaled to 0 by hand\)/);
    expect(stderr).toContain('--force-conflicts');
    expect(deployments()[0]?.['spec']).toMatchObject({ replicas: 0 });
    expect((await run(['status'])).stdout).toMatch(
      /^lagging .* alpha .*conflict: it is set to 0 replicas \(scaled to 0 by hand\)$/m,
    );
    expect((await run(['apply', '--yes', '--force-conflicts'])).code).toBe(0);
    expect(deployments()[0]?.['spec']).toMatchObject({ replicas: 1 });
    expect(images()[0]).toMatch(/:0473914$/);
  });

  it('S6: is a mass deletion, until it is meant', async () => {
    fleet.write('integrations/terraform-users.yml', integrationText('terraform-users', ['lab']));
    fleet.write('integrations/terraform-vpc-peerings.yml', integrationText('terraform-vpc-peerings', ['lab']));
    await install();
    expect(names()).toHaveLength(9);
    for (const name of ['users', 'vpc-peerings']) {
      fleet.write(
        `integrations/terraform-${name}.yml`,
        `$schema: /app-sre/integration-1.yml\nname: terraform-${name}\ndescription: x\nschemas: []\n`,
      );
    }
    const { code, stdout, stderr } = await install();
    expect(code).toBe(1);
    expect(stdout).toMatch(/withhold +lab\/fleet/);
    expect(stderr).toContain('[MASS_DELETION]');
    expect(names()).toHaveLength(9);
    expect((await run(['apply', '--yes', '--allow-mass-deletion'])).code).toBe(0);
    expect(names()).toEqual(SHARDS);
  });

  it('is an error in the instance: nothing is deleted, everything else goes on', async () => {
    fleet.write('integrations/terraform-users.yml', integrationText('terraform-users', ['lab']));
    await install();
    fleet.write(
      'integrations/terraform-users.yml',
      integrationText('terraform-users', ['lab']).replace('200Mi', '200Gazillions'),
    );
    pin('alpha', '0473914');
    const { code, stdout, stderr } = await install();
    expect(code).toBe(1);
    expect(stderr).toContain('200Gazillions');
    expect(stdout).toMatch(/withhold .*the instance has 1 error/);
    expect(names()).toHaveLength(6);
    expect(images()[0]).toMatch(/:0473914$/);
  });
});

describe('a namespace that integrations left', () => {
  it('is emptied of what was ours, and of nothing else', async () => {
    fleet.write(
      'namespaces/second.yml',
      '$schema: /openshift/namespace-1.yml\nname: second\ncluster: { $ref: /clusters/lab.yml }\nenvironment: { $ref: /environments/lab.yml }\n',
    );
    fleet.sim.store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'second' } });
    const second = integrationText('terraform-users', ['second']);
    fleet.write('integrations/terraform-users.yml', second);
    await install();
    fleet.sim.store.put({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'theirs', namespace: 'second' },
      spec: { ports: [{ port: 1 }] },
    });
    expect(fleet.sim.store.list('apps/v1', 'Deployment', 'second')).toHaveLength(3);
    fleet.write(
      'integrations/terraform-users.yml',
      '$schema: /app-sre/integration-1.yml\nname: terraform-users\ndescription: x\nschemas: []\n',
    );
    expect((await run(['apply', '--yes', '--allow-mass-deletion'])).code).toBe(0);
    expect(fleet.sim.store.list('apps/v1', 'Deployment', 'second')).toEqual([]);
    expect(fleet.sim.store.list('v1', 'Service', 'second').map(({ metadata }) => metadata.name)).toEqual(['theirs']);
    expect(names()).toEqual(SHARDS);
  });
});

describe('a saved plan', () => {
  it('is carried out as it was made', async () => {
    const file = fleet.manager.path('plan.json');
    expect((await run(['plan', '--save', file])).code).toBe(0);
    expect(statSync(file).mode & 0o077).toBe(0);
    pin('alpha', '0473914');
    expect((await run(['apply', file, '--yes'])).code).toBe(0);
    expect(images().every((image) => image?.endsWith('f929a38'))).toBe(true);
  });

  it('is refused when something changed since, and nothing is applied', async () => {
    await install();
    pin('beta', '0473914');
    const file = fleet.manager.path('plan.json');
    await run(['plan', '--save', file]);
    pin('beta', 'a1b2c3d');
    await install();
    const { code, stderr } = await run(['apply', file, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain('PLAN_STALE');
    expect(stderr).toContain('-beta');
    expect(images()[1]).toMatch(/:a1b2c3d$/);
  });

  it.each([
    { given: 'edited', edit: (text: string) => text.replace('f929a38', '0473914') },
    { given: 'cut short', edit: (text: string) => text.slice(0, text.length / 2) },
    { given: 'something else', edit: () => '{"kind":"List"}' },
  ])('that was $given is refused', async ({ edit }) => {
    const file = fleet.manager.path('plan.json');
    await run(['plan', '--save', file]);
    writeFileSync(file, edit(readFileSync(file, 'utf8')));
    const { code, stderr } = await run(['apply', file, '--yes']);
    expect({ code, names: names() }).toEqual({ code: 1, names: [] });
    expect(stderr).toContain('PLAN_INVALID');
  });

  it('that does not exist is named', async () => {
    expect((await run(['apply', 'nowhere.json', '--yes'])).stderr).toContain(
      'cannot read the plan nowhere.json: ENOENT',
    );
    expect(existsSync('nowhere.json')).toBe(false);
  });
});

describe('diff', () => {
  it('shows the lines that change, and exits 1', async () => {
    await install();
    expect(await run(['diff'])).toMatchObject({ code: 0, stdout: '' });
    pin('beta', '0473914');
    const { code, stdout } = await run(['diff']);
    expect(code).toBe(1);
    const lines = stdout.split('\n').filter((line) => /^[-+]/.test(line));
    expect(lines).toContainEqual(expect.stringMatching(/^- +image: \S+:f929a38$/));
    expect(lines).toContainEqual(expect.stringMatching(/^\+ +image: \S+:0473914$/));
    expect(stdout).toContain(`merged/lab/fleet/deployment-${SHARDS[1]}.yaml`);
    expect(stdout).not.toContain(`${SHARDS[0]}`);
  });

  it('is made by another program where one is named', async () => {
    await install();
    pin('beta', '0473914');
    const { code, stdout } = await run(['diff'], { KUBECTL_EXTERNAL_DIFF: 'diff -rq' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/Files .*LIVE.*-beta\.yaml and .*MERGED.* differ/);
    expect(await run(['diff'], { KUBECTL_EXTERNAL_DIFF: 'no-such-program' })).toMatchObject({ code: 2 });
  });
});

describe('status', () => {
  const states = async (...args: string[]) => {
    const { code, stdout } = await run(['status', '-o', 'json', ...args]);
    const items = JSON.parse(stdout).items as { shard: string; state: string; ready: number; reason?: string }[];
    return { code, states: Object.fromEntries(items.map(({ shard, state }) => [shard ?? '-', state])), items };
  };

  it('tells missing, converged and pinned shards apart', async () => {
    expect(await states()).toMatchObject({ code: 1, states: { alpha: 'missing', beta: 'missing', gamma: 'missing' } });
    pin('beta', '0473914');
    await install();
    expect(await states()).toMatchObject({
      code: 0,
      states: { alpha: 'converged', beta: 'pinned', gamma: 'converged' },
    });
  });

  it('tells a shard that lags and why, and does not wait for ever', async () => {
    await install();
    pin('beta', 'broken-1');
    expect(await states()).toMatchObject({ code: 1, states: { beta: 'lagging' } });
    await install();
    const { code, items } = await states('--watch', '--timeout', '1s');
    expect(code).toBe(1);
    expect(items.find(({ shard }) => shard === 'beta')).toMatchObject({
      state: 'lagging',
      ready: 0,
      reason: 'ImagePullBackOff',
    });
  });

  it('tells disabled and unexpected shards', async () => {
    await install();
    fleet.write(
      'integrations/terraform-resources.yml',
      integrationText(
        'terraform-resources',
        ['lab'],
        '    shardSpecOverrides:\n    - shard: { $ref: /aws/gamma.yml }\n      disabled: true\n',
      ),
    );
    expect(await states()).toMatchObject({ code: 1, states: { gamma: 'unexpected' } });
    await install();
    expect(await states()).toMatchObject({ code: 0, states: { alpha: 'converged', gamma: 'disabled' } });
  });

  it('shows a table with a summary', async () => {
    await install();
    const { stdout } = await run(['status']);
    expect(stdout).toMatch(/^STATE +INTEGRATION +SHARD +CLUSTER\/NAMESPACE +IMAGE +READY +REASON$/m);
    expect(stdout).toMatch(/^converged +terraform-resources +alpha +lab\/fleet +f929a38 +1\/1 +-$/m);
    expect(stdout).toMatch(/^3 converged\.$/m);
  });
});

/** X1: the token is in nothing that any test printed. */
afterAll(() => {
  expect(outputs.length).toBeGreaterThan(50);
  expect(outputs.filter((text) => text.includes(SIM_TOKEN))).toEqual([]);
});

describe('X1: the token', () => {
  it('is hidden even where a server sends it back', async () => {
    fleet.sim.addFault({ path: /services/, status: 403, times: 99 });
    const { stderr } = await run(['plan']);
    expect(stderr).toContain('[KUBE_FORBIDDEN]');
    expect(stderr).not.toContain(SIM_TOKEN);
  });
});

describe('run integrations-manager', () => {
  it('makes one pass and tells what it did', async () => {
    const { code, stdout } = await fleet.cli([
      'run',
      'integrations-manager',
      '--run-once',
      '--metrics-port',
      '0',
      '--metrics-host',
      '127.0.0.1',
    ]);
    expect(code).toBe(0);
    expect(names()).toEqual(SHARDS);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ msg }) => msg === 'object applied').map(({ action }) => action)).toEqual(
      Array(4).fill('create'),
    );
  });

  it('runs what the variables of the pod say', async () => {
    const env = {
      INTEGRATION_NAME: 'integrations-manager',
      INTEGRATION_EXTRA_ARGS: '--environment-name lab',
      RUN_ONCE: '1',
      PROMETHEUS_PORT: '0',
      LOG_FORMAT: 'text',
    };
    const { code, stdout } = await fleet.cli(['run'], { env });
    expect(code).toBe(0);
    expect(names()).toEqual(SHARDS);
    expect(stdout).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[INFO\] .*started/m);
  });

  it.each([
    { env: { INTEGRATION_NAME: 'no-such-integration' }, code: 64 },
    { env: {}, code: 1 },
    { env: { INTEGRATION_NAME: 'integrations-manager', MANAGER_DRY_RUN: 'maybe' }, code: 1 },
  ])('with $env exits $code', async ({ env, code }) => {
    expect((await fleet.cli(['run'], { env })).code).toBe(code);
    expect(names()).toEqual([]);
  });
});
