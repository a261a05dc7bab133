import { byText, nearest } from '../../base/index.ts';
import { type Fault, warning } from './org-spec.ts';

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

/** How labels are read: strictly, or as the existing scheduler reads them, blanks and duplicates included. */
export interface Reading {
  readonly strict: boolean;
}

/** The text between commas, unchanged; an empty text is the empty list. */
export function splitCsv(text: string, { strict }: Reading): readonly string[] {
  const isEmpty = strict ? text.trim() === '' : text === '';
  return isEmpty ? [] : text.split(',');
}

/** Trimmed, each once, without blanks; `hasBlank` is set if there were any, as after a trailing comma. */
export function cleanMembers(given: readonly string[]): { members: readonly string[]; hasBlank: boolean } {
  const trimmed = given.map((member) => member.trim());
  return { members: [...new Set(trimmed.filter((member) => member !== ''))], hasBlank: trimmed.includes('') };
}

/** Labels with our prefix that Echelon does not know, most likely typos. A suffix may end in a dot. */
export function unknownLabels(labels: Labels, suffixes: readonly string[]): Fault[] {
  return Object.keys(labels)
    .filter((key) => key.startsWith(PREFIX) && !suffixes.some((suffix) => reads(suffix, key.slice(PREFIX.length))))
    .sort(byText)
    .map((key) => {
      const close = nearest(key.slice(PREFIX.length), suffixes).map((suffix) => PREFIX + suffix);
      const hint = close.length === 0 ? 'remove it' : `did you mean ${close.join(' or ')}?`;
      return warning(key, 'unknown label', hint);
    });
}

function reads(suffix: string, name: string): boolean {
  return suffix.endsWith('.') ? name.startsWith(suffix) : name === suffix;
}
