import { compareVersions, type Instant, isVersion, type Ledger, type PlannedOrganization } from '../upgrades/index.ts';
import type { Sighted } from './state.ts';

/** The most version changes that are kept of one cluster. */
const MOST_SIGHTINGS = 50;
/** Clusters that are gone are remembered up to this many in all. */
const MOST_CLUSTERS = 10_000;

/** Which versions the histories have each cluster on, by its id. Old histories name clusters, newer ones their UUIDs. */
export function recordedVersions(
  organizations: readonly Pick<PlannedOrganization, 'facts'>[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    organizations.flatMap(({ facts }) => {
      const byReporter = versionsByReporter(facts.ledger);
      return [...facts.clusters, ...facts.held].map(({ id, uuid, name }) => {
        const versions = new Set([...(byReporter.get(uuid) ?? []), ...(byReporter.get(name) ?? [])]);
        return [id, [...versions].sort(inOrder)] as const;
      });
    }),
  );
}

function versionsByReporter({ versions }: Ledger): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [version, workloads] of versions) {
    for (const reporter of new Set([...workloads.values()].flatMap(({ reporting }) => [...reporting]))) {
      const own = found.get(reporter) ?? [];
      own.push(version);
      found.set(reporter, own);
    }
  }
  return found;
}

/** Versions in their order; what is none comes last, in order of text. */
export function inOrder(a: string, b: string): number {
  if (isVersion(a) && isVersion(b)) return compareVersions(a, b);
  if (isVersion(a) !== isVersion(b)) return isVersion(a) ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/**
 * Adds what a look saw. A change is dated by the look that saw it first: it happened since the look before. What was seen of
 * a cluster stays when a look does not see it, since its organization may only have been out of reach.
 */
export function sightedNow(
  before: ReadonlyMap<string, readonly Sighted[]>,
  clusters: readonly { readonly id: string; readonly version: string }[],
  now: Instant,
): ReadonlyMap<string, readonly Sighted[]> {
  const after = new Map(before);
  for (const { id, version } of clusters) {
    const known = after.get(id) ?? [];
    // Those that were seen last come last, and are the last to be forgotten.
    after.delete(id);
    after.set(
      id,
      known.at(-1)?.version === version ? known : [...known, { version, since: now }].slice(-MOST_SIGHTINGS),
    );
  }
  const most = Math.max(MOST_CLUSTERS, clusters.length);
  return after.size <= most ? after : new Map([...after].slice(-most));
}
