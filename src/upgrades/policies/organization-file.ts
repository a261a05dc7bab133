import { defined } from '../../base/index.ts';
import type { Organization, UnreadEntry, UpgradePolicyCluster } from '../../instance/index.ts';
import {
  checkApprovals,
  checkFreezes,
  checkLimit,
  checkNames,
  checkPatterns,
  checkSchedule,
  checkSoakDays,
  checkWorkloads,
  type Field,
} from './fields.ts';
import { type Inheritance, inheritanceOf } from './inheritance.ts';
import { type Labels, organizationKey, type Reading, splitCsv } from './label-keys.ts';
import { policyFrom } from './labels.ts';
import {
  assemble,
  type ClusterKey,
  error,
  type Fault,
  type OrgSpec,
  type ReadCluster,
  type SectorSpec,
} from './org-spec.ts';
import { sectorFaults } from './sectors.ts';

/**
 * Reads an organization from its file. Entries are matched by name with existing clusters; others are ignored. Clusters are
 * in the order of the file, which decides ties.
 */
export function orgSpecFromInstance(
  organization: Organization,
  live: readonly ClusterKey[],
  network: ReadonlyMap<string, Inheritance>,
  reading: Reading,
): OrgSpec {
  const entries = entriesOf(organization);
  const held = heldEntries(organization);
  const blocked = checkPatterns('blockedVersions', organization.blockedVersions, reading);
  const freezes = freezesOf(organization, reading);
  const { inherit, faults } = inheritanceOf(organization.orgId, network, 'inheritVersionData');
  const sectors = organization.sectors.map(sectorOf);
  return assemble(
    {
      orgId: organization.orgId,
      blockedVersions: blocked.value ?? [],
      freezes: freezes.value ?? [],
      sectors,
      inherit,
      faults: [
        ...blocked.faults,
        ...freezes.faults,
        ...limitFaults(sectors, reading),
        ...(reading.strict ? foreignFaults(organization) : []),
        ...sectorFaults(sectors),
        ...stoppingFaults(organization),
        ...faults,
      ],
    },
    live
      .flatMap((cluster) => {
        const unread = held.get(cluster.name);
        if (unread !== undefined) return [{ index: unread.index, read: heldEntry(cluster, unread) }];
        const found = entries.get(cluster.name);
        if (found === undefined) return [];
        return [{ index: found.index, read: readEntry(cluster, found.entry, found.index, reading) }];
      })
      .sort((a, b) => a.index - b.index)
      .map(({ read }) => read),
  );
}

/** In the labels of the file, under the key that they have in OCM: schemas and servers know no field of their own for them. */
function freezesOf({ labels }: Organization, reading: Reading): Field<readonly string[]> {
  const key = organizationKey('freezes');
  const text = labels[key];
  return text === undefined ? { faults: [] } : checkFreezes(`labels.${key}`, splitCsv(text, reading), reading);
}

/** By name, with their places in the file; unreadable entries too. */
function entriesOf({ policyClusters, unread = [] }: Organization) {
  const skipped = new Set(unread.flatMap(({ list, index }) => (list === 'upgradePolicyClusters' ? [index] : [])));
  const entries = new Map<string, { readonly entry: UpgradePolicyCluster; readonly index: number }>();
  let index = 0;
  for (const entry of policyClusters) {
    while (skipped.has(index)) index += 1;
    entries.set(entry.name, { entry, index });
    index += 1;
  }
  return entries;
}

type Held = UnreadEntry & { readonly cluster: NonNullable<UnreadEntry['cluster']> };

function heldEntries({ unread = [] }: Organization): ReadonlyMap<string, Held> {
  return new Map(
    unread.flatMap((entry): [string, Held][] =>
      entry.cluster === undefined ? [] : [[entry.cluster.name, { ...entry, cluster: entry.cluster }]],
    ),
  );
}

function heldEntry(cluster: ClusterKey, { index, cluster: { known }, faults }: Held): ReadCluster {
  return {
    cluster,
    known,
    faults: faults.map(({ key, message, hint }) => error(key, message, hint)),
    sectorKey: `upgradePolicyClusters[${index}].upgradePolicy.conditions.sector`,
  };
}

