import { compareVersions, isVersion, sortVersions, type Version } from '../engine/versions.ts';
import type { ForecastOrganization } from './forecast-organization.ts';
import type { Release } from './offers.ts';

/** Numbers in the order of versions; equal for versions of equal precedence. */
export type VersionRanks = (version: Version) => number;

/** For all versions that clusters can come to. */
export function versionRanks(
  organizations: readonly ForecastOrganization[],
  releases: readonly Release[],
): VersionRanks {
  const versions = versionsIn(organizations);
  for (const { version } of releases) versions.add(version);
  const ranks = new Map<Version, number>();
  let [rank, before] = [0, undefined as Version | undefined];
  for (const version of sortVersions([...versions])) {
    if (before !== undefined && compareVersions(before, version) < 0) rank += 1;
    ranks.set(version, rank);
    before = version;
  }
  return (version) => {
    const known = ranks.get(version);
    if (known === undefined) throw new TypeError(`${version} is not a version of this forecast`);
    return known;
  };
}

function versionsIn(organizations: readonly ForecastOrganization[]): Set<Version> {
  const texts = new Set<string>();
  for (const { facts } of organizations) {
    for (const { version } of facts.policies) texts.add(version);
    for (const { version, availableUpgrades } of [...facts.clusters, ...facts.held])
      for (const text of [version, ...availableUpgrades]) texts.add(text);
  }
  return new Set([...texts].filter(isVersion));
}
