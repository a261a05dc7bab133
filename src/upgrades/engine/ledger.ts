import type { Instant } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/cluster-key.ts';
import type { Version } from './versions.ts';

/** How long a version has run under a workload, and where. */
export interface Soak {
  /**
   * Microseconds, summed over clusters: whole, so that sums do not depend on their order. Exact up to 100,000 days, a
   * thousand clusters for a hundred days; beyond, to a few microseconds.
   */
  readonly micros: number;
  /** In the order of joining: UUIDs, or names under the rules of the existing scheduler and in its histories. */
  readonly reporting: ReadonlySet<string>;
}

/** Lowest versions that run anywhere. */
export interface Minima {
  readonly all: Version;
  readonly perWorkload: ReadonlyMap<string, Version>;
}

/** What the last observation saw a healthy cluster on. */
export interface Sighting {
  readonly version: Version;
  readonly workloads: readonly string[];
}

/** The history of an organization. */
export interface Ledger {
  /** Time of the last observation; absent before the first. */
  readonly checkIn?: Instant;
  /** By version, then by workload. */
  readonly versions: ReadonlyMap<string, ReadonlyMap<string, Soak>>;
  readonly minima?: Minima;
  /** Of organizations whose history is inherited; never stored. */
  readonly inheritedMinima?: Minima;
  /** Clusters that the last observation saw healthy; only they earn soak until the next. */
  readonly sightings: ReadonlyMap<ClusterUuid, Sighting>;
}

export const EMPTY_LEDGER: Ledger = { versions: new Map(), sightings: new Map() };

/** Microseconds that a version has soaked under a workload. */
export function soakOf({ versions }: Ledger, version: string, workload: string): number {
  return versions.get(version)?.get(workload)?.micros ?? 0;
}
