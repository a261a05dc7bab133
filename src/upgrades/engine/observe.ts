import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/cluster-key.ts';
import type { Ledger, Minima, Sighting } from './ledger.ts';
import type { Rules } from './rules.ts';
import { Tally } from './tally.ts';
import { keepLower, lowestVersion, type Version } from './versions.ts';

/** A cluster as it was found at the time of the observation. */
export interface Observation {
  readonly uuid: ClusterUuid;
  readonly name: string;
  readonly version: Version;
  /** Absent when nobody knows; it then earns nothing, but counts among the minima. */
  readonly workloads?: readonly string[];
  /** No enforced health check objects. */
  readonly healthy: boolean;
}

/** The history after one more look at all clusters of an organization. */
export function observe(ledger: Ledger, seen: readonly Observation[], now: Instant, rules: Rules): Ledger {
  const minima = minimaOf(seen) ?? ledger.minima;
  return {
    ...(rules.observedSoakOnly ? creditObserved(ledger, seen, now, rules) : creditReported(ledger, seen, now)),
    ...defined({ minima }),
  };
}

type Credited = Pick<Ledger, 'checkIn' | 'versions' | 'sightings'>;

/**
 * Only time between two looks that both found a cluster healthy on the version is soak, and at most
 * `maxCreditedInterval` of it. Time never runs backwards here: with a clock that does, or a look that comes late, nothing is
 * credited until it has caught up, so no moment is credited twice. Such a look cannot tell what was seen at the last
 * check-in; it can only take away.
 */
function creditObserved(ledger: Ledger, seen: readonly Observation[], now: Instant, rules: Rules): Credited {
  const last = ledger.checkIn ?? now;
  const checkIn = Math.max(now, last) as Instant;
  const interval = Math.min(checkIn - last, rules.maxCreditedInterval);
  const isLate = ledger.checkIn !== undefined && now <= last;
  const tally = new Tally(ledger.versions);
  const sightings = new Map<ClusterUuid, Sighting>();
  for (const { uuid, version, workloads, healthy } of seen) {
    if (!healthy || workloads === undefined || sightings.has(uuid)) continue;
    const distinct = [...new Set(workloads)];
    const earning = earningOf(ledger.sightings.get(uuid), version, distinct);
    sightings.set(uuid, { version, workloads: isLate ? earning : distinct });
    for (const workload of distinct) tally.entry(version, workload).reporting.add(uuid);
    for (const workload of earning) tally.entry(version, workload).micros += interval;
  }
  return { checkIn, versions: tally.result(), sightings };
}

/** Those of the workloads under which a cluster was last seen healthy on the version. */
function earningOf(before: Sighting | undefined, version: Version, workloads: readonly string[]): readonly string[] {
  if (before?.version !== version) return [];
  const known = new Set(before.workloads);
  return workloads.filter((workload) => known.has(workload));
}

/** As the existing scheduler counts: by name, gaps in full, a workload that is listed twice twice, and backwards. */
function creditReported(ledger: Ledger, seen: readonly Observation[], now: Instant): Credited {
  const interval = now - (ledger.checkIn ?? now);
  const tally = new Tally(ledger.versions);
  for (const { name, version, workloads = [], healthy } of seen) {
    if (!healthy) continue;
    for (const workload of workloads) {
      const entry = tally.entry(version, workload);
      if (entry.reporting.has(name)) entry.micros += interval;
      else entry.reporting.add(name);
    }
  }
  return { checkIn: now, versions: tally.result(), sightings: new Map() };
}

function minimaOf(seen: readonly Observation[]): Minima | undefined {
  const all = lowestVersion(seen.map(({ version }) => version));
  if (all === undefined) return undefined;
  const perWorkload = new Map<string, Version>();
  for (const { version, workloads = [] } of seen) {
    for (const workload of workloads) keepLower(perWorkload, workload, version);
  }
  return { all, perWorkload };
}
