import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';
import { until } from '../support/until.ts';

/** The options that pods of existing fleets may have, of the published release and of the current one. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'integrations-manager': [
    ...['--environment-name lab', '--thread-pool-size 20', '--thread-pool-size=20', '--internal', '--external'],
    ...['--use-jump-host', '--no-use-jump-host', '--image-tag-from-ref lab=main', '-r lab=main', '-rlab=main'],
    ...['--upstream https://u', '-u https://u', '--image example/i', '-i example/i', '-iexample/i'],
  ],
  'advanced-upgrade-scheduler': [
    ...['--ocm-env e', '--org-id o', '--org-id o --org-id p', '--exclude-org-id o', '--ignore-sts-clusters'],
    ...['--job-controller-cluster c', '--job-controller-namespace n', '--rosa-job-service-account s'],
    ...['--rosa-role r', '--rosa-job-image i'],
  ],
  'ocm-upgrade-scheduler-org': ['--org-id o', '--org-id o --org-id p', '--exclude-org-id o'],
  'version-gate-approver': [
    ...['--job-controller-cluster c', '--job-controller-namespace n', '--rosa-job-service-account s'],
    ...['--rosa-role r', '--rosa-job-image i'],
  ],
};

const CLUSTER = 'instance/data/clusters/lab.yml';
const ENDPOINTS = '--metrics-port 0 --metrics-host 127.0.0.1';

/** Of a pod whose data does not exist, so that it ends after its options. */
const pod = (name: string, options: string) =>
  runCli(['run'], {
    env: {
      ...{ INTEGRATION_NAME: name, INTEGRATION_EXTRA_ARGS: `${options} ${ENDPOINTS}`, RUN_ONCE: '1' },
      ECHELON_DATA: '/nonexistent',
    },
  });

describe.each(Object.entries(OPTIONS))('a pod of %s', (name, all) => {
  it('takes all options of existing pods', async () => {
    const { code, stderr } = await pod(name, all.join(' '));
    expect(stderr).not.toContain('option');
    expect(code).toBe(1);
  });

  it('refuses others', async () => {
    const { code, stderr } = await pod(name, '--frobnicate');
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("unknown option '--frobnicate'") });
  });
});

it.each([
  { name: 'integrations-manager', options: '--thread-pool-siz 3', meant: '--thread-pool-size' },
  { name: 'integrations-manager', options: '--extrnal', meant: '--external' },
  { name: 'advanced-upgrade-scheduler', options: '--rosa-rol r', meant: '--rosa-role' },
])('a mistyped $options of $name is refused with $meant', async ({ name, options, meant }) => {
  const { code, stderr } = await pod(name, options);
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(`Did you mean ${meant}?`) });
});

it.each(['--thread-pool-size 0', '--thread-pool-size many', '-z', 'something'])('%s is refused', async (options) => {
  expect(await pod('integrations-manager', options)).toMatchObject({ code: 64 });
});

describe('options without effect', () => {
  const notes = async (name: string, options: string): Promise<string[]> =>
    (await pod(name, options)).stdout
      .split('\n')
      .filter((line) => line.includes('options without effect'))
      .map((line) => JSON.parse(line).options);

  it.each([
    { name: 'integrations-manager', options: '-i example/i --thread-pool-size 3 --internal', noted: [] },
    { name: 'integrations-manager', options: '--use-jump-host', noted: ['--use-jump-host'] },
    { name: 'integrations-manager', options: '--no-use-jump-host', noted: ['--no-use-jump-host'] },
    {
      name: 'advanced-upgrade-scheduler',
      options: '--rosa-role r --job-controller-cluster c --rosa-role s',
      noted: ['--rosa-role --job-controller-cluster'],
    },
    { name: 'version-gate-approver', options: '--rosa-role r', noted: ['--rosa-role'] },
  ])('of $name are one line of its log: $options', async ({ name, options, noted }) => {
    expect(await notes(name, options)).toEqual(noted);
  });
});

describe('options with an effect', () => {
  let fleet: SimFleet;
  beforeEach(async () => {
    fleet = await simFleet();
  });
  afterEach(() => fleet.dispose());

  const started = (options: string) =>
    fleet.cli(['run'], {
      env: {
        ...{ INTEGRATION_NAME: 'integrations-manager', RUN_ONCE: '1' },
        INTEGRATION_EXTRA_ARGS: `${options} ${ENDPOINTS}`,
      },
    });
  const images = (): Set<string> =>
    new Set(
      fleet.sim.store
        .list('apps/v1', 'Deployment', 'fleet')
        .map(({ spec }) => JSON.stringify(spec).match(/"image":"([^":]+)/)?.[1] ?? ''),
    );
  it.each([
    { options: '--image example/two -i example/one', image: 'example/one' },
    { options: '-i example/one --image example/two', image: 'example/two' },
  ])('$options deploys $image', async ({ options, image }) => {
    expect(await started(options)).toMatchObject({ code: 0 });
    expect(images()).toEqual(new Set([image]));
  });

  it.each([
    { options: '-u https://nowhere.example', writes: 0 },
    { options: '--internal --external', writes: 4 },
    { options: '--external --internal', writes: 0 },
  ])('$options writes $writes objects', async ({ options, writes }) => {
    expect(await started(options)).toMatchObject({ code: 0 });
    expect(writesOf(fleet.sim)).toHaveLength(writes);
  });

  it('a cluster that is internal is left alone by those for the others, also what it has', async () => {
    await started('--external');
    fleet.write('clusters/lab.yml', `${readFileSync(join(fleet.manager.root, CLUSTER), 'utf8')}internal: true\n`);
    const before = writesOf(fleet.sim).length;
    expect(await started('--external')).toMatchObject({ code: 0 });
    expect(writesOf(fleet.sim)).toHaveLength(before);
    expect(await fleet.run(['plan', '--internal', '--detailed-exitcode'])).toMatchObject({ code: 0 });
  });

  it('a cluster that becomes internal while a manager of the others runs is left alone', async () => {
    let printed = '';
    const stop = new AbortController();
    const args = [
      'run',
      'integrations-manager',
      '--external',
      '--poll',
      '1s',
      '--resync',
      '1s',
      ...ENDPOINTS.split(' '),
    ];
    const running = fleet.cli(args, {
      signal: stop.signal,
      onStdout: (text) => {
        printed += text;
      },
    });
    const passes = async (): Promise<number> => {
      const port = /"metricsPort":(\d+)/.exec(printed)?.[1];
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^echelon_passes_total\{result="ok"[^}]*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
    };
    const passed = (count: number): Promise<boolean> =>
      until(async () => (await passes()) >= count, { what: `${count} passes`, timeoutSeconds: 60 });
    await passed(1);
    fleet.write('clusters/lab.yml', `${readFileSync(join(fleet.manager.root, CLUSTER), 'utf8')}internal: true\n`);
    await passed((await passes()) + 2);
    stop.abort();
    await running;
    expect(writesOf(fleet.sim)).toHaveLength(4);
  });

  it('one kind of clusters cannot be combined with a cluster by name', async () => {
    const { code, stderr } = await fleet.run(['plan', '--external', '--cluster', 'lab']);
    expect(code).toBe(64);
    expect(stderr).toContain('--external cannot be combined with --cluster');
  });
});
