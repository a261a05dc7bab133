import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EchelonError } from '../base/index.ts';

/** A value for every label name; never a secret. */
type Labels<Name extends string> = Readonly<Record<Name, string>>;

/** Each call replaces all series, so that outdated ones disappear. */
interface GaugeMetric<Name extends string> {
  replace(series: Iterable<{ readonly labels: Labels<Name>; readonly value: number }>): void;
}

export interface CounterMetric<Name extends string> {
  inc(labels: Labels<Name>, by?: number): void;
}

interface HistogramMetric<Name extends string> {
  observe(labels: Labels<Name>, value: number): void;
}

interface RunResult {
  readonly seconds: number;
  readonly code: number;
}

/** The metrics of one process. Declaring a metric again returns the existing one. */
export interface Metrics {
  gauge<Name extends string>(name: string, help: string, labels: readonly Name[]): GaugeMetric<Name>;
  counter<Name extends string>(name: string, help: string, labels: readonly Name[]): CounterMetric<Name>;
  histogram<Name extends string>(
    name: string,
    help: string,
    labels: readonly Name[],
    buckets?: readonly number[],
  ): HistogramMetric<Name>;
  /** Counts an execution before it starts, as the existing runtime does. */
  runStarted(): void;
  /** Sets the two gauges that existing alerts use: duration and exit code of the last run. */
  runEnded(result: RunResult): void;
  /** The Prometheus text format. */
  render(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly integration: string;
  readonly shards: number;
  readonly shardId: number;
  readonly shardKey?: string | undefined;
  /** Memory, CPU, event loop and garbage collection of this process; on by default. */
  readonly processMetrics?: boolean;
}

/** Beyond this many series of one gauge scrapes get too large; the rest is dropped and counted. */
const MOST_SERIES = 50_000;
const RUN_LABELS = ['integration', 'shards', 'shard_id'] as const;
const LEFT_OUT = 'echelon_metric_series_left_out';

type Library = typeof import('prom-client');
type AnyMetric = Counter | Gauge | Histogram;

/** The label that distinguishes shards, as the existing runtime writes it. */
function shardLabel({ shards, shardId, shardKey }: Omit<MetricsOptions, 'integration'>): string {
  return shardKey ?? `${shardId}-${shards}`;
}

/** Loads prom-client; every call has its own registry. */
export async function createMetrics(options: MetricsOptions): Promise<Metrics> {
  const library: Library = (await import('prom-client')).default;
  const registry = new library.Registry();
  if (options.processMetrics ?? true) library.collectDefaultMetrics({ register: registry });
  const declared = declarations(library, registry);
  return {
    ...declared,
    ...runMetrics(declared, options),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

type Declarations = Pick<Metrics, 'gauge' | 'counter' | 'histogram'>;

function declarations({ Counter, Gauge, Histogram }: Library, registers: Registry): Declarations {
  const registry = [registers];
  const existing = new Map<string, { readonly shape: string; readonly metric: AnyMetric }>();
  const once = <M extends AnyMetric>(kind: string, name: string, labels: readonly string[], make: () => M): M => {
    const shape = `${kind}(${labels.join(',')})`;
    const known = existing.get(name);
    if (known !== undefined && known.shape !== shape) throw clash(name, known.shape, shape);
    const metric = known?.metric ?? make();
    existing.set(name, { shape, metric });
    return metric as M;
  };
  const leftOut = new Gauge({
    name: LEFT_OUT,
    help: 'Series of a metric dropped because of its limit',
    labelNames: ['metric'],
    registers: registry,
  });
  return {
    gauge: (name, help, labelNames) => {
      const gauge = once('gauge', name, labelNames, () => new Gauge({ name, help, labelNames, registers: registry }));
      return { replace: (series) => replaceSeries(gauge, name, series, leftOut) };
    },
    counter: (name, help, labelNames) => {
      const make = () => new Counter({ name, help, labelNames, registers: registry });
      const counter = once('counter', name, labelNames, make);
      return { inc: (labels, by = 1) => counter.inc(labels, by) };
    },
    histogram: (name, help, labelNames, buckets) => {
      const given = buckets === undefined ? {} : { buckets: [...buckets] };
      const make = () => new Histogram({ name, help, labelNames, registers: registry, ...given });
      const histogram = once('histogram', name, labelNames, make);
      return { observe: (labels, value) => histogram.observe(labels, value) };
    },
  };
}

function replaceSeries(
  gauge: Gauge,
  name: string,
  series: Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>,
  leftOut: Gauge,
): void {
  let count = 0;
  gauge.reset();
  for (const { labels, value } of series) {
    if (count < MOST_SERIES) gauge.set(labels, value);
    count += 1;
  }
  if (count > MOST_SERIES) leftOut.set({ metric: name }, count - MOST_SERIES);
  else leftOut.remove({ metric: name });
}

function runMetrics(declared: Declarations, options: MetricsOptions): Pick<Metrics, 'runStarted' | 'runEnded'> {
  const labels = { integration: options.integration, shards: String(options.shards), shard_id: shardLabel(options) };
  const seconds = declared.gauge('qontract_reconcile_last_run_seconds', 'Duration of the last run', RUN_LABELS);
  const status = declared.gauge('qontract_reconcile_last_run_status', 'Exit code of the last run', RUN_LABELS);
  const runs = declared.counter('qontract_reconcile_execution_counter_total', 'Runs so far', RUN_LABELS);
  return {
    runStarted: () => runs.inc(labels),
    runEnded: (result) => {
      seconds.replace([{ labels, value: result.seconds }]);
      status.replace([{ labels, value: result.code }]);
    },
  };
}

function clash(name: string, known: string, wanted: string): EchelonError {
  return new EchelonError({
    code: 'METRIC_CLASH',
    message: `the metric ${name} is a ${known} and cannot also be a ${wanted}`,
    hint: 'rename one of the two',
  });
}
