interface MetricSpec {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Labels of every metric. */
export const COMMON = ['integration', 'ocm_env'] as const;

/** Gauges by name; existing dashboards rely on names and labels. */
export const GAUGES = {
  policyInfo: {
    name: 'aus_cluster_upgrade_policy_info',
    help: 'Clusters with their upgrade policies',
    labels: [
      ...COMMON,
      'cluster_uuid',
      'org_id',
      'org_name',
      'channel',
      'current_version',
      'cluster_name',
      'schedule',
      'sector',
      'mutexes',
      'soak_days',
      'workloads',
      'product',
      'hypershift',
    ],
  },
  clusterInfo: {
    name: 'aus_cluster_info',
    help: 'Clusters with their upgrade policies, by the id of the cluster',
    labels: [
      ...COMMON,
      'cluster_id',
      'cluster_name',
      'org_id',
      'version',
      'channel',
      'schedule',
      'sector',
      'mutexes',
      'soak_days',
      'workloads',
    ],
  },
  remainingSoak: {
    name: 'aus_cluster_version_remaining_soak_days',
    help: 'Days that a version still has to soak; -1 scheduled, -2 started, -3 started long ago, -4 blocked',
    labels: [...COMMON, 'cluster_uuid', 'soaking_version'],
  },
  versionData: {
    name: 'aus_organization_version_data',
    help: 'Days that a version has soaked under a workload, without what is inherited',
    labels: [...COMMON, 'org_id', 'version', 'workload'],
  },
  validationErrors: {
    name: 'aus_organization_validation_errors',
    help: 'Clusters with invalid labels, and errors in the labels of the organization',
    labels: [...COMMON, 'org_id'],
  },
  health: {
    name: 'aus_cluster_health_state',
    help: '1 healthy, 0 not, by health check',
    labels: [...COMMON, 'cluster_uuid', 'health_source'],
  },
  missingGates: {
    name: 'aus_cluster_missing_version_gate_agreements',
    help: 'Version gates of a minor without an agreement, for clusters that wait for nothing else',
    labels: [...COMMON, 'org_id', 'cluster_uuid', 'version_prefix'],
  },
  channelSwitch: {
    name: 'aus_cluster_channel_switch',
    help: 'Clusters that the last pass switched to another channel',
    labels: [...COMMON, 'org_id', 'cluster_uuid', 'from_channel', 'to_channel'],
  },
  blockedReason: {
    name: 'aus_cluster_blocked_reason',
    help: 'The first gate that keeps a cluster from a version',
    labels: [...COMMON, 'cluster_uuid', 'version', 'gate'],
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

export const COUNTERS = {
  reconciled: {
    name: 'aus_organization_reconciled_total',
    help: 'Passes over an organization',
    labels: [...COMMON, 'org_id'],
  },
  errors: {
    name: 'aus_organization_reconcile_errors_total',
    help: 'Failed passes over an organization',
    labels: [...COMMON, 'org_id'],
  },
  environmentErrors: {
    name: 'aus_ocm_environment_errors_total',
    help: 'Passes in which an OCM could not be observed',
    labels: [...COMMON],
  },
  createFailures: {
    name: 'aus_policy_create_failures_total',
    help: 'Upgrade policies that were requested and not created, or not confirmed',
    labels: [...COMMON, 'org_id', 'outcome'],
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type GaugeName = keyof typeof GAUGES;

/** Gauges and counters of the process that runs a job, such as those of a metrics library. */
export interface UpgradeMetricsPort {
  gauge<Name extends string>(
    name: string,
    help: string,
    labels: readonly Name[],
  ): {
    replace(series: Iterable<{ readonly labels: Readonly<Record<Name, string>>; readonly value: number }>): void;
  };
  counter<Name extends string>(name: string, help: string, labels: readonly Name[]): UpgradeCounter<Name>;
}

export interface UpgradeCounter<Name extends string> {
  inc(labels: Readonly<Record<Name, string>>, by?: number): void;
}

/** The log of the process: a static message, and fields. */
export type UpgradeLogPort = Readonly<
  Record<'info' | 'warn' | 'error', (message: string, fields: Readonly<Record<string, unknown>>) => void>
>;
