import { sharedTexts } from '../../base/index.ts';
import { MICROS } from '../../gates/index.ts';
import type { Explanation } from '../engine/choose.ts';
import type { Decision } from '../engine/decide.ts';
import type { ServedCluster } from '../engine/facts.ts';
import { gateToName, type UpgradeGates } from '../engine/gate.ts';
import { lowestVersion } from '../engine/versions.ts';
import type { OrganizationReport } from '../scheduler/apply.ts';
import type { ListedCluster } from '../scheduler/observation.ts';
import { isSkipped, type PlannedOrganization } from '../scheduler/plan-organization.ts';
import type { FleetReport } from '../scheduler/scheduler.ts';
import {
  type COMMON,
  COUNTERS,
  GAUGES,
  type GaugeName,
  type UpgradeCounter,
  type UpgradeMetricsPort,
} from './catalogue.ts';

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

interface OrganizationMetrics {
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
  for (const { name, fault } of environments) {
    environmentErrors.inc({ integration, ocm_env: name }, fault === undefined ? 0 : 1);
  }
}

function count(counters: Counters, each: OrganizationMetrics, integration: string): void {
  const labels = { integration, ocm_env: each.environment, org_id: each.orgId };
  counters.reconciled.inc(labels);
  counters.errors.inc(labels, each.failed ? 1 : 0);
  for (const outcome of CREATE_FAILURES)
    counters.createFailures.inc({ ...labels, outcome }, each.createFailures[outcome]);
}

interface Series<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

type GaugeSeries = {
  readonly [Name in GaugeName]: readonly Series<(typeof GAUGES)[Name]['labels'][number]>[];
};

/** The metrics of one organization; undefined when it could not be observed. */
export function gaugeSeries(report: OrganizationReport, integration: string): GaugeSeries | undefined {
  const { outcome } = report;
  if (isSkipped(outcome)) return undefined;
  const common = { integration, ocm_env: outcome.environment };
  const { orgId: org_id, facts, decision, health } = outcome;
  const uuids = new Map(facts.clusters.map(({ id, uuid }) => [id, uuid]));
  return {
    ...infoSeries(outcome, common),
    remainingSoak: [...decision.remainingSoak].flatMap(([cluster_uuid, versions]) =>
      [...versions].map(([soaking_version, value]) => ({
        labels: { ...common, cluster_uuid, soaking_version },
        value,
      })),
    ),
    versionData: versionData(decision, { ...common, org_id }),
    validationErrors: [{ labels: { ...common, org_id }, value: validationErrors(outcome) }],
    health: health.states.map(({ uuid, source, healthy }) => ({
      labels: { ...common, cluster_uuid: uuid, health_source: source },
      value: Number(healthy),
    })),
    missingGates: decision.missingGates.map(({ clusterId, minor, count }) => ({
      labels: { ...common, org_id, cluster_uuid: uuids.get(clusterId) ?? '', version_prefix: minor },
      value: count,
    })),
    channelSwitch: report.results.flatMap(({ item, outcome: came }) =>
      item.action === 'switch-channel' && came === 'done'
        ? [
            {
              labels: {
                ...{ ...common, org_id, cluster_uuid: uuids.get(item.clusterId) ?? '' },
                ...{ from_channel: item.from, to_channel: item.to },
              },
              value: 1,
            },
          ]
        : [],
    ),
    blockedReason: decision.verdicts.flatMap((explanation) =>
      blockedReasons(explanation, decision.gates, { ...common, cluster_uuid: uuids.get(explanation.clusterId) ?? '' }),
    ),
  };
}

type Common = Readonly<Record<(typeof COMMON)[number], string>>;

function blockedReasons(
  { candidates }: Explanation,
  gates: UpgradeGates,
  labels: Common & { readonly cluster_uuid: string },
): GaugeSeries['blockedReason'] {
  return candidates.flatMap(({ version, verdicts }) => {
    const closed = gateToName(gates, verdicts);
    return closed === undefined ? [] : [{ labels: { ...labels, version, gate: closed.gate }, value: 1 }];
  });
}

