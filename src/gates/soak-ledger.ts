import { type Instant, later, MICROS } from './instant.ts';
import { type SoakReadings, type SoakSums, soakOf } from './soak.ts';
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
  /** Present while the last observation was earlier than the check-in, as after one by a clock that was ahead. */
  readonly behind?: ClockBehind;
}

/** A clock that runs forward, before the check-in. */
export interface ClockBehind {
  /** Its last time. */
  readonly at: Instant;
  /** Microseconds that it was observed to run. */
  readonly micros: number;
}

/** After this time a clock that stays behind the check-in is right, and the check-in is not. */
const TRUSTED_AFTER = MICROS.day;

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
 * check-in; it can only remove sightings. A clock that was observed to run for a day behind the check-in is believed: from
 * then on soak counts again, and nothing is credited for the time before.
 */
export function creditObserved<Id extends string, Target extends string>(
  ledger: SoakLedger<Id, Target>,
  seen: Iterable<Reporter<Id, Target>>,
  now: Instant,
  most: number,
): SoakLedger<Id, Target> {
  const { isLate, interval, ...times } = turnAt(ledger, now, most);
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
  return { ...times, versions: tally.result(), sightings };
}

/** How an observation stands to the one before. */
export interface Turn {
  readonly checkIn: Instant;
  /** Credited to those that earn. */
  readonly interval: number;
  /** Before or at the check-in. */
  readonly isLate: boolean;
  readonly behind?: ClockBehind;
}

/** What an observation credits, at most `most` microseconds, and the clock after it. */
export function turnAt(ledger: Timeline, now: Instant, most: number): Turn {
  const { checkIn: last } = ledger;
  if (last === undefined) return { checkIn: now, interval: 0, isLate: false };
  if (now > last) return { checkIn: now, interval: Math.min(now - last, most), isLate: false };
  const behind = clockBehind(ledger, now, most);
  if (behind === undefined) return { checkIn: last, interval: 0, isLate: true };
  if (behind.micros >= TRUSTED_AFTER) return { checkIn: now, interval: 0, isLate: false };
  return { checkIn: last, interval: 0, isLate: true, behind };
}

/** A clock that steps back again is observed from there; a gap counts no more than it does for soak. */
function clockBehind({ checkIn, behind }: Timeline, now: Instant, most: number): ClockBehind | undefined {
  if (checkIn === undefined || now >= checkIn) return undefined;
  if (behind === undefined || now < behind.at) return { at: now, micros: 0 };
  return { at: now, micros: behind.micros + Math.min(now - behind.at, most) };
}

export type Timeline = Pick<SoakLedger, 'checkIn' | 'behind'>;

/** When soak counts again, if passes continue: `now`, unless the check-in is in the future. */
export function soakCountsFrom({ checkIn, behind }: Timeline, now: Instant): Instant {
  if (checkIn === undefined || now >= checkIn) return now;
  return Math.min(checkIn, later(now, TRUSTED_AFTER - (behind?.micros ?? 0))) as Instant;
}

/** The workloads under which the reporter was last seen healthy on the version. */
function earningOf(before: Sighting | undefined, version: string, workloads: readonly string[]): readonly string[] {
  if (before?.version !== version) return [];
  const known = new Set(before.workloads);
  return workloads.filter((workload) => known.has(workload));
}

/** What has soaked so far, and how many healthy reporters soak it now. */
export interface SoakPace {
  readonly soak: { readonly versions: SoakReadings } & Timeline;
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
  return longest === 0 ? now : later(soakCountsFrom(soak, now), longest);
}
