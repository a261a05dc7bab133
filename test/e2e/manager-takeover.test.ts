import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accepted,
  CLUSTER,
  clusterFile,
  DONE,
  type Fleet,
  type ManagerWorld,
  pathOf,
  RESOURCE_SPEC,
  requestsOf,
  sayings,
  startManagerWorld,
  UPSTREAM,
} from '../support/manager-e2e.ts';
import { type KubeBody, REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { deployment } from '../support/real-kube-objects.ts';
import { testHelm } from '../support/render-chart.ts';
import { until } from '../support/until.ts';

interface Template {
  readonly spec: { containers: { name: string; env: { name: string; value?: string }[] }[] };
}

/** Names of the variables of the integration's container. */
function variablesOf({ spec }: KubeBody): string[] {
  const { containers } = (spec!['template'] as Template).spec;
  return containers.find(({ name }) => name === 'int')!.env.map(({ name }) => name);
}

function ownersOf({ metadata }: KubeBody): string[] {
  return metadata!.managedFields!.map(({ manager, operation }) => `${manager} ${operation}`);
}

const NAMES = (...names: string[]) => names.map((name) => ({ name, value: `of ${name}` }));

describe.skipIf(skipRealKube)('a manager among others on a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  async function tool(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const { stdout } = await promisify(execFile)(file, [...args, '--kubeconfig', world.kube.kubeconfig()], {
      env: { PATH: process.env['PATH'] ?? '', HOME: world.folder, ...env },
    });
    return stdout;
  }

  const kubectl = (args: readonly string[], env: Record<string, string> = {}): Promise<string> =>
    tool(world.kube.binaries.kubectl!, args, env);

  /** The objects that the instance declares, for somebody else to deploy. */
  async function rendered(fleet: Fleet): Promise<KubeBody[]> {
    const { stdout } = await fleet.run('manager render', ['-o', 'json']);
    return (JSON.parse(stdout) as { items: { objects: KubeBody[] }[] }).items[0]!.objects;
  }

  /** With a variable that the instance does not know. */
  function withVariable(object: KubeBody): KubeBody {
    const copy = structuredClone(object);
    if (copy.kind === 'Deployment') (copy.spec!['template'] as Template).spec.containers[0]!.env.push(...NAMES('OLD'));
    return copy;
  }

  async function converged(fleet: Fleet): Promise<void> {
    const mark = world.mark();
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect(requestsOf(world.writes(mark))).toEqual([]);
  }

  it('takes over what helm has installed when it is told to, and removes from then on what is no longer declared', async () => {
    const fleet = await world.fleet('from-helm');
    fleet.integration('a', { spec: { extraEnv: NAMES('STAYS', 'GOES') } });
    const chart = join(world.folder, 'chart');
    mkdirSync(join(chart, 'templates'), { recursive: true });
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: old\nversion: 1.0.0\n');
    const objects = (await rendered(fleet)).map(withVariable);
    writeFileSync(join(chart, 'templates/all.yaml'), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    await tool(await testHelm(), ['install', 'old', chart, '--namespace', fleet.namespace]);
    const made = await fleet.object('Deployment', 'qontract-reconcile-a');
    expect(variablesOf(made)).toEqual(expect.arrayContaining(['STAYS', 'GOES', 'OLD']));
    expect(ownersOf(made).some((owner) => owner.startsWith('helm'))).toBe(true);

    const mark = world.mark();
    const refused = await fleet.run('manager apply', ['--yes']);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('it exists and was deployed by Helm') });
    expect(refused.stderr).toContain('--adopt');
    expect(requestsOf(world.writes(mark))).toEqual([]);

    const predicted = await fleet.predicted(['--adopt']);
    expect(await fleet.run('manager apply', ['--yes', '--adopt'])).toMatchObject(DONE);
    expect(sayings(predicted)).toEqual(sayings(await fleet.objects()));
    const adopted = await fleet.object('Deployment', 'qontract-reconcile-a');
    expect(adopted.metadata!.uid).toBe(made.metadata!.uid);
    expect(variablesOf(adopted)).toEqual(expect.arrayContaining(['STAYS', 'GOES']));
    expect(variablesOf(adopted)).not.toContain('OLD');
    expect(ownersOf(adopted).filter((owner) => owner.startsWith('helm'))).toEqual([]);
    await converged(fleet);

    fleet.integration('a', { spec: { extraEnv: NAMES('STAYS') } });
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    const later = await fleet.object('Deployment', 'qontract-reconcile-a');
    expect(variablesOf(later)).toContain('STAYS');
    expect(variablesOf(later)).not.toContain('GOES');
    await converged(fleet);
  });

  /** As existing fleets mark what they deploy. */
  const marked = (object: KubeBody, caller = UPSTREAM): KubeBody => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {
        'qontract.integration': 'integrations-manager',
        'qontract.integration_version': '0.1.0',
        'qontract.sha256sum': 'a'.repeat(64),
        'qontract.caller_name': caller,
      },
    },
  });

  async function appliedByKubectl(fleet: Fleet, objects: readonly KubeBody[]): Promise<void> {
    const file = join(world.folder, `${fleet.namespace}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await kubectl(['apply', '-f', file]);
  }

  it('takes over what an existing manager has applied, without a restart of any pod', async () => {
    const fleet = await world.fleet('from-kubectl');
    fleet.integration('a', { spec: { extraEnv: NAMES('GOES') }, sharding: { strategy: 'static', shards: 2 } });
    await appliedByKubectl(
      fleet,
      (await rendered(fleet)).map((object) => marked(object)),
    );
    const list = async (path: string): Promise<KubeBody[]> => [...(await world.kube.harness('GET', path)).body.items!];
    const running = async (): Promise<(string | undefined)[]> => [
      ...(await list(`/apis/apps/v1/namespaces/${fleet.namespace}/replicasets`)).map(({ metadata }) => metadata!.uid),
      ...(await list(`/api/v1/namespaces/${fleet.namespace}/pods`)).map(({ metadata }) => metadata!.uid),
    ];
    const before = await until(async () => ((await running()).length === 4 ? running() : undefined), {
      timeoutSeconds: 60,
      what: 'both deployments have a pod',
    });
    const made = await fleet.object('Deployment', 'qontract-reconcile-a-0');
    expect(ownersOf(made)).toContain('kubectl-client-side-apply Update');

    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    const taken = await fleet.object('Deployment', 'qontract-reconcile-a-0');
    expect(taken.metadata!.uid).toBe(made.metadata!.uid);
    expect(taken.spec).toEqual(made.spec);
    expect(ownersOf(taken)).not.toContain('kubectl-client-side-apply Update');
    await converged(fleet);
    // A Deployment gets a new generation with new annotations, too.
    const seen = async (): Promise<boolean> => {
      const { metadata, status } = await fleet.object('Deployment', 'qontract-reconcile-a-0');
      return (status as { observedGeneration: number }).observedGeneration === metadata!.generation;
    };
    await until(seen, { timeoutSeconds: 30, what: 'the controller has seen it' });
    expect(await running()).toEqual(before);

    fleet.integration('a', { sharding: { strategy: 'static', shards: 2 } });
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect(variablesOf(await fleet.object('Deployment', 'qontract-reconcile-a-0'))).not.toContain('GOES');
  });

  it('shows by diff what will be of all that an existing manager has applied', async () => {
    const fleet = await world.fleet('foretold');
    fleet.integration('a');
    fleet.integration('c', { spec: { cron: '0 0 1 1 *' } });
    fleet.integration('s', { spec: { cache: true, storage: '1Gi', storageClassName: 'fast' } });
    await appliedByKubectl(
      fleet,
      (await rendered(fleet)).map(withVariable).map((object) => marked(object)),
    );
    const predicted = await fleet.predicted(['--adopt-templates']);
    expect(predicted).toHaveLength(4);
    expect(await fleet.run('manager apply', ['--yes', '--adopt-templates'])).toMatchObject(DONE);
    const live = await fleet.objects();
    expect(sayings(predicted)).toEqual(sayings(live));
    expect(variablesOf(live.find(({ kind }) => kind === 'Deployment')!)).not.toContain('OLD');
    await converged(fleet);
  });

  it('changes no pod template of an existing manager without consent, also when it takes over once more', async () => {
    const fleet = await world.fleet('templates');
    for (const name of ['a', 'b']) fleet.integration(name);
    const theirs = (replicas: number): Promise<KubeBody[]> =>
      rendered(fleet).then((objects) =>
        objects.map((object) => {
          if (object.metadata!.name === 'qontract-reconcile-a') return marked(withVariable(object));
          return marked(object.kind === 'Deployment' ? { ...object, spec: { ...object.spec, replicas } } : object);
        }),
      );
    const both = async (): Promise<unknown[]> => {
      const [a, b] = await Promise.all(
        ['a', 'b'].map((name) => fleet.object('Deployment', `qontract-reconcile-${name}`)),
      );
      return [variablesOf(a!).includes('OLD'), b!.spec!['replicas']];
    };
    for (const replicas of [1, 2]) {
      await appliedByKubectl(fleet, await theirs(replicas));
      const { stdout } = await fleet.run('manager plan');
      expect(stdout).toMatch(
        /^Takeover: 2 workloads of an existing manager; 1 pod template changes, .*\n.*env\[OLD\] \(1\)\n/,
      );
      const refused = await fleet.run('manager apply', ['--yes']);
      expect(refused).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/withhold .*qontract-reconcile-a .*env\[OLD\]/),
      });
      expect(await both()).toEqual([true, 1]);
      expect(await fleet.run('manager apply', ['--yes', '--adopt-templates'])).toMatchObject(DONE);
      expect(await both()).toEqual([false, 1]);
      expect(ownersOf(await fleet.object('Deployment', 'qontract-reconcile-a'))).not.toContain(
        'kubectl-client-side-apply Update',
      );
      await converged(fleet);
    }
  });

  it('removes what an existing manager has applied and nobody declares any more', async () => {
    const fleet = await world.fleet('pruned');
    fleet.integration('a');
    fleet.integration('b');
    await appliedByKubectl(
      fleet,
      (await rendered(fleet)).map((object) => marked(object)),
    );
    fleet.drop('b');
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect((await fleet.objects()).map(({ metadata }) => metadata!.name)).toEqual([
      'qontract-reconcile-a',
      'qontract-reconcile',
    ]);
  });

  it('S3: leaves alone what is not its own, to the last byte, and tells', async () => {
    const fleet = await world.fleet('foreign');
    fleet.integration('a', { sharding: { strategy: 'static', shards: 2 } });
    fleet.integration('c', { spec: { cron: '0 0 1 1 *' } });
    const foreign = deployment('qontract-reconcile-a-1', { replicas: 0 });
    await world.kube.admin('POST', pathOf('Deployment', fleet.namespace), foreign);
    const [cron] = (await rendered(fleet)).filter(({ kind }) => kind === 'CronJob');
    const others = marked(cron!);
    (others.metadata!['annotations'] as Record<string, string>)['qontract.caller_name'] = 'https://example.com/other';
    await world.kube.admin('POST', pathOf('CronJob', fleet.namespace), others);
    const both = async (): Promise<KubeBody[]> => [
      await fleet.object('Deployment', 'qontract-reconcile-a-1'),
      await fleet.object('CronJob', 'qontract-reconcile-c'),
    ];
    const settled = async (): Promise<boolean> => {
      const [one] = await both();
      const { conditions = [] } = (one!.status ?? {}) as { conditions?: { reason: string }[] };
      return conditions.some(({ reason }) => reason === 'NewReplicaSetAvailable');
    };
    await until(settled, { timeoutSeconds: 60, what: 'the controller is done with the foreign deployment' });
    const before = await both();
    const ran = await fleet.run('manager apply', ['--yes', '-o', 'wide']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/conflict .*Deployment qontract-reconcile-a-1 +it exists and is not owned by a manager/);
    expect(ran.stdout).toMatch(
      /conflict .*CronJob qontract-reconcile-c +it belongs to the manager of https:\/\/example.com/,
    );
    expect(await both()).toEqual(before);
    expect(ownersOf(await fleet.object('Deployment', 'qontract-reconcile-a-0'))).toContain('echelon Apply');
    fleet.drop('c');
    fleet.integration('a', { sharding: { strategy: 'static', shards: 1 } });
    expect((await fleet.run('manager apply', ['--yes'])).code).toBe(0);
    expect(await both()).toEqual(before);
  });

  describe('a field that somebody else has changed', () => {
    it.each([
      { by: 'kubectl scale', manager: 'kubectl', args: ['scale', '--replicas=3'] },
      { by: 'kubectl scale to 0', manager: 'scaled to 0 by hand', args: ['scale', '--replicas=0'], left: 0 },
      {
        by: 'kubectl edit',
        manager: 'kubectl-edit',
        args: ['patch', '--field-manager=kubectl-edit', '-p', '{"spec":{"replicas":3}}'],
      },
      { by: 'kubectl patch', manager: 'kubectl-patch', args: ['patch', '-p', '{"spec":{"replicas":3}}'] },
    ])('by $by is a conflict with $manager in plan and status, until it is taken back', async (row) => {
      const { by, args, manager, left = 3 } = row;
      const fleet = await world.fleet(`conflict-${by.replaceAll(' ', '-')}`);
      fleet.integration('a');
      fleet.integration('b');
      expect((await fleet.run('manager apply', ['--yes'])).code).toBe(0);
      const [verb = '', ...rest] = args;
      const object = ['deployment', 'qontract-reconcile-a', '-n', fleet.namespace];
      await kubectl([verb, ...object, ...rest]);
      const replicas = async (): Promise<unknown> =>
        (await fleet.object('Deployment', 'qontract-reconcile-a')).spec!['replicas'];
      expect(await replicas()).toBe(left);
      fleet.integration('b', { spec: { sleepDurationSecs: '60' } });
      const mark = world.mark();
      const ran = await fleet.run('manager apply', ['--yes']);
      expect(ran.code).toBe(1);
      const told = new RegExp(`conflict .*qontract-reconcile-a .*spec\\.replicas \\(${manager}\\)`);
      expect(ran.stdout).toMatch(told);
      expect(ran.stderr).toContain('--force-conflicts');
      expect(requestsOf(accepted(world.writes(mark)))).toEqual(['patch deployments qontract-reconcile-b']);
      expect(await replicas()).toBe(left);
      const status = await fleet.run('manager status');
      expect(status.stdout).toContain(`conflict: it is set to ${left} replicas (${manager})`);
      expect(await fleet.run('manager apply', ['--yes', '--force-conflicts'])).toMatchObject(DONE);
      expect(await replicas()).toBe(1);
      await converged(fleet);
    });
  });

  it('leaves a restart that somebody asked for as it is, also with the next change', async () => {
    const fleet = await world.fleet('restarted');
    fleet.integration('a');
    expect((await fleet.run('manager apply', ['--yes'])).code).toBe(0);
    const object = 'deployment/qontract-reconcile-a';
    const restartedAt = async (): Promise<unknown> => {
      const { spec } = await fleet.object('Deployment', 'qontract-reconcile-a');
      const { metadata } = spec!['template'] as { metadata: { annotations?: Record<string, string> } };
      return metadata.annotations?.['kubectl.kubernetes.io/restartedAt'];
    };
    expect(await restartedAt()).toBeUndefined();
    await kubectl(['rollout', 'restart', object, '-n', fleet.namespace]);
    const asked = await restartedAt();
    expect(asked).toEqual(expect.any(String));
    await converged(fleet);
    fleet.integration('a', { spec: { extraEnv: NAMES('NEW') } });
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect(variablesOf(await fleet.object('Deployment', 'qontract-reconcile-a'))).toContain('NEW');
    expect(await restartedAt()).toBe(asked);
    await converged(fleet);
  });

  it('settles with the other managers of a namespace, existing ones too, on the Service that they share', async () => {
    const fleet = await world.fleet('neighbours');
    const [first, second, third] = [UPSTREAM, 'https://example.com/second', 'https://example.com/third'];
    const file = (name: string, upstream: string): void => {
      const managed = [{ namespace: { $ref: `/namespaces/${fleet.namespace}.yml` }, spec: RESOURCE_SPEC }];
      fleet.write(`integrations/${name}.yml`, {
        ...{ $schema: '/app-sre/integration-1.yml', name, upstream, schemas: [], managed },
      });
    };
    file('a', first);
    file('b', second);
    const pass = async (upstream: string): Promise<string[]> => {
      const mark = world.mark();
      const scope = ['--upstream', upstream, '--cluster', CLUSTER];
      expect((await fleet.run('manager apply', ['--yes', ...scope])).code).toBe(0);
      return requestsOf(accepted(world.writes(mark)));
    };
    const caller = async (): Promise<unknown> => {
      const { metadata } = await fleet.object('Service', 'qontract-reconcile');
      return (metadata!['annotations'] as Record<string, string>)['qontract.caller_name'];
    };
    await pass(first);
    expect(await pass(second)).toEqual(['patch deployments qontract-reconcile-b']);
    expect([await pass(first), await pass(second), await caller()]).toEqual([[], [], first]);

    const renamed = ({ metadata, ...rest }: KubeBody, name: string): KubeBody => ({
      ...rest,
      metadata: { ...metadata, name },
    });
    const [deployed, , shared] = await rendered(fleet);
    const theirs = [renamed(deployed!, 'qontract-reconcile-c'), shared!];
    await appliedByKubectl(
      fleet,
      theirs.map((object) => marked(object, third)),
    );
    expect([await pass(first), await pass(second), await caller()]).toEqual([[], [], third]);

    fleet.drop('a');
    expect(await pass(first)).toEqual(['delete deployments qontract-reconcile-a']);
    fleet.drop('b');
    expect(await pass(second)).toEqual(['delete deployments qontract-reconcile-b']);
    expect(await caller()).toBe(third);
  });

  it('gives every upstream its image and its objects, with one manager for all and with one for each', async () => {
    const fleet = await world.fleet('upstreams');
    const second = 'https://example.com/second';
    const file = (name: string, upstream: string): void => {
      const managed = [{ namespace: { $ref: `/namespaces/${fleet.namespace}.yml` }, spec: RESOURCE_SPEC }];
      fleet.write(`integrations/${name}.yml`, {
        ...{ $schema: '/app-sre/integration-1.yml', name, description: name, upstream, schemas: [], managed },
      });
    };
    file('a', UPSTREAM);
    file('b', second);
    const pass = async (...args: readonly string[]): Promise<string[]> => {
      const mark = world.mark();
      expect((await fleet.run('manager apply', ['--yes', ...args])).code).toBe(0);
      return requestsOf(accepted(world.writes(mark)));
    };
    const runs = async (name: string): Promise<readonly unknown[]> => {
      const { metadata, spec } = await fleet.object('Deployment', `qontract-reconcile-${name}`);
      const [first] = (spec!['template'] as { spec: { containers: { image: string }[] } }).spec.containers;
      return [first?.image.split(':')[0], (metadata!['annotations'] as Record<string, string>)['qontract.caller_name']];
    };
    await pass();
    expect(await runs('b')).toEqual(['quay.io/app-sre/qontract-reconcile', UPSTREAM]);
    expect(await pass('--upstream', UPSTREAM, '--allow-mass-deletion')).toEqual([]);
    mkdirSync(join(fleet.root, 'resources/echelon'), { recursive: true });
    writeFileSync(
      join(fleet.root, 'resources/echelon/manager.yml'),
      `upstreams: [{ url: '${second}', image: example.com/second, tag: v1 }]\n`,
    );
    expect(await pass()).toEqual(['patch deployments qontract-reconcile-b']);
    expect([await runs('a'), await runs('b')]).toEqual([
      ['quay.io/app-sre/qontract-reconcile', UPSTREAM],
      ['example.com/second', second],
    ]);
    expect([await pass(), await pass('--upstream', UPSTREAM), await pass('--upstream', second)]).toEqual([[], [], []]);
    file('b', UPSTREAM);
    expect([await pass('--upstream', UPSTREAM), await pass()]).toEqual([
      ['patch deployments qontract-reconcile-b'],
      [],
    ]);
    expect(await runs('b')).toEqual(['quay.io/app-sre/qontract-reconcile', UPSTREAM]);
  });

  it('keeps what is declared under another name of the same API server, in another and in the same namespace', async () => {
    const fleet = await world.fleet('twins');
    await world.createNamespace('twins-too');
    const server = `${world.kube.server.toUpperCase().replace('HTTPS', 'https')}/`;
    fleet.write('clusters/twin.yml', clusterFile('twin', server));
    fleet.declare('twins-too', 'twin');
    const [cluster, environment] = [{ $ref: '/clusters/twin.yml' }, { $ref: '/environment.yml' }];
    const same = { $schema: '/openshift/namespace-1.yml', name: 'twins', cluster, environment };
    fleet.write('namespaces/twins-same.yml', same);
    fleet.integration('a');
    fleet.integration('b', { namespace: 'twins-too' });
    fleet.integration('c', { namespace: 'twins-same' });
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    await converged(fleet);
    fleet.drop('c');
    const mark = world.mark();
    expect(await fleet.run('manager apply', ['--yes'])).toMatchObject(DONE);
    expect(requestsOf(accepted(world.writes(mark)))).toEqual(['delete deployments qontract-reconcile-c']);
    const validated = await fleet.run('validate');
    expect(validated.stdout).toMatch(/cluster twin has the same API server as cluster \S+ in data\/clusters\//);
  });

  it('X1: never shows a secret', () => {
    const { outputs, with: leaking } = world.leaks();
    expect(outputs).toBeGreaterThan(20);
    expect(leaking).toEqual([]);
  });
});
