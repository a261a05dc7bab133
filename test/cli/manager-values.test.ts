import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadYaml } from '../../src/instance/yaml/yaml11.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

const values = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  runCli(['manager', 'values', '--data', EXAMPLE_INSTANCE, ...args], { env });

interface Entry {
  readonly name: string;
  readonly shard_specs: readonly Record<string, unknown>[];
}

interface Item {
  readonly cluster: string;
  readonly namespace: string;
  readonly environment: string;
  readonly values: { readonly integrations: readonly Entry[]; readonly cronjobs: readonly Entry[] };
}

async function items(args: readonly string[], env?: Record<string, string>): Promise<Item[]> {
  return JSON.parse((await values([...args, '-o', 'json'], env)).stdout).items;
}

const PRODUCTION = ['app-sre-prod-01/app-interface-production', 'app-sre-prod-02/app-interface-internal'];
const STAGE = 'app-sre-stage-01/app-interface-stage';
const EDGE = 'edge-lab-01/edge-lab';

describe('the values of a namespace', () => {
  it('are printed with where they are for', async () => {
    const { code, stdout, stderr } = await values(['--environment-name', 'edge-lab']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/^revision: .*$/m, 'revision: R')).toBe(`apiVersion: echelon/v1
kind: ValuesList
revision: R
items:
  - cluster: edge-lab-01
    namespace: edge-lab
    environment: edge-lab
    file: /services/fleet-tools/namespaces/edge-lab.yml
    values:
      integrations:
        - disableUnleash: true
          resources:
            requests:
              cpu: 20m
              memory: 64Mi
            limits:
              memory: 128Mi
          sleepDurationSecs: '120'
          name: fleet-label-exporter
          healthz: false
          shard_specs:
            - shards: '1'
              shard_id: '0'
              shard_key: ''
              shard_name_suffix: ''
              extra_args: ''
        - command: qontract-reconcile
          disableUnleash: true
          environmentAware: true
          extraArgs: --upstream https://github.com/example/fleet-tools --environment-name edge-lab
          logs:
            slack: true
            govSlack: true
          resources:
            requests:
              cpu: 100m
              memory: 300Mi
            limits:
              cpu: 500m
              memory: 600Mi
          sleepDurationSecs: '900'
          name: integrations-manager
          shard_specs:
            - shards: '1'
              shard_id: '0'
              shard_key: ''
              shard_name_suffix: ''
              extra_args: --upstream https://github.com/example/fleet-tools --environment-name edge-lab
      cronjobs: []
`);
  });

  it('say the same as YAML 1.1, YAML 1.2 and JSON', async () => {
    const json = JSON.parse((await values(['-o', 'json'])).stdout);
    const yaml = (await values()).stdout;
    expect({ yaml11: loadYaml(yaml).value, yaml12: load(yaml) }).toEqual({ yaml11: json, yaml12: json });
  });

  it('have what runs on a schedule apart', async () => {
    const [namespace] = await items(['--environment-name', 'app-interface-production']);
    expect(namespace?.values.cronjobs.map(({ name }) => name)).toEqual(['dashdotdb-slo']);
    expect(namespace?.values.integrations.map(({ name }) => name)).not.toContain('dashdotdb-slo');
  });

  it('carry overrides with their shard, in all parts of it', async () => {
    const all = await items(['--environment-name', 'app-interface-production']);
    const entries = all.flatMap(({ values: { integrations } }) => integrations);
    const shards = entries
      .filter(({ name }) => name === 'openshift-vault-secrets')
      .flatMap((entry) => entry.shard_specs);
    const part = (id: string) => ({
      shards: '2',
      shard_id: id,
      shard_key: 'app-sre-ci',
      shard_name_suffix: `-app-sre-ci-${id}`,
      extra_args: ' --cluster-name app-sre-ci',
      shard_spec_overrides: { shard: { name: 'app-sre-ci' }, imageRef: '0473914' },
    });
    expect(shards.filter(({ shard_key }) => shard_key === 'app-sre-ci')).toEqual([part('0'), part('1')]);
  });
});

