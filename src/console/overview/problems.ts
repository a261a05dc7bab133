import type { Instant } from '../../gates/index.ts';
import { oncePer } from '../once.ts';
import type { ConsoleState, Half } from '../state.ts';
import type { FleetProblem } from './fleet-problem.ts';
import { rolloutProblems } from './rollout-problems.ts';
import { pinProblems, shardProblems } from './shard-problems.ts';
import { upgradeProblems } from './upgrade-problems.ts';

/** Since when, and whether that is only when this console first saw it. */
export interface AgedProblem extends FleetProblem {
  readonly since: Instant;
  readonly isFirstSeen: boolean;
}

/** Everything that needs a human: errors first, and in the order in which they stop others. */
export function problemsOf(state: Pick<ConsoleState, 'upgrades' | 'shards'>): FleetProblem[] {
  const { upgrades, shards } = state;
  const all = [
    ...unobserved('clusters', upgrades),
    ...unobserved('shards', shards),
    ...(shards.kind === 'known' ? [...rolloutProblems(shards.data), ...shardProblems(shards.data)] : []),
    ...(upgrades.kind === 'known' ? upgradeProblems(upgrades.data) : []),
    ...(shards.kind === 'known' ? pinProblems(shards.data, shards.asOf) : []),
  ];
  return all.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

/** A half whose last observation failed. */
function unobserved(half: string, known: Half<unknown>): FleetProblem[] {
  if ((known.kind !== 'known' && known.kind !== 'failed') || known.error === undefined) return [];
  const { message, hint } = known.error;
  return [
    { id: `unobserved ${half}`, where: half, message: `observation failed: ${message}`, hint, severity: 'error' },
  ];
}

/** Since when problems are seen: what lasts keeps its time, what is over is forgotten. */
export function firstSeenNow(
  before: ReadonlyMap<string, Instant>,
  problems: readonly FleetProblem[],
  now: Instant,
): ReadonlyMap<string, Instant> {
  return new Map(problems.map(({ id }) => [id, before.get(id) ?? now]));
}

/** The problems with their age. */
export const agedProblems = oncePer((state: ConsoleState): readonly AgedProblem[] =>
  problemsOf(state).map((problem) => ({
    ...problem,
    since: problem.since ?? state.firstSeen.get(problem.id) ?? state.startedAt,
    isFirstSeen: problem.since === undefined,
  })),
);
