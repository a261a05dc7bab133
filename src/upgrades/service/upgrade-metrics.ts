import type { OrganizationReport } from '../scheduler/apply-organization.ts';
import { environmentFaults } from '../scheduler/fleet-view.ts';
import { COUNTERS, GAUGES, type GaugeName } from '../scheduler/metric-catalogue.ts';
import { type GaugeSeries, gaugeSeries, hasFailed } from '../scheduler/metric-series.ts';
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
  passed(report: FleetReport): void;
  called(environment: string, clientId: string, call: AnsweredCall): void;
}

/** Failures that a policy may end in; initialized with zero, so that an alert sees the first. */
const CREATE_FAILURES = ['refused', 'unconfirmed', 'failed'] as const;

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
  let shown = new Map<string, GaugeSeries>();
  return {
    passed: ({ environments, organizations }) => {
      countEnvironments(counters, environments, integration);
      const now = lastShown(shown, environments);
      for (const report of organizations) {
        count(counters, report, integration);
        const key = keyOf(report);
        const series = gaugeSeries(report, integration) ?? shown.get(key);
        if (series !== undefined) now.set(key, series);
      }
      shown = now;
      for (const name of Object.keys(GAUGES) as GaugeName[]) {
        gauges[name].replace([...shown.values()].flatMap((series) => [...series[name]]));
      }
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

/** The last values of environments that could not be observed. */
function lastShown(shown: ReadonlyMap<string, GaugeSeries>, environments: FleetReport['environments']) {
  const failed = new Set(environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [name])));
  return new Map([...shown].filter(([key]) => failed.has(environmentOf(key))));
}

function keyOf({ outcome: { environment, orgId } }: OrganizationReport): string {
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

function count(counters: Counters, report: OrganizationReport, integration: string): void {
  const { environment: ocm_env, orgId: org_id } = report.outcome;
  const labels = { integration, ocm_env, org_id };
  counters.reconciled.inc(labels);
  counters.errors.inc(labels, hasFailed(report) ? 1 : 0);
  const creations = report.results.filter(({ item }) => item.action === 'upgrade');
  for (const outcome of CREATE_FAILURES) {
    counters.createFailures.inc({ ...labels, outcome }, creations.filter((each) => each.outcome === outcome).length);
  }
}
