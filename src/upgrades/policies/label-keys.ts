/** Labels with this prefix are about cluster upgrades; all others are ignored. */
export const PREFIX = 'sre-capabilities.aus.';

interface LabelKey {
  readonly suffix: string;
  readonly value: string;
  readonly required?: true;
}

/** Labels of a subscription, that is of one cluster. */
export const CLUSTER_LABELS = {
  soakDays: { suffix: 'soak-days', value: 'whole days', required: true },
  workloads: { suffix: 'workloads', value: 'names, separated by commas', required: true },
  schedule: { suffix: 'schedule', value: 'cron in UTC', required: true },
  mutexes: { suffix: 'mutexes', value: 'names, separated by commas' },
  sector: { suffix: 'sector', value: 'a sector that the organization declares' },
  blockedVersions: { suffix: 'blocked-versions', value: 'regular expressions, separated by commas' },
  versionGateApprovals: { suffix: 'version-gate-approvals', value: 'labels of version gates, separated by commas' },
  freezes: { suffix: 'freeze', value: 'FROM/UNTIL in ISO 8601, with =REASON where wanted, separated by commas' },
} as const satisfies Readonly<Record<string, LabelKey>>;

/** Labels of an organization. */
export const ORGANIZATION_LABELS = {
  blockedVersions: { suffix: 'blocked-versions', value: 'regular expressions, separated by commas' },
  versionGateApprovals: { suffix: 'version-gate-approvals', value: 'labels of version gates, separated by commas' },
  freezes: { suffix: 'freeze', value: 'FROM/UNTIL in ISO 8601, with =REASON where wanted, separated by commas' },
  inherit: { suffix: 'version-data.inherit', value: 'ids of organizations, separated by commas' },
  publish: { suffix: 'version-data.publish', value: 'ids of organizations, separated by commas' },
} as const satisfies Readonly<Record<string, LabelKey>>;

/** Labels of an organization whose key ends with the name of a sector. */
export const SECTOR_LABELS = {
  dependencies: { suffix: 'sector-deps.', value: 'sectors, separated by commas' },
  maxParallelUpgrades: { suffix: 'sector-max-parallel-upgrades.', value: 'a number, or a percentage such as 50%' },
} as const satisfies Readonly<Record<string, LabelKey>>;

export type ClusterLabel = keyof typeof CLUSTER_LABELS;

export type Labels = Readonly<Record<string, string>>;

export function clusterKey(name: ClusterLabel): string {
  return PREFIX + CLUSTER_LABELS[name].suffix;
}

export function organizationKey(name: keyof typeof ORGANIZATION_LABELS): string {
  return PREFIX + ORGANIZATION_LABELS[name].suffix;
}

export function sectorKey(name: keyof typeof SECTOR_LABELS, sector: string): string {
  return PREFIX + SECTOR_LABELS[name].suffix + sector;
}