function infoSeries(
  { orgId, name: org_name, facts, clusters }: PlannedOrganization,
  common: Common,
): Pick<GaugeSeries, 'policyInfo' | 'clusterInfo'> {
  const listed = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  const shared = facts.clusters.map((cluster) => ({
    cluster,
    labels: policyLabels(cluster, { ...common, org_id: orgId }),
  }));
  return {
    policyInfo: shared.map(({ cluster, labels }) => ({
      labels: {
        ...labels,
        ...{ cluster_uuid: cluster.uuid, org_name, current_version: currentVersion(cluster) },
        ...productLabels(listed.get(cluster.id)),
      },
      value: 1,
    })),
    clusterInfo: shared.map(({ cluster, labels }) => ({
      labels: { ...labels, cluster_id: cluster.id, version: currentVersion(cluster) },
      value: 1,
    })),
  };
}

function policyLabels({ name, channel, policy }: ServedCluster, common: Common & { readonly org_id: string }) {
  return {
    ...common,
    cluster_name: name,
    channel,
    schedule: policy.schedule,
    sector: policy.sector ?? '',
    mutexes: (policy.mutexes ?? []).join(),
    soak_days: String(policy.soakDays),
    workloads: policy.workloads.join(),
  };
}

function productLabels(cluster: ListedCluster | undefined) {
  return { product: cluster?.product ?? '', hypershift: String(cluster?.hypershift ?? false) };
}

/** The lowest of control plane and node pools. */
function currentVersion({ version, nodePools }: ServedCluster): string {
  return lowestVersion([version, ...nodePools.map((pool) => pool.version)]) ?? version;
}

function versionData({ ledger }: Decision, labels: Common & { readonly org_id: string }): GaugeSeries['versionData'] {
  return [...ledger.versions].flatMap(([version, workloads]) =>
    [...workloads].map(([workload, { micros }]) => ({
      labels: { ...labels, version, workload },
      value: micros / MICROS.day,
    })),
  );
}

/** Clusters with errors, and errors of the organization. */
function validationErrors({ spec: { problems } }: PlannedOrganization): number {
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ scope }) => scope);
  const common = errors.filter(({ kind }) => kind === 'organization');
  return new Set(errors.flatMap((scope) => (scope.kind === 'cluster' ? [scope.cluster.id] : []))).size + common.length;
}

/** Whether the service itself failed; invalid user configuration does not count. */
export function hasFailed({ outcome, faults, results }: OrganizationReport): boolean {
  const before = isSkipped(outcome) ? outcome.skipped : outcome.faults;
  return before.length > 0 || faults.length > 0 || results.some(({ outcome: came }) => came === 'failed');
}

interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Series of one gauge in little space: a process shows them from pass to pass, ten and more for each cluster. */
interface PackedSeries {
  /** Labels that all of them have in common. */
  readonly common: Readonly<Record<string, string>>;
  /** Names of the others. */
  readonly names: readonly string[];
  /** One after the other: the values of these, then the value of the series. */
  readonly cells: readonly (string | number)[];
}

/** All series have the same names of labels. */
export function packedSeries(series: readonly LabelledValue[], shared = sharedTexts()): PackedSeries {
  const [first] = series;
  const all = Object.entries(first?.labels ?? {});
  const isCommon = ([name, value]: readonly [string, string]): boolean =>
    series.every(({ labels }) => labels[name] === value);
  const common = Object.fromEntries(all.filter(isCommon));
  const names = all.map(([name]) => name).filter((name) => !Object.hasOwn(common, name));
  const cells: (string | number)[] = [];
  for (const { labels, value } of series) {
    for (const name of names) cells.push(shared(labels[name] ?? ''));
    cells.push(value);
  }
  // A list that grew has room to spare; a copy has none.
  return { common, names, cells: cells.slice() };
}

export function* unpackedSeries({ common, names, cells }: PackedSeries): Generator<LabelledValue> {
  for (let at = 0; at < cells.length; at += names.length + 1) {
    const own = names.map((name, index) => [name, String(cells[at + index])]);
    yield { labels: { ...common, ...Object.fromEntries(own) }, value: Number(cells[at + names.length]) };
  }
}
