import { describe, expect, it } from 'vitest';
import { clusterError } from '../../../test/support/memory-cluster.ts';
import { memoryShadows, type PlayedRun } from '../../../test/support/memory-shadows.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { type JobRequest, type JobRunnerPorts, jobRunner } from './job-runner.ts';
import { MOST_LOG_BYTES } from './shadow-cluster.ts';
import { SHADOW_LABEL } from './shadow-labels.ts';

const [OLD, NEW] = ['quay.io/o/r:1', 'quay.io/o/r:2'];
const WORKLOAD: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: 'fleet' } },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'int', image: OLD, env: [{ name: 'API_TOKEN', value: 'hush-hush-hush' }] }] },
    },
  },
};
const RUN: JobRequest = {
  ...{ integration: 'i', side: 'candidate', image: NEW, name: 'i_x_candidate' },
  shard: { cluster: 'c', namespace: 'fleet', name: 'x', kind: 'Deployment', object: 'x' },
};

function world(runs: Readonly<Record<string, PlayedRun>>, more: Partial<JobRunnerPorts> = {}, objects = [WORKLOAD]) {
  const cluster = memoryShadows(objects);
  let now = Date.parse('2026-11-16T10:00:00Z');
  const runner = jobRunner({
    ...{ connect: async () => cluster, owner: 'me', process: 'h/1', request: 'r', now: () => now },
    hasEnded: () => false,
    sleep: async (milliseconds) => {
      now += milliseconds;
      cluster.play(runs);
    },
    ...more,
  });
  const start = (run: Partial<JobRequest> = {}, signal = new AbortController().signal) =>
    runner.start({ ...RUN, ...run }, { timeoutMs: 60_000, signal });
  return { cluster, start };
}

describe('a run in a cluster', () => {
  it('gives exit code and output of the pod, and leaves nothing', async () => {
    const { cluster, start } = world({ [NEW]: { exitCode: 1, output: "['delete', 'x'] hush-hush-hush\n" } });
    expect(await start()).toEqual({ end: 'ended', exitCode: 1, seconds: 0, output: "['delete', 'x'] ***\n" });
    expect(cluster.jobs()).toEqual([]);
  });

  it.each([8, 9, 13])('whose log is cut after %i letters of a secret shows none of them', async (letters) => {
    const kept = 'hush-hush-hush'.slice(0, letters);
    const output = `${'x'.repeat(MOST_LOG_BYTES - letters)}${kept}`;
    const { start } = world({ [NEW]: { exitCode: 0, output } });
    const shown = await start();
    expect(shown).toMatchObject({ truncated: true });
    expect(shown.output.endsWith('xxx***…')).toBe(true);
  });

  it('of both sides is two Jobs with names of their own', async () => {
    const { cluster, start } = world({
      [NEW]: { exitCode: 0, output: 'new' },
      [OLD]: { exitCode: 0, output: 'old' },
    });
    const both = [start(), start({ side: 'baseline', image: OLD, name: 'i_x_baseline' })];
    expect((await Promise.all(both)).map(({ output }) => output)).toEqual(['new', 'old']);
    expect(new Set(cluster.memory.writes.filter(({ verb }) => verb === 'apply').map(({ name }) => name)).size).toBe(2);
    expect(cluster.jobs()).toEqual([]);
  });

  it('that never ends is given up after its deadline, and removed', async () => {
    const { cluster, start } = world({});
    expect(await start()).toMatchObject({ end: 'timed-out' });
    expect(cluster.jobs()).toEqual([]);
  });

  it('that is interrupted is removed', async () => {
    const stop = new AbortController();
    const { cluster, start } = world({}, { sleep: async () => stop.abort() });
    expect(await start({}, stop.signal)).toMatchObject({ end: 'interrupted' });
    expect(cluster.memory.writes.map(({ verb }) => verb)).toEqual(['apply', 'remove']);
    expect(cluster.jobs()).toEqual([]);
  });

  it('that may not be created is a run that did not start', async () => {
    const { cluster, start } = world({});
    cluster.memory.fail({ when: ({ verb }) => verb === 'apply', error: clusterError('KUBE_FORBIDDEN', 'no right') });
    expect(await start()).toMatchObject({ end: 'not-started', reason: 'no right' });
  });

  it('whose creation was answered by a broken connection is removed all the same', async () => {
    const { cluster, start } = world({});
    const error = clusterError('KUBE_UNREACHABLE');
    cluster.memory.fail({ when: ({ verb }) => verb === 'apply', error, after: true });
    expect(await start()).toMatchObject({ end: 'not-started' });
    expect(cluster.jobs()).toEqual([]);
  });

  it('of a shard without a workload does not start', async () => {
    const { start } = world({}, {}, []);
    expect(await start()).toMatchObject({ end: 'not-started', reason: 'no Deployment x in c/fleet' });
  });
});

describe('Jobs that an earlier process left', () => {
  const left = (name: string, labels: object, more: { process?: string; created?: string } = {}): KubeObject => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: {
      ...{ name, namespace: 'fleet', labels, creationTimestamp: more.created ?? '2026-11-16T09:59:00Z' },
      annotations: more.process === undefined ? {} : { 'echelon/shadow-process': more.process },
    },
    spec: { activeDeadlineSeconds: 900, template: { spec: { containers: [{ name: 'int', image: OLD }] } } },
  });
  const mine = { [SHADOW_LABEL.run]: 'r0', [SHADOW_LABEL.side]: 'baseline', [SHADOW_LABEL.owner]: 'me' };

  it('are removed before the first run: of a process that ended, or past their deadline, and of this owner only', async () => {
    const objects = [
      WORKLOAD,
      left('dead', mine, { process: 'h/7' }),
      left('old', mine, { process: 'h/8', created: '2026-11-16T09:44:00Z' }),
      left('running', mine, { process: 'h/8' }),
      left('unknown', mine),
      left('of-another', { ...mine, [SHADOW_LABEL.owner]: 'you' }, { process: 'h/7', created: '2026-11-16T01:00:00Z' }),
      left('no-shadow', { app: 'x' }, { process: 'h/7', created: '2026-11-16T01:00:00Z' }),
      left('half', { [SHADOW_LABEL.owner]: 'me' }, { process: 'h/7' }),
    ];
    const ran = { [NEW]: { exitCode: 0, output: '' } };
    const { cluster, start } = world(ran, { hasEnded: (process) => process === 'h/7' }, objects);
    await start();
    expect(cluster.jobs().map(({ metadata }) => metadata.name)).toEqual([
      ...['half', 'no-shadow', 'of-another', 'running', 'unknown'],
    ]);
  });
});
