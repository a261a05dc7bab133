import { describe, expect, it } from 'vitest';
import { createMetrics, type Metrics, type MetricsOptions } from './metrics.ts';

const create = (options: Partial<MetricsOptions> = {}): Promise<Metrics> =>
  createMetrics({ integration: 'x', shards: 1, shardId: 0, processMetrics: false, ...options });

/** The series of metrics whose name begins so, as a scrape sees them. */
async function series(metrics: Metrics, name: string): Promise<string[]> {
  return (await metrics.render()).split('\n').filter((line) => line.startsWith(name));
}

describe('the metrics of a run', () => {
  it.each([
    { given: 'one shard', options: {}, labels: 'integration="x",shards="1",shard_id="0-1"' },
    {
      given: 'a numbered shard',
      options: { shards: 3, shardId: 2 },
      labels: 'integration="x",shards="3",shard_id="2-3"',
    },
    { given: 'a keyed shard', options: { shardKey: 'acc' }, labels: 'integration="x",shards="1",shard_id="acc"' },
  ])('of $given have the labels of existing alerts', async ({ options, labels }) => {
    const metrics = await create(options);
    metrics.runStarted();
    metrics.runEnded({ seconds: 1.5, code: 1 });
    metrics.runStarted();
    metrics.runEnded({ seconds: 2.5, code: 0 });
    expect(await series(metrics, 'qontract_')).toEqual([
      `qontract_reconcile_last_run_seconds{${labels}} 2.5`,
      `qontract_reconcile_last_run_status{${labels}} 0`,
      `qontract_reconcile_execution_counter_total{${labels}} 2`,
    ]);
  });

  it('are absent before the first', async () => {
    expect(await series(await create(), 'qontract_')).toEqual([]);
  });
});

describe('metrics of an integration', () => {
  it('show in a gauge only what was said last', async () => {
    const metrics = await create();
    const gauge = metrics.gauge('workloads', 'Workloads', ['cluster', 'state']);
    gauge.replace([
      { labels: { cluster: 'a', state: 'ready' }, value: 2 },
      { labels: { cluster: 'b', state: 'ready' }, value: 3 },
    ]);
    gauge.replace([{ labels: { cluster: 'b', state: 'missing' }, value: 1 }]);
    expect(await series(metrics, 'workloads')).toEqual(['workloads{cluster="b",state="missing"} 1']);
    gauge.replace([]);
    expect(await series(metrics, 'workloads')).toEqual([]);
  });

  it('count, and observe', async () => {
    const metrics = await create();
    const counter = metrics.counter('applied_total', 'Applied', ['result']);
    counter.inc({ result: 'ok' });
    counter.inc({ result: 'ok' }, 4);
    counter.inc({ result: 'failed' }, 0);
    metrics.histogram('wait_seconds', 'Wait', ['api'], [1, 10]).observe({ api: 'kube' }, 5);
    expect(await series(metrics, 'applied_total')).toEqual([
      'applied_total{result="ok"} 5',
      'applied_total{result="failed"} 0',
    ]);
    expect(await series(metrics, 'wait_seconds_bucket')).toEqual([
      'wait_seconds_bucket{le="1",api="kube"} 0',
      'wait_seconds_bucket{le="10",api="kube"} 1',
      'wait_seconds_bucket{le="+Inf",api="kube"} 1',
    ]);
  });

  it('are the same when declared again, and a clash when declared otherwise', async () => {
    const metrics = await create();
    metrics.counter('things_total', 'Things', ['kind']).inc({ kind: 'a' });
    metrics.counter('things_total', 'Things', ['kind']).inc({ kind: 'a' });
    expect(await series(metrics, 'things_total')).toEqual(['things_total{kind="a"} 2']);
    for (const other of [
      () => metrics.counter('things_total', 'Things', ['kind', 'name']),
      () => metrics.gauge('things_total', 'Things', ['kind']),
    ]) {
      expect(other).toThrow(expect.objectContaining({ code: 'METRIC_CLASH' }));
    }
  });

  it('leave out what is beyond the limit, and say how many', async () => {
    const metrics = await create();
    const gauge = metrics.gauge('many', 'Many', ['n']);
    const labelled = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ labels: { n: String(n) }, value: n }));
    gauge.replace(labelled(50_003));
    expect((await series(metrics, 'many')).length).toBe(50_000);
    expect(await series(metrics, 'echelon_metric')).toEqual(['echelon_metric_series_left_out{metric="many"} 3']);
    gauge.replace(labelled(1));
    expect(await series(metrics, 'echelon_metric')).toEqual([]);
  });

  it('escape what a label may hold', async () => {
    const metrics = await create();
    metrics.gauge('odd', 'Odd', ['name']).replace([{ labels: { name: 'a"b\\c\nd' }, value: 1 }]);
    expect(await series(metrics, 'odd')).toEqual(['odd{name="a\\"b\\\\c\\nd"} 1']);
  });

  it('of two registries are apart', async () => {
    const [one, two] = [await create(), await create()];
    one.counter('mine_total', 'Mine', []).inc({});
    expect([await series(one, 'mine_total'), await series(two, 'mine_total')]).toEqual([['mine_total 1'], []]);
  });
});

it('the process is measured unless told otherwise', async () => {
  expect(await series(await create({ processMetrics: true }), 'process_resident_memory_bytes')).toHaveLength(1);
  expect(await series(await create(), 'process_')).toEqual([]);
});
