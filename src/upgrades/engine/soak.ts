import { defined } from '../../base/index.ts';
import {
  creditObserved,
  type Instant,
  MICROS,
  type SoakLedger,
  secondText,
  secondTextAfter,
  soakCountsFrom,
  Tally,
} from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/org-spec.ts';

import type { Rules } from './rules.ts';
import { compareVersions, keepLower, lowestVersion, type Version } from './versions.ts';

/** The lowest versions in use. */
export interface Minima {
  readonly all: Version;
  readonly perWorkload: ReadonlyMap<string, Version>;
}

/** The history of an organization. */
export interface Ledger extends SoakLedger<ClusterUuid, Version> {
  readonly minima?: Minima;
  /** Of organizations whose history is inherited; never stored. */
  readonly inheritedMinima?: Minima;
  /** Organizations whose history is inherited, but which were never observed: `environment/organization`. Never stored. */
  readonly unobservedSources?: readonly string[];
}

export const EMPTY_LEDGER: Ledger = { versions: new Map(), sightings: new Map() };

/** A cluster as observed. */
export interface Observation {
  readonly uuid: ClusterUuid;
  readonly name: string;
  readonly version: Version;
  /** Absent when unknown; the cluster then earns no soak, but counts in the minima. */
  readonly workloads?: readonly string[];
  /** No enforced health check reports it unhealthy. */
  readonly healthy: boolean;
}

/** The history after one more observation of all clusters of an organization. */
export function observe(ledger: Ledger, seen: readonly Observation[], now: Instant, rules: Rules): Ledger {
  const minima = minimaOf(seen) ?? ledger.minima;
  return {
    ...(rules.observedSoakOnly ? creditHealthy(ledger, seen, now, rules) : creditReported(ledger, seen, now)),
    ...defined({ minima }),
  };
}

type Credited = Pick<Ledger, 'checkIn' | 'versions' | 'sightings' | 'behind'>;

function creditHealthy(ledger: Ledger, seen: readonly Observation[], now: Instant, rules: Rules): Credited {
  const reporters = seen.map(({ uuid: id, version, healthy, workloads }) => ({
    ...{ id, version, healthy },
    ...defined({ workloads }),
  }));
  return creditObserved(ledger, reporters, now, rules.maxCreditedInterval);
}

/** As the existing scheduler counts: by name, gaps in full, a duplicate workload twice, and negative intervals too. */
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

/**
 * The organization's own history plus those of others, for workloads that its own one knows. For decisions only: just the
 * own history is stored, so nothing is inherited twice or passed on.
 */
export function inheritSoak(own: Ledger, others: readonly InheritedLedger[]): Ledger {
  if (others.length === 0) return own;
  const known = new Set([...own.versions.values()].flatMap((workloads) => [...workloads.keys()]));
  const tally = new Tally(own.versions);
  for (const other of others) addSoak(tally, other, known);
  const inheritedMinima = own.minima === undefined ? undefined : lowestOf(others.map(({ ledger }) => ledger?.minima));
  const unobserved = others.filter(({ ledger }) => ledger?.minima === undefined).map(({ scope }) => scope);
  return {
    ...own,
    versions: tally.result(),
    ...defined({ inheritedMinima }),
    ...(unobserved.length === 0 ? {} : { unobservedSources: unobserved }),
  };
}

function addSoak(tally: Tally, { scope, ledger }: InheritedLedger, known: ReadonlySet<string>): void {
  for (const [version, workloads] of ledger?.versions ?? []) {
    for (const [workload, { micros, reporting }] of workloads) {
      if (!known.has(workload)) continue;
      const entry = tally.entry(version, workload);
      entry.micros += micros;
      for (const cluster of reporting) entry.reporting.add(`${scope}/${cluster}`);
    }
  }
}

export function lowestOf(minima: readonly (Minima | undefined)[]): Minima | undefined {
  let merged: { all: Version; perWorkload: Map<string, Version> } | undefined;
  for (const each of minima) {
    if (each === undefined) continue;
    merged ??= { all: each.all, perWorkload: new Map() };
    if (compareVersions(each.all, merged.all) < 0) merged.all = each.all;
    for (const [workload, version] of each.perWorkload) keepLower(merged.perWorkload, workload, version);
  }
  return merged;
}

/** Clocks of two machines differ by less. */
const TOLERATED = 5 * MICROS.minute;

/** A history whose last observation is in the future: by a clock that was ahead, unless this one is behind. */
interface ClockDoubt {
  readonly checkIn: Instant;
  /** Soak counts again from here, if this clock stays as it is. */
  readonly countsFrom: Instant;
}

export function clockDoubt(ledger: Pick<Ledger, 'checkIn' | 'behind'>, now: Instant): ClockDoubt | undefined {
  const { checkIn } = ledger;
  if (checkIn === undefined || checkIn - now <= TOLERATED) return undefined;
  return { checkIn, countsFrom: soakCountsFrom(ledger, now) };
}

export function clockDoubtText({ checkIn, countsFrom }: ClockDoubt): string {
  return `soak is not counted before ${secondTextAfter(countsFrom)}: the history was last observed at ${secondText(checkIn)}, which is in the future; either that clock was ahead, or this one is behind`;
}

export interface InheritedLedger {
  /** `environment/organization`. */
  readonly scope: string;
  /** Absent when it has none yet. */
  readonly ledger?: Ledger;
}
