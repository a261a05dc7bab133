import { sharedTexts } from '../../base/index.ts';
import type { OrganizationReport } from '../scheduler/apply.ts';
import { environmentFaults } from '../scheduler/fleet-view.ts';
import { COUNTERS, GAUGES, type GaugeName } from '../scheduler/metric-catalogue.ts';
import { type GaugeSeries, gaugeSeries, hasFailed } from '../scheduler/metric-series.ts';
import { type PackedSeries, packedSeries, unpackedSeries } from '../scheduler/packed-series.ts';
import type { UpgradeCounter, UpgradeMetricsPort } from '../scheduler/report-ports.ts';
import type { FleetReport } from '../scheduler/scheduler.ts';

/** A request to OCM and its response. */
interface AnsweredCall {
  readonly method: string;
  readonly collection: string;
  readonly status: number;
}

/** Metrics of the upgrade scheduler's passes. */
export interface UpgradeMetrics {
  /** Takes what an organization shows from the end of the pass on. */
  observed(report: OrganizationReport): OrganizationMetrics;
  passed(report: FleetReport<OrganizationMetrics>): void;
  called(environment: string, clientId: string, call: AnsweredCall): void;
}

export interface OrganizationMetrics {
  readonly environment: string;
  readonly orgId: string;
  readonly failed: boolean;
  /** How many policies were not created, by the way it failed. */
  readonly createFailures: Readonly<Record<CreateFailure, number>>;
}

/** Failures that a policy may end in; initialized with zero, so that an alert sees the first. */
const CREATE_FAILURES = ['refused', 'unconfirmed', 'failed'] as const;
type CreateFailure = (typeof CREATE_FAILURES)[number];

/**
 * An organization that could not be observed keeps its last values, so that a dashboard does not lose it with every OCM
 * hiccup; counters show the failure. One that is no longer served is removed.
 */
export function upgradeMetrics(metrics: UpgradeMetricsPort, integration: string): UpgradeMetrics {
  const gauges = Object.fromEntries(
    Object.entries(GAUGES).map(([key, { name, help, labels }]) => [key, metrics.gauge<string>(name, help, labels)]),
  ) as Record<GaugeName, ReturnType<UpgradeMetricsPort['gauge']>>;
  const counter = <Label extends string>(spec: { name: string; help: string; labels: readonly Label[] }) =>
    metrics.counter(spec.name, spec.help, spec.labels);
  const counters = {
    reconciled: counter(COUNTERS.reconciled),
    errors: counter(COUNTERS.errors),
    environmentErrors: counter(COUNTERS.environmentErrors),
    createFailures: counter(COUNTERS.createFailures),
  };
  const shown = new Map<string, ShownSeries>();
  return {
    observed: (report) => {
      const series = gaugeSeries(report, integration);
      if (series !== undefined) shown.set(keyOf(report.outcome), packed(series));
      return observed(report);
    },
    passed: ({ environments, organizations }) => {
      countEnvironments(counters, environments, integration);
      for (const each of organizations) count(counters, each, integration);
      const keys = new Set([...keysOfFailed(shown, environments), ...organizations.map(keyOf)]);
      for (const key of shown.keys()) if (!keys.has(key)) shown.delete(key);
      for (const name of GAUGE_NAMES) gauges[name].replace(seriesOf(name, keys, shown));
    },
    called: requestMetrics(metrics),
  };
}

/** Counts requests to OCM. */
export function requestMetrics(metrics: UpgradeMetricsPort): UpgradeMetrics['called'] {
  const requests = metrics.counter('echelon_ocm_requests_total', 'Requests to OCM, retries included', [
    'ocm_env',
    'method',
    'collection',
    'status',
  ]);
  const existing = metrics.counter('qontract_reconcile_ocm_request_total', 'Requests to OCM', ['verb', 'client_id']);
  return (ocm_env, client_id, { method, collection, status }) => {
    requests.inc({ ocm_env, method, collection, status: String(status) });
    existing.inc({ verb: method, client_id });
  };
}

const GAUGE_NAMES = Object.keys(GAUGES) as GaugeName[];

/** What an organization shows. */
type ShownSeries = Readonly<Record<GaugeName, PackedSeries>>;

function packed(series: GaugeSeries): ShownSeries {
  const shared = sharedTexts();
  return Object.fromEntries(GAUGE_NAMES.map((name) => [name, packedSeries(series[name], shared)])) as ShownSeries;
}

/** One at a time: what is beyond the limit of a gauge takes no space. */
function* seriesOf(name: GaugeName, keys: Iterable<string>, shown: ReadonlyMap<string, ShownSeries>) {
  for (const key of keys) {
    const series = shown.get(key);
    if (series !== undefined) yield* unpackedSeries(series[name]);
  }
}

/** Organizations of environments that could not be observed: they keep their last values. */
function keysOfFailed(shown: ReadonlyMap<string, ShownSeries>, environments: FleetReport['environments']): string[] {
  const failed = new Set(environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [name])));
  return [...shown.keys()].filter((key) => failed.has(environmentOf(key)));
}

function observed(report: OrganizationReport): OrganizationMetrics {
  const { environment, orgId } = report.outcome;
  const creations = report.results.filter(({ item }) => item.action === 'upgrade');
  const failures = CREATE_FAILURES.map((outcome) => [
    outcome,
    creations.filter((each) => each.outcome === outcome).length,
  ]);
  return {
    ...{ environment, orgId, failed: hasFailed(report) },
    createFailures: Object.fromEntries(failures) as Record<CreateFailure, number>,
  };
}

function keyOf({ environment, orgId }: Pick<OrganizationMetrics, 'environment' | 'orgId'>): string {
  return JSON.stringify([environment, orgId]);
}

function environmentOf(key: string): string {
  return String((JSON.parse(key) as unknown[])[0]);
}

interface Counters {
  readonly environmentErrors: UpgradeCounter<'integration' | 'ocm_env'>;
  readonly reconciled: UpgradeCounter<'integration' | 'ocm_env' | 'org_id'>;
  readonly errors: UpgradeCounter<'integration' | 'ocm_env' | 'org_id'>;
  readonly createFailures: UpgradeCounter<'integration' | 'ocm_env' | 'org_id' | 'outcome'>;
}

function countEnvironments(
  { environmentErrors }: Counters,
  environments: FleetReport['environments'],
  integration: string,
): void {
  for (const environment of environments) {
    environmentErrors.inc(
      { integration, ocm_env: environment.name },
      environmentFaults(environment).length > 0 ? 1 : 0,
    );
  }
}

function count(counters: Counters, each: OrganizationMetrics, integration: string): void {
  const labels = { integration, ocm_env: each.environment, org_id: each.orgId };
  counters.reconciled.inc(labels);
  counters.errors.inc(labels, each.failed ? 1 : 0);
  for (const outcome of CREATE_FAILURES)
    counters.createFailures.inc({ ...labels, outcome }, each.createFailures[outcome]);
}
