import { MICROS } from '../../gates/index.ts';
import type { Explanation } from '../engine/choose.ts';
import type { Decision } from '../engine/decide.ts';
import type { ServedCluster } from '../engine/facts.ts';
import { gateToName, type UpgradeGates } from '../engine/gate.ts';
import { lowestVersion } from '../engine/versions.ts';
import type { OrganizationReport } from './apply.ts';
import type { COMMON, GAUGES, GaugeName } from './metric-catalogue.ts';
import type { ListedCluster } from './observation.ts';
import { isSkipped, type PlannedOrganization } from './plan-organization.ts';

interface Series<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

export type GaugeSeries = {
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
