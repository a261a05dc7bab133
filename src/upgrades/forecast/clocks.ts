import type { PassContext } from '../engine/context.ts';
import type { ServedCluster } from '../engine/facts.ts';
import type { ClusterGate } from '../engine/gate.ts';
import type { Seat } from './seat.ts';
import { DIGIT, digitOf } from './verdict-digits.ts';

/** Clusters with the same schedule and freezes. */
export interface Clock {
  readonly seats: readonly Seat<ServedCluster>[];
  /** What its gates say. */
  open: number;
  /** The pass in which it is judged again. */
  due: number;
}

export function clocksOf(seats: readonly Seat<ServedCluster>[]): Clock[] {
  const groups = Map.groupBy(seats, ({ cluster: { policy } }) => JSON.stringify([policy.schedule, policy.freezes]));
  return [...groups.values()].map((own) => ({ seats: own, open: -1, due: 0 }));
}

/** Judges the gates of a clock; returns whether the verdicts are others than before. */
export function judgeClock(clock: Clock, gates: readonly ClusterGate[], context: PassContext): boolean {
  const [seat] = clock.seats;
  if (seat === undefined) return false;
  const before = clock.open;
  clock.open = 0;
  for (const gate of gates) clock.open = clock.open * DIGIT + digitOf(gate.judge(seat, context as never));
  return before !== clock.open;
}

/** The earliest time at which one of the gates of a clock can open or close. */
export function clockUntil({ seats: [seat] }: Clock, gates: readonly ClusterGate[], context: PassContext): number {
  if (seat === undefined) return Number.POSITIVE_INFINITY;
  return Math.min(...gates.map(({ steadyUntil }) => steadyUntil?.(seat, context) ?? Number.POSITIVE_INFINITY));
}
