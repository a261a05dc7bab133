import { type Instant, later } from './instant.ts';
import { type SoakSums, soakOf } from './soak.ts';
import { Tally } from './tally.ts';

/** What a healthy reporter ran at the last observation. */
export interface Sighting<Target extends string = string> {
  readonly version: Target;
  readonly workloads: readonly string[];
}

/** Soak per version and workload; reporters are identified by id. */
export interface SoakLedger<Id extends string = string, Target extends string = string> {
  /** Time of the last observation; absent before the first. */
  readonly checkIn?: Instant;
  readonly versions: SoakSums;
  /** Reporters that the last observation saw healthy; only they earn soak until the next. */
  readonly sightings: ReadonlyMap<Id, Sighting<Target>>;
}

/** A reporter as an observation finds it. Without workloads it earns nothing. */
interface Reporter<Id extends string = string, Target extends string = string> {
  readonly id: Id;
  readonly version: Target;
  readonly workloads?: readonly string[];
  readonly healthy: boolean;
}

/**
 * Only time between two observations that both found a reporter healthy on the version is soak, and at most `most`
 * microseconds of it. Time never runs backwards here: if the clock does, or an observation arrives late, nothing is
 * credited until it has caught up, so no moment is credited twice. Such an observation cannot know what was seen at the last
 * check-in; it can only remove sightings.
 */
export function creditObserved<Id extends string, Target extends string>(
  ledger: SoakLedger<Id, Target>,
  seen: Iterable<Reporter<Id, Target>>,
  now: Instant,
  most: number,
): SoakLedger<Id, Target> {
  const last = ledger.checkIn ?? now;
  const checkIn = Math.max(now, last) as Instant;
  const interval = Math.min(checkIn - last, most);
  const isLate = ledger.checkIn !== undefined && now <= last;
  const tally = new Tally(ledger.versions);
  const sightings = new Map<Id, Sighting<Target>>();
  for (const { id, version, workloads, healthy } of seen) {
    if (!healthy || workloads === undefined || sightings.has(id)) continue;
    const distinct = [...new Set(workloads)];
    const earning = earningOf(ledger.sightings.get(id), version, distinct);
    sightings.set(id, { version, workloads: isLate ? earning : distinct });
    for (const workload of distinct) tally.entry(version, workload).reporting.add(id);
    for (const workload of earning) tally.entry(version, workload).micros += interval;
  }
  return { checkIn, versions: tally.result(), sightings };
}

/** The workloads under which the reporter was last seen healthy on the version. */
function earningOf(before: Sighting | undefined, version: string, workloads: readonly string[]): readonly string[] {
  if (before?.version !== version) return [];
  const known = new Set(before.workloads);
  return workloads.filter((workload) => known.has(workload));
}

/** What has soaked so far, and how many healthy reporters soak it now. */
export interface SoakPace {
  readonly soak: Pick<SoakLedger, 'versions'>;
  readonly soaking: (version: string, workload: string) => number;
  readonly now: Instant;
}

/** When a version will have soaked long enough under all workloads at this pace; undefined while a workload has no reporter. */
export function soakedBy(
  version: string,
  workloads: readonly string[],
  required: number,
  { soak, soaking, now }: SoakPace,
): Instant | undefined {
  let longest = 0;
  for (const workload of workloads) {
    const missing = required - soakOf(soak, version, workload);
    const pace = soaking(version, workload);
    if (missing > 0 && pace === 0) return undefined;
    if (missing > 0) longest = Math.max(longest, Math.ceil(missing / pace));
  }
  return later(now, longest);
}