describe('which namespaces', () => {
  it.each([
    { given: 'nothing', args: [], env: {}, are: [...PRODUCTION, STAGE, EDGE] },
    { given: 'a flag', args: ['--environment-name', 'app-interface-stage'], env: {}, are: [STAGE] },
    { given: 'a variable', args: [], env: { ENVIRONMENT_NAME: 'app-interface-production' }, are: PRODUCTION },
    { given: 'an empty variable', args: [], env: { ENVIRONMENT_NAME: '' }, are: [...PRODUCTION, STAGE, EDGE] },
    {
      given: 'a flag and a variable',
      args: ['--environment-name', 'edge-lab'],
      env: { ENVIRONMENT_NAME: 'app-interface-production' },
      are: [EDGE],
    },
    {
      given: 'an empty flag and a variable',
      args: ['--environment-name', ''],
      env: { ENVIRONMENT_NAME: 'app-interface-production' },
      are: [...PRODUCTION, STAGE, EDGE],
    },
  ])('with $given', async ({ args, env, are }) => {
    expect((await items(args, env)).map(({ cluster, namespace }) => `${cluster}/${namespace}`)).toEqual(are);
  });

  it.each([
    { args: ['--environment-name', 'edge-lap'], env: {}, hint: 'did you mean edge-lab?' },
    {
      args: [],
      env: { ENVIRONMENT_NAME: 'app-interface' },
      hint: 'did you mean app-interface-production or app-interface-stage?',
    },
  ])('with an environment that does not exist, $args $env', async ({ args, env, hint }) => {
    const { code, stdout, stderr } = await values(args, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: no environment \S+ in this instance\n code: ENVIRONMENT_UNKNOWN\n/);
    expect(stderr).toContain(hint);
  });

  it('with an environment in which nothing is managed, and that is said', async () => {
    const { code, stdout, stderr } = await values(['--environment-name', 'payments-stage', '-o', 'json']);
    expect({ code, items: JSON.parse(stdout).items, stderr }).toEqual({
      code: 0,
      items: [],
      stderr: 'no managed integrations in scope\n',
    });
  });
});

describe('which integrations', () => {
  const names = async (args: readonly string[], env?: Record<string, string>) =>
    new Set((await items(args, env)).flatMap(({ values: v }) => [...v.integrations, ...v.cronjobs].map((e) => e.name)));

  it.each([
    { given: 'a flag', args: ['--upstream', 'https://github.com/example/fleet-tools'], env: {} },
    { given: 'a variable', args: [], env: { INTEGRATIONS_MANAGER_UPSTREAM: 'https://github.com/example/fleet-tools' } },
    {
      given: 'a flag and a variable',
      args: ['--upstream', 'https://github.com/example/fleet-tools'],
      env: { INTEGRATIONS_MANAGER_UPSTREAM: 'https://github.com/app-sre/qontract-reconcile' },
    },
  ])('with the upstream as $given: those of that upstream', async ({ args, env }) => {
    expect(await names(args, env)).toEqual(new Set(['fleet-label-exporter']));
  });

  it('without an upstream: all', async () => {
    const all = await names([], { INTEGRATIONS_MANAGER_UPSTREAM: '' });
    expect(all.size).toBeGreaterThan(15);
    expect([...all]).toEqual(expect.arrayContaining(['fleet-label-exporter', 'terraform-resources']));
  });

  it('with an upstream that is written another way: an error with the right one', async () => {
    const args = [
      'manager',
      'values',
      '--data',
      EXAMPLE_INSTANCE,
      '--upstream',
      'https://github.com/example/fleet-tools/',
    ];
    const { code, stderr } = await runCli(args);
    expect(code).toBe(1);
    expect(stderr).toContain('hint: did you mean https://github.com/example/fleet-tools?\n');
  });
});

describe('values of an instance with something wrong', () => {
  let copy: InstanceCopy;
  beforeEach(() => {
    copy = copyInstance();
  });
  afterEach(() => copy.dispose());

  it('are those of the rest, and the exit code is 1', async () => {
    const { line } = copy.replace(
      'data/integrations/terraform-users.yml',
      'strategy: per-aws-account\n    sh',
      'strategy: per-account\n    sh',
    );
    const run = [
      'manager',
      'values',
      '--environment-name',
      'app-interface-production',
      '-o',
      'json',
      '--data',
      copy.root,
    ];
    const { code, stdout, stderr } = await runCli(run);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `data/integrations/terraform-users.yml:${line}:15: error: per-account is not a sharding strategy`,
    );
    const [first] = JSON.parse(stdout).items as Item[];
    const names = first?.values.integrations.map(({ name }) => name);
    expect(names).toContain('terraform-resources');
    expect(names).not.toContain('terraform-users');
  });

  it('take capabilities from a file', async () => {
    copy.replace(
      'data/integrations/jira-watcher.yml',
      'name: jira-watcher\n',
      "name: jira-watcher\ncapabilities: ['--x']\n",
    );
    copy.write('capabilities.yml', 'terraform-users: []\n');
    const run = [
      'manager',
      'values',
      '--data',
      copy.root,
      '--capabilities',
      copy.path('capabilities.yml'),
      '-o',
      'json',
    ];
    const { code, stderr } = await runCli(run);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'terraform-users does not support --account-name, which per-aws-account sharding requires',
    );
  });

  it.each([
    { given: 'a list', text: '- a\n', says: 'not a mapping' },
    { given: 'capabilities that are no list', text: 'a: --b\n', says: 'a is not a list of capabilities' },
    { given: 'no YAML', text: 'a: [', says: '' },
    { given: 'nothing', text: undefined, says: 'ENOENT' },
  ])('refuse a file of capabilities that is $given', async ({ text, says }) => {
    if (text !== undefined) copy.write('capabilities.yml', text);
    const run = ['manager', 'values', '--data', copy.root, '--capabilities', copy.path('capabilities.yml')];
    const { code, stdout, stderr } = await runCli(run);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: invalid capabilities file .*: /);
    expect(stderr).toContain(says);
    expect(stderr).toContain('CAPABILITIES_INVALID');
  });
});
