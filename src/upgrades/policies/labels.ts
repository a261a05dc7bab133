import { defined } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import {
  checkApprovals,
  checkFreezes,
  checkNames,
  checkPatterns,
  checkSchedule,
  checkSoakDays,
  checkWorkloads,
  type Field,
  parseSoakDays,
} from './fields.ts';
import { type Inheritance, inheritanceOf } from './inheritance.ts';
import {
  CLUSTER_LABELS,
  type ClusterLabel,
  clusterKey,
  type Labels,
  ORGANIZATION_LABELS,
  organizationKey,
  type Reading,
  SECTOR_LABELS,
  splitCsv,
  unknownLabels,
} from './label-keys.ts';
import {
  assemble,
  type ClusterKey,
  error,
  type Fault,
  hasError,
  type KnownPolicy,
  type OrgSpec,
  type SectorSpec,
  type UpgradePolicy,
} from './org-spec.ts';
import { readSectors } from './sectors.ts';

/** An organization and its clusters with their labels, under full keys. */
interface LabelledOrganization {
  readonly orgId: OrgId;
  readonly labels: Labels;
  /** In order of discovery. */
  readonly clusters: readonly (ClusterKey & { readonly labels: Labels })[];
}

/** Reads an organization from OCM labels. A problem stays with the cluster, or the organization, that it is about. */
export function orgSpecFromLabels(
  { orgId, labels, clusters }: LabelledOrganization,
  network: ReadonlyMap<string, Inheritance>,
  reading: Reading,
): OrgSpec {
  const own = parseOrganizationLabels(labels, reading);
  const { inherit, faults } = inheritanceOf(orgId, network);
  return assemble(
    {
      orgId,
      blockedVersions: own.blockedVersions ?? [],
      freezes: own.freezes ?? [],
      sectors: own.sectors,
      inherit,
      faults: [...own.faults, ...faults],
    },
    clusters.map(({ labels: given, ...cluster }) => ({
      cluster,
      sectorKey: clusterKey('sector'),
      ...parseClusterLabels(given, reading),
    })),
  );
}

/** What the labels of a cluster say. `policy` is set only if all of it is valid; `known` is what could be read. */
interface ClusterLabels {
  readonly policy?: UpgradePolicy;
  readonly known: KnownPolicy;
  readonly faults: readonly Fault[];
}

/** Reads the labels of a subscription, under their full keys. Never throws. */
export function parseClusterLabels(labels: Labels, reading: Reading): ClusterLabels {
  const fields = readFields(labels, reading);
  const unknown = reading.strict ? unknownLabels(labels, CLUSTER_SUFFIXES) : [];
  return policyFrom(fields, unknown);
}

/** A policy from its fields, with other faults. */
export function policyFrom(fields: PolicyFields, others: readonly Fault[] = []): ClusterLabels {
  const faults = [...Object.values(fields).flatMap((field) => field.faults), ...others];
  const known: KnownPolicy = Object.fromEntries(
    Object.entries(fields).flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])),
  );
  return hasError(faults) || !isPolicy(known) ? { known, faults } : { policy: known, known, faults };
}

type PolicyFields = {
  readonly [Name in keyof Required<UpgradePolicy>]: Field<Required<UpgradePolicy>[Name]>;
};

function isPolicy(known: KnownPolicy): known is UpgradePolicy {
  return known.soakDays !== undefined && known.workloads !== undefined && known.schedule !== undefined;
}

const CLUSTER_SUFFIXES = Object.values(CLUSTER_LABELS).map(({ suffix }) => suffix);

function readFields(labels: Labels, reading: Reading): PolicyFields {
  const read = <Value>(name: ClusterLabel, check: (key: string, text: string) => Field<Value>): Field<Value> => {
    const key = clusterKey(name);
    const text = labels[key];
    return text === undefined ? { faults: absent(name, key) } : check(key, text);
  };
  const list = (name: ClusterLabel, check: typeof checkNames): Field<readonly string[]> =>
    read(name, (key, text) => check(key, splitCsv(text, reading), reading));
  return {
    soakDays: read('soakDays', (key, text) => checkSoakDays(key, parseSoakDays(text), reading)),
    workloads: list('workloads', checkWorkloads),
    schedule: read('schedule', (key, text) => checkSchedule(key, text, reading)),
    mutexes: list('mutexes', checkNames),
    sector: read('sector', (_, text) => sectorField(text, reading)),
    blockedVersions: list('blockedVersions', checkPatterns),
    versionGateApprovals: list('versionGateApprovals', checkApprovals),
    freezes: list('freezes', checkFreezes),
  };
}

function absent(name: ClusterLabel, key: string): Fault[] {
  const label = CLUSTER_LABELS[name];
  return 'required' in label ? [error(key, 'the label is missing', `add it: ${label.value}`)] : [];
}

/** A blank text is not a sector. */
function sectorField(text: string, { strict }: Reading): Field<string> {
  if (!strict) return { value: text, faults: [] };
  return text.trim() === '' ? { faults: [] } : { value: text.trim(), faults: [] };
}

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

const ORGANIZATION_SUFFIXES = [...Object.values(ORGANIZATION_LABELS), ...Object.values(SECTOR_LABELS)].map(
  ({ suffix }) => suffix,
);

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
      ...(reading.strict ? unknownLabels(labels, ORGANIZATION_SUFFIXES) : []),
    ],
  };
}
