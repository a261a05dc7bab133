import { count, defined } from '../../base/index.ts';
import { type Instant, later } from '../../gates/index.ts';
import { durationText } from '../file/duration.ts';
import type { Wave } from '../file/rollout-file.ts';
import type { QueryFinding, WaveReport } from './decision.ts';
import { findingText } from './query-findings.ts';
import type { Sighting } from './sighting.ts';

/** A wave as this pass sees it. */
export interface WaveView {
  readonly wave: Wave;
  /** Of its shards, in the order in which they move. */
  readonly ids: readonly string[];
  /** How many are neither pinned nor disabled (D1); those that this pass could not see count (D3). */
  readonly counting: number;
  readonly onTarget: number;
  readonly soaked: number;
  readonly isPassed: boolean;
  /** Why it is not passed. */
  readonly reason: string;
  /** Before this it cannot be passed; absent when a time cannot be given. */
  readonly passedFrom?: Instant;
}

/** A wave without what depends on the time. */
export interface SeenWave extends Omit<WaveView, 'passedFrom'> {
  /** Microseconds that it needs at least, if all stays healthy. */
  readonly missing?: number;
}

/** A wave at a time. */
export function waveAt({ missing, ...wave }: SeenWave, now: Instant): WaveView {
  return missing === undefined ? wave : { ...wave, passedFrom: later(now, missing) };
}

interface ViewOptions {
  readonly target: string;
  /** Of a shard: its queries that are not as expected. */
  readonly findingsOf: (id: string) => readonly QueryFinding[];
}

export function seenWave(wave: Wave, members: readonly Sighting[], { target, findingsOf }: ViewOptions): SeenWave {
  const counting = members.filter(({ facts }) => facts.pinned === undefined && !facts.disabled);
  const running = counting.filter(({ facts }) => facts.seen && facts.live?.image === target);
  const soaked = running.filter(({ record }) => hasSoaked(record.soak?.micros, wave)).length;
  const [onTarget, all] = [running.length, counting.length];
  const missing = all === 0 ? undefined : longestMissing(counting, wave, target);
  return {
    ...{ wave, ids: members.map(({ facts }) => facts.id), counting: all, onTarget, soaked },
    isPassed: all > 0 && soaked === all,
    reason:
      all === 0
        ? noneCounts(members.length)
        : `${progress(wave, { all, onTarget, soaked, missing: missing ?? 0 })}${stops(counting)}${unexpected(counting, findingsOf)}`,
    ...defined({ missing }),
  };
}

function hasSoaked(micros: number | undefined, { soak }: Wave): boolean {
  return micros !== undefined && micros >= soak;
}

function noneCounts(members: number): string {
  return members === 0 ? 'it selects no shard' : 'all of its shards are pinned or disabled';
}

function progress(
  wave: Wave,
  { all, onTarget, soaked, missing }: Readonly<Record<'all' | 'onTarget' | 'soaked' | 'missing', number>>,
): string {
  const shards = `${soaked} of ${count(all, 'shard')} soaked ${durationText(wave.soak)}`;
  return onTarget < all ? `${shards}, ${onTarget} on the image` : `${shards}, at least ${durationText(missing)} to go`;
}

/** The first shard of the wave that does not soak since it is stopped. */
function stops(counting: readonly Sighting[]): string {
  const found = counting.filter(({ facts }) => facts.live?.stopped !== undefined);
  const [first] = found;
  if (first === undefined) return '';
  const more = found.length === 1 ? '' : `, and ${found.length - 1} more`;
  return `; ${first.facts.id} is stopped: ${first.facts.live?.stopped}${more}`;
}

/** The first query that keeps a shard of the wave from soaking. */
function unexpected(counting: readonly Sighting[], findingsOf: ViewOptions['findingsOf']): string {
  const found = counting.flatMap(({ facts }) => findingsOf(facts.id));
  const [first] = found;
  if (first === undefined) return '';
  const more = found.length === 1 ? '' : `, and ${found.length - 1} more`;
  return `; ${first.shard}: ${findingText(first)}${more}`;
}

/** Microseconds that the shard which is furthest behind still needs, if it stays healthy. */
function longestMissing(counting: readonly Sighting[], { soak }: Wave, target: string): number {
  return counting.reduce((most, { facts, record }) => {
    if (facts.workload === 'CronJob') return most;
    const done = facts.live?.image === target ? (record.soak?.micros ?? 0) : 0;
    return Math.max(most, soak - done);
  }, 0);
}

export function waveReport(
  { wave, ids, counting, onTarget, soaked, isPassed, reason }: WaveView,
  isOpen: boolean,
): WaveReport {
  return {
    name: wave.name,
    state: isPassed ? 'passed' : isOpen ? 'open' : 'closed',
    shards: ids,
    counting,
    onTarget,
    // Soak is not measured any more once a track has completed.
    soaked: isPassed ? onTarget : soaked,
    soak: wave.soak,
    ...(isPassed ? {} : { reason }),
  };
}
