import type { Instant } from '../gates/index.ts';
import { compareVersions, isVersion, type Ledger, type PlannedOrganization } from '../upgrades/index.ts';
import type { ConsoleState, KeptPast, Sighted, UpgradesData } from './state.ts';

/** The most version changes stored per cluster. */
const MOST_SIGHTINGS = 50;
/** Deleted clusters are remembered up to this total. */
const MOST_CLUSTERS = 10_000;

/** The versions of each cluster in the histories, by its id. Old histories have cluster names, newer ones UUIDs. */
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

/** What schedulers kept, by cluster id: as stored, so that a change keeps its date. */
export function keptPast(
  organizations: readonly Pick<PlannedOrganization, 'facts' | 'stored'>[],
): ReadonlyMap<string, KeptPast> {
  return new Map(
    organizations.flatMap(({ facts, stored }) => {
      const { clusters, scheduled } = stored.state.past;
      const upgrades = Map.groupBy(scheduled, ({ uuid }) => uuid);
      return [...facts.clusters, ...facts.held].map(({ id, uuid }) => {
        const kept = { versions: clusters.get(uuid)?.versions ?? [], scheduled: upgrades.get(uuid) ?? [] };
        return [id as string, kept] as const;
      });
    }),
  );
}

/** The dated versions of a cluster: those that its scheduler kept, then what only this console saw since. */
export function pastOf(
  { past }: Pick<UpgradesData, 'past'>,
  { sighted }: Pick<ConsoleState, 'sighted'>,
  id: string,
): readonly Sighted[] {
  const kept = past.get(id)?.versions ?? [];
  const seen = sighted.get(id) ?? [];
  const last = kept.at(-1);
  if (last === undefined) return seen;
  const newer = seen.filter(({ since }) => since > last.since);
  return [...kept, ...(newer[0]?.version === last.version ? newer.slice(1) : newer)];
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

/** Versions in their order; invalid ones come last, ordered as text. */
export function inOrder(a: string, b: string): number {
  if (isVersion(a) && isVersion(b)) return compareVersions(a, b);
  if (isVersion(a) !== isVersion(b)) return isVersion(a) ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/**
 * Adds an observation. A change gets the time of the observation that first saw it: it happened since the previous one. What was
 * observed of a cluster is kept when an observation lacks it, since its organization may only have been unreachable.
 */
export function sightedNow(
  before: ReadonlyMap<string, readonly Sighted[]>,
  clusters: readonly { readonly id: string; readonly version: string }[],
  now: Instant,
): ReadonlyMap<string, readonly Sighted[]> {
  const after = new Map(before);
  for (const { id, version } of clusters) {
    const known = after.get(id) ?? [];
    // The most recently observed clusters come last, and are the last to be dropped.
    after.delete(id);
    after.set(
      id,
      known.at(-1)?.version === version ? known : [...known, { version, since: now }].slice(-MOST_SIGHTINGS),
    );
  }
  const most = Math.max(MOST_CLUSTERS, clusters.length);
  return after.size <= most ? after : new Map([...after].slice(-most));
}
