import { defined } from '../../base/index.ts';
import { type Reading, splitCsv } from './csv.ts';
import { type Labels, ORGANIZATION_LABELS, organizationKey, SECTOR_LABELS } from './label-keys.ts';
import type { SectorSpec } from './org-spec.ts';
import { checkApprovals, checkFreezes, checkNames, checkPatterns, type Field } from './policy-fields.ts';
import type { Fault } from './problem.ts';
import { readSectors } from './sector-labels.ts';
import { unknownLabels } from './unknown-labels.ts';

/** What the labels of an organization say. An absent list differs from an empty one only in labels. */
interface OrganizationLabels {
  readonly blockedVersions?: readonly string[];
  readonly sectors: readonly SectorSpec[];
  readonly versionGateApprovals?: readonly string[];
  readonly freezes?: readonly string[];
  /** Ids of organizations. */
  readonly inherit: readonly string[];
  readonly publish: readonly string[];
  readonly faults: readonly Fault[];
}

const SUFFIXES = [...Object.values(ORGANIZATION_LABELS), ...Object.values(SECTOR_LABELS)].map(({ suffix }) => suffix);

/** Reads the labels of an organization, under their full keys. Never throws. */
export function parseOrganizationLabels(labels: Labels, reading: Reading): OrganizationLabels {
  const list = (name: keyof typeof ORGANIZATION_LABELS, check: typeof checkNames): Field<readonly string[]> => {
    const text = labels[organizationKey(name)];
    return text === undefined ? { faults: [] } : check(organizationKey(name), splitCsv(text, reading), reading);
  };
  const blocked = list('blockedVersions', checkPatterns);
  const approvals = list('versionGateApprovals', checkApprovals);
  const freezes = list('freezes', checkFreezes);
  const [inherit, publish] = [list('inherit', checkNames), list('publish', checkNames)];
  const { sectors, faults } = readSectors(labels, reading);
  return {
    ...defined({ blockedVersions: blocked.value, versionGateApprovals: approvals.value, freezes: freezes.value }),
    inherit: inherit.value ?? [],
    publish: publish.value ?? [],
    sectors,
    faults: [
      ...[blocked, approvals, freezes, inherit, publish].flatMap((field) => field.faults),
      ...faults,
      ...(reading.strict ? unknownLabels(labels, SUFFIXES) : []),
    ],
  };
}
