import { readFileSync, renameSync } from 'node:fs';
import { load, loadAll } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadYamlDocuments } from '../../src/instance/index.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { filesBelow, type ManagerRun, managerRun } from '../support/manager-run.ts';
import { testHelm } from '../support/render-chart.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

let manager: ManagerRun;
beforeEach(async () => {
  manager = await managerRun();
});
afterEach(() => manager.dispose());

const EDGE = ['--environment-name', 'edge-lab'];

const render = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  manager.run(['render', '--data', EXAMPLE_INSTANCE, ...args], { env });

interface Desired {
  readonly cluster: string;
  readonly namespace: string;
  readonly objects: readonly { readonly kind: string; readonly metadata: { name: string; namespace: string } }[];
}

const desired = (stdout: string): Desired[] => JSON.parse(stdout).items;

describe('render', () => {
  it('as JSON lists namespaces with their objects, ordered by kind and name', async () => {
    const { code, stdout, stderr } = await render([...EDGE, '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ apiVersion: 'echelon/v1', kind: 'DesiredList' });
    const [{ cluster, namespace, objects } = { objects: [] }] = desired(stdout) as [
      Partial<Desired> & Pick<Desired, 'objects'>,
    ];
    expect({ cluster, namespace }).toEqual({ cluster: 'edge-lab-01', namespace: 'edge-lab' });
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      'Deployment edge-lab/qontract-reconcile-fleet-label-exporter',
      'Deployment edge-lab/qontract-reconcile-integrations-manager',
      'Service edge-lab/qontract-reconcile',
    ]);
  });

  it('orders the objects of every namespace, whatever the order of the chart', async () => {
    for (const { objects } of desired((await render(['-o', 'json'])).stdout)) {
      const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(keys).toEqual(keys.toSorted());
      expect(keys.length).toBeGreaterThan(2);
    }
  });

  it('as YAML says the same, a document for each object', async () => {
    const objects = desired((await render(['-o', 'json'])).stdout).flatMap((item) => item.objects);
    const { stdout } = await render();
    expect({ yaml11: loadYamlDocuments(stdout), yaml12: loadAll(stdout) }).toEqual({
      yaml11: objects,
      yaml12: objects,
    });
    expect(stdout.match(/^# .*$/gm)).toHaveLength(objects.length);
    expect(new Set(stdout.match(/^# .*$/gm))).toEqual(
      new Set([
        '# app-sre-prod-01/app-interface-production',
        '# app-sre-prod-02/app-interface-internal',
        '# app-sre-stage-01/app-interface-stage',
        '# edge-lab-01/edge-lab',
      ]),
    );
  });

  it('leaves no parameter and no image that ends in @', async () => {
    const { stdout } = await render();
    expect(stdout).not.toMatch(/image: .*@$/m);
    expect(stdout).not.toContain('${');
  });

  it.each([
    { from: 'the environment', args: [], env: {}, value: '--dry-run' },
    { from: 'the process', args: [], env: { DRY_RUN: '--process' }, value: '--process' },
    { from: 'a flag', args: ['-p', 'DRY_RUN=--flag'], env: { DRY_RUN: '--process' }, value: '--flag' },
  ])('takes a parameter from $from', async ({ args, env, value }) => {
    const { stdout } = await render([...EDGE, ...args], env);
    expect(new Set(stdout.match(/(?<=- name: DRY_RUN\n {14}value: ).*/g))).toEqual(new Set([value]));
  });

  it('says when there is nothing to render', async () => {
    const nothing = { code: 0, stdout: '', stderr: 'no managed integrations in scope\n' };
    expect(await render(['--environment-name', 'payments-stage'])).toEqual(nothing);
  });
});

describe('render is the same to the byte', () => {
  let copy: InstanceCopy;
  beforeEach(() => {
    copy = copyInstance();
  });
  afterEach(() => copy.dispose());

  it.each([
    { given: 'another time', arrange: () => undefined },
    { given: 'with files of integrations named so that their order is another', arrange: reverseIntegrations },
    { given: 'with an account in another file', arrange: moveAccount },
    { given: 'with the entries of an integration in another order', arrange: swapEntries },
    { given: 'with the overrides of an integration in another order', arrange: swapOverrides },
  ])('$given', async ({ arrange }) => {
    const line = ['render', '--data', copy.root, '--no-cache'];
    const before = await manager.run(line);
    arrange(copy);
    const after = await manager.run(line);
    expect(after).toEqual(before);
    expect(before).toMatchObject({ code: 0, stderr: '' });
  });
});

function reverseIntegrations(copy: InstanceCopy): void {
  const names = [
    'advanced-upgrade-scheduler.yml',
    'openshift-resources.yml',
    'terraform-users.yml',
    'slack-usergroups.yml',
  ];
  for (const [index, name] of names.entries()) {
    renameSync(copy.path(`data/integrations/${name}`), copy.path(`data/integrations/${index % 2 ? 'a' : 'z'}-${name}`));
  }
}

function moveAccount(copy: InstanceCopy): void {
  const [from, to] = ['/aws/payments/account.yml', '/aws/zz-moved.yml'];
  const referring = Object.keys(filesBelow(copy.root)).filter((file) => copy.text(file).includes(from));
  for (const file of referring) copy.write(file, copy.text(file).replaceAll(from, to));
  renameSync(copy.path(`data${from}`), copy.path(`data${to}`));
  expect(referring).toContain('data/integrations/terraform-resources.yml');
}

function swapEntries(copy: InstanceCopy): void {
  const [head = '', first = '', second = ''] = copy
    .text('data/integrations/quay-mirror.yaml')
    .split(/^(?=- namespace:)/m);
  copy.write('data/integrations/quay-mirror.yaml', `${head}${second.trimEnd()}\n\n${first}`);
}

function swapOverrides(copy: InstanceCopy): void {
  const file = copy.text('data/integrations/terraform-resources.yml');
  const content = load(file) as { managed: { sharding?: { shardSpecOverrides?: unknown[] } }[] };
  for (const { sharding } of content.managed) sharding?.shardSpecOverrides?.reverse();
  copy.write('data/integrations/terraform-resources.yml', `---\n${JSON.stringify(content)}\n`);
}

describe('what was rendered before', () => {
  /** A helm that notes each time that it runs. */
  async function countedHelm(): Promise<{ helm: string; runs: () => number }> {
    const runs = manager.write('runs', '');
    const helm = manager.write('helm', `#!/bin/sh\necho >> ${runs}\nexec ${await testHelm()} "$@"\n`, 0o755);
    return { helm, runs: () => readFileSync(runs, 'utf8').length };
  }

  it.each([
    { given: 'the same again', args: [], env: {}, again: 0 },
    { given: 'another variable that the chart has no use for', args: [], env: { OTHER: '1' }, again: 0 },
    { given: 'another value of a parameter', args: ['-p', 'DRY_RUN=--x'], env: {}, again: 2 },
    { given: '--no-cache', args: ['--no-cache'], env: {}, again: 2 },
    { given: 'another cache', args: [], env: { XDG_CACHE_HOME: 'other' }, again: 2 },
  ])('takes helm $again times for $given', async ({ given, args, env, again }) => {
    const { helm, runs } = await countedHelm();
    const first = await render([...EDGE, '--helm', helm]);
    // Two integrations of different upstreams.
    expect(runs()).toBe(2);
    const cache = manager.path(env.XDG_CACHE_HOME ?? 'cache');
    const second = await render([...EDGE, '--helm', helm, ...args], { ...env, XDG_CACHE_HOME: cache });
    expect(runs()).toBe(2 + again);
    expect(second.code).toBe(0);
    if (!given.includes('value')) expect(second.stdout).toBe(first.stdout);
  });

  it('is rendered again when only one namespace changes, for that one', async () => {
    const { helm, runs } = await countedHelm();
    const copy = copyInstance();
    await manager.run(['render', '--data', copy.root, '--helm', helm]);
    const first = runs();
    copy.replace('data/integrations/ldap-users.yml', 'memory: 300Mi', 'memory: 301Mi');
    await manager.run(['render', '--data', copy.root, '--helm', helm]);
    copy.dispose();
    expect(runs()).toBe(first + 1);
  });
});

describe('render without a helm that works', () => {
  it('says which one was named', async () => {
    const { code, stdout, stderr } = await render(EDGE, { HELM_BIN: '/nowhere/helm' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'error: /nowhere/helm, named by HELM_BIN, is not an executable file\n code: HELM_NOT_FOUND\n' +
        ' hint: pass the helm binary, or omit it to use the one in PATH\n',
    );
  });
});