/** An unreadable sector, or cluster without a name, would be missing from rules that hold others back. */
function stoppingFaults({ unread = [] }: Organization): Fault[] {
  return unread
    .filter(({ cluster }) => cluster === undefined)
    .flatMap(({ faults }) => faults.map(({ key, message, hint }) => error(key, message, hint)));
}

/** The existing scheduler treats a dependency on another organization's sector as one on its own. */
function sectorOf({ name, maxParallelUpgrades, dependencies }: Organization['sectors'][number]): SectorSpec {
  return {
    name,
    dependencies: dependencies.map((dependency) => dependency.name),
    ...defined({ maxParallelUpgrades }),
  };
}

/** Its clusters are not known here, so it cannot hold anything back. */
function foreignFaults({ sectors, file }: Organization): Fault[] {
  return sectors.flatMap(({ name, dependencies }) =>
    dependencies
      .filter(({ organization }) => organization !== undefined && organization !== file)
      .map((dependency) =>
        error(
          `sectors.${name}.dependencies`,
          `sector ${dependency.name} belongs to another organization and cannot be a dependency`,
          'depend on a sector of this organization, or inherit the history of the other one',
        ),
      ),
  );
}

function limitFaults(sectors: readonly SectorSpec[], reading: Reading): Fault[] {
  return sectors.flatMap(({ name, maxParallelUpgrades: limit }) =>
    limit === undefined ? [] : checkLimit(`sectors.${name}.maxParallelUpgrades`, limit, reading).faults,
  );
}

function readEntry(
  cluster: ClusterKey,
  { upgradePolicy }: UpgradePolicyCluster,
  index: number,
  reading: Reading,
): ReadCluster {
  const at = `upgradePolicyClusters[${index}].upgradePolicy`;
  const { workloads, schedule, versionGateApprovals, conditions } = upgradePolicy;
  const list = (
    key: string,
    given: readonly string[] | undefined,
    check: typeof checkNames,
  ): Field<readonly string[]> => (given === undefined ? { faults: [] } : check(`${at}.${key}`, given, reading));
  const sector = conditions.sector?.trim();
  const fields = {
    soakDays: checkSoakDays(`${at}.conditions.soakDays`, conditions.soakDays, reading),
    workloads: checkWorkloads(`${at}.workloads`, workloads, reading),
    schedule: checkSchedule(`${at}.schedule`, schedule, reading),
    mutexes: list('conditions.mutexes', conditions.mutexes, checkNames),
    sector: sector ? { value: sector, faults: [] } : { faults: [] },
    blockedVersions: list('conditions.blockedVersions', conditions.blockedVersions, checkPatterns),
    versionGateApprovals: list('versionGateApprovals', versionGateApprovals, checkApprovals),
    freezes: { faults: [] },
  };
  return { cluster, sectorKey: `${at}.conditions.sector`, ...policyFrom(fields) };
}

/** Policies that organization files declare for the clusters of one OCM. */
export interface DeclaredPolicies {
  /** By id; all registered organizations, served or not. */
  readonly organizations: ReadonlyMap<string, Organization>;
  /** Who shares history with whom, in label form. */
  readonly sharing: ReadonlyMap<string, Labels>;
}

/** For the environment of the given file. Organizations of other environments may be history sources. */
export function declaredPolicies(all: readonly Organization[], environment: string): DeclaredPolicies {
  const ids = new Map(all.map(({ file, orgId }) => [file, orgId]));
  const own = all.filter((organization) => organization.environment.file === environment);
  return {
    organizations: new Map(own.map((organization) => [organization.orgId, organization])),
    sharing: new Map(own.map((organization) => [organization.orgId, sharingOf(organization, ids)])),
  };
}

/** A missing file keeps its path as name, so that it is reported as one that publishes nothing. */
function sharingOf({ inheritVersionData, publishVersionData }: Organization, ids: ReadonlyMap<string, string>): Labels {
  const csv = (files: readonly string[]): string => files.map((file) => ids.get(file) ?? file).join();
  return {
    ...(inheritVersionData.length === 0 ? {} : { [organizationKey('inherit')]: csv(inheritVersionData) }),
    ...(publishVersionData.length === 0 ? {} : { [organizationKey('publish')]: csv(publishVersionData) }),
  };
}
