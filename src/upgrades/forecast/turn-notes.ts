import type { Context } from '../engine/context.ts';
import type { ServedCluster } from '../engine/facts.ts';
import type { UpgradeGate } from '../engine/gate.ts';
import type { Version } from '../engine/versions.ts';
import type { Seat } from './seat.ts';
import type { SteadyContext } from './steady-context.ts';
import type { Turn, Turns } from './take-turns.ts';
import { TimedReason } from './timed-reason.ts';
import type { Moment } from './upgrade-board.ts';
import type { ReasonAt } from './waiting-log.ts';

interface NoteParts {
  readonly context: Context;
  /** The same, where reasons of passes that are skipped can be asked for. */
  readonly steady: SteadyContext | undefined;
  /** Whether gates about mutexes can be evaluated at any time: only then does nobody have to look for a fault. */
  readonly isSound: boolean;
}

/** Notes what was decided about a cluster, and what that depends on. */
export function noteTurn(turn: Turn, at: Moment, isCancelled: boolean, { context, steady, isSound }: NoteParts): void {
  const { seat, outcome, room, hasFault } = turn;
  const { row } = outcome;
  seat.roomGate = row?.stage === 'room' ? row.name : undefined;
  seat.roomDecides = hasFault || outcome.roomDecides;
  seat.isFirm = !hasFault && outcome.isFirm;
  seat.room = (seat.isFirm ? !isSound : outcome.readsRoom) ? room : undefined;
  if (isCancelled) return;
  const isSkippable = outcome.item === undefined && row !== undefined && steady !== undefined && changes(row);
  seat.log.note(outcome, at, isSkippable ? reasonAt(turn, row, steady) : reasonOf(turn, context));
}

/** Gates about mutexes say the same, perhaps for another reason. */
export function noteWaiter({ seat, room }: Turns['waiters'][number]): void {
  seat.room = room;
  const verdict = room.find(({ gate }) => gate === seat.roomGate);
  if (verdict !== undefined) seat.log.sameGate(verdict.gate, verdict.reason);
}

/** Whether a reason can be another one although the cluster is not decided on again. */
function changes({ stage, influences = [] }: UpgradeGate): boolean {
  return stage !== 'room' && influences.length > 0;
}

/** The same as long as the cluster waits for the same: there are far more turns than changes. */
function reasonAt({ seat, outcome }: Turn, row: UpgradeGate, context: SteadyContext): ReasonAt {
  const { lastReason: last, cluster, member } = seat;
  const version = judgedBy(seat, outcome);
  if (last?.row === row && last.version === version && last.cluster === cluster) return last;
  seat.lastReason = new TimedReason({ row, version, cluster, member, context });
  return seat.lastReason;
}

function reasonOf(turn: Turn, context: Context): string {
  const { outcome, reason, room, seat } = turn;
  const { row } = outcome;
  if (reason !== undefined || row === undefined) return reason ?? outcome.reason;
  const verdict = row.stage === 'room' ? room.find(({ gate }) => gate === row.name) : undefined;
  return (verdict ?? row.judge(subjectOf(seat, outcome), context)).reason;
}

function subjectOf(seat: Seat<ServedCluster>, outcome: Turn['outcome']) {
  const { cluster, member } = seat;
  return { cluster, member, policy: cluster.policy, version: judgedBy(seat, outcome) };
}

function judgedBy({ cluster }: Seat<ServedCluster>, { judged }: Turn['outcome']): Version {
  return (judged ?? cluster.version) as Version;
}
