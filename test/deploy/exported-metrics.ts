import { managerMetrics } from '../../src/manager/index.ts';
import { systemClock, systemRandom } from '../../src/runtime/clock.ts';
import { createHealth } from '../../src/runtime/health.ts';
import { leaseMetrics } from '../../src/runtime/leader-election/lease.ts';
import { silentLogger } from '../../src/runtime/logs.ts';
import { runLoop } from '../../src/runtime/loop.ts';
import { createMetrics, type Metrics } from '../../src/runtime/metrics.ts';
import { versionGateMetrics } from '../../src/upgrades/gate-approver/pass.ts';
import { upgradeMetrics } from '../../src/upgrades/metrics/scheduler-metrics.ts';

export interface Exported {
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
}

const MORE_SERIES_THAN_SHOWN = 50_001;

/** Every metric that the services export, by name, found by having the code that reports them declare them. */
export async function exportedMetrics(): Promise<ReadonlyMap<string, Exported>> {
  const real = await createMetrics({ integration: 'i', shards: 1, shardId: 0, processMetrics: false });
  const exported = new Map<string, Exported>();
  const metrics = recording(real, exported);
  managerMetrics(metrics);
  leaseMetrics(metrics);
  upgradeMetrics(metrics, 'i');
  const approver = await createMetrics({ integration: 'a', shards: 1, shardId: 0, processMetrics: false });
  versionGateMetrics(recording(approver, exported), 'a');
  await onePass(metrics);
  const many = Array.from({ length: MORE_SERIES_THAN_SHOWN }, (_, at) => ({ labels: { at: String(at) }, value: 1 }));
  real.gauge('many', 'Too many', ['at']).replace(many);
  const text = (await real.render()).split('\n').filter((line) => !line.startsWith('many{'));
  for (const [name, kind] of kindsIn(text)) {
    const series = text.find((line) => line.startsWith(`${name}{`));
    if (!exported.has(name) && series !== undefined) exported.set(name, { kind, labels: labelsOf(series) });
  }
  return exported;
}

function recording(metrics: Metrics, exported: Map<string, Exported>): Metrics {
  return {
    ...metrics,
    gauge: (name, help, labels) => {
      exported.set(name, { kind: 'gauge', labels });
      return metrics.gauge(name, help, labels);
    },
    counter: (name, help, labels) => {
      exported.set(name, { kind: 'counter', labels });
      return metrics.counter(name, help, labels);
    },
    histogram: (name, help, labels, buckets) => {
      exported.set(name, { kind: 'histogram', labels });
      return metrics.histogram(name, help, labels, buckets);
    },
  };
}

async function onePass(metrics: Metrics): Promise<void> {
  await runLoop({
    pass: async () => ({ code: 0, changed: false }),
    clock: systemClock,
    random: systemRandom,
    metrics,
    logger: silentLogger,
    health: createHealth(systemClock),
    signal: new AbortController().signal,
    options: { runOnce: true },
  });
}

function kindsIn(text: readonly string[]): [string, Exported['kind']][] {
  return text.flatMap((line): [string, Exported['kind']][] => {
    const [, name, kind] = /^# TYPE (\S+) (gauge|counter|histogram)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, kind as Exported['kind']]];
  });
}

function labelsOf(series: string): string[] {
  return [...series.matchAll(/([a-z_]+)="/g)].map(([, label = '']) => label);
}
