import type { Choice } from '../engine/choose.ts';
import { explanation } from '../engine/decide.ts';
import type { Examined } from '../engine/examine.ts';
import type { ServedCluster } from '../engine/facts.ts';
import type { Explanation } from '../engine/plan.ts';
import { closedAt, type UpgradeGate, type UpgradeGates, type UpgradeVerdict } from '../engine/upgrade-gate.ts';
import type { Version } from '../engine/versions.ts';
import { offeredChannel } from '../engine/y-stream.ts';
import { type Shown, shownOf } from '../scheduler/fleet-plan.ts';
import type { Seat } from './seat.ts';
import type { SteadyContext } from './steady-context.ts';
import type { Turn, Turns } from './take-turns.ts';
import type { Moment } from './upgrade-board.ts';
import type { ReasonAt } from './waiting-log.ts';
import type { WatchedGates } from './watched-gates.ts';

interface NoteParts {
  readonly gates: UpgradeGates;
  readonly watched: WatchedGates;
  /** For reasons of passes that are skipped. */
  readonly context: SteadyContext | undefined;
}

/** Notes what was decided about a cluster, and what that depends on. */
export function noteTurn(turn: Turn, at: Moment, isCancelled: boolean, { gates, watched, context }: NoteParts): void {
  const { seat, examined, choice, hasFault } = turn;
  const why = explanation(examined, choice);
  const shown = shownOf(why, gates);
  const row = shown.verdict && gates.get(shown.verdict.gate);
  seat.roomGate = row?.stage === 'room' ? row.name : undefined;
  seat.room = readsRoom(seat, choice, gates) ? roomIn(examined, watched) : undefined;
  seat.roomDecides = hasFault || roomDecides(seat, choice, why, gates);
  if (isCancelled) return;
  const isSkippable = choice.item === undefined && row !== undefined && context !== undefined;
  seat.log.note(shown, at, isSkippable ? reasonAt(seat, row, shown, context) : undefined);
}

/** Gates about mutexes say the same, perhaps for another reason. */
export function noteWaiter({ seat, room }: Turns['waiters'][number]): void {
  seat.room = room;
  const verdict = room.find(({ gate }) => gate === seat.roomGate);
  if (verdict !== undefined) seat.log.sameGate(verdict.gate, verdict.reason);
}

/** Mutexes are read after what stops a cluster as a whole and after its window; with a hosted control plane, before. */
function readsRoom({ cluster }: Seat, { item, waitsFor }: Choice, gates: UpgradeGates): boolean {
  const stage = waitsFor === undefined ? undefined : gates.get(waitsFor)?.stage;
  return item !== undefined || cluster.hosted || (stage !== 'idle' && stage !== 'fit' && stage !== 'window');
}

/** Where no version is open anyway, and no other channel is offered, free mutexes change nothing. */
function roomDecides({ cluster }: Seat, { item }: Choice, { candidates }: Explanation, gates: UpgradeGates): boolean {
  if (item !== undefined || cluster.hosted || offeredChannel(cluster) !== undefined) return true;
  return candidates.some(({ verdicts }) => closedAt(gates, verdicts, 'version', 'consent') === undefined);
}

function roomIn({ own, ofPools }: Examined, { room }: WatchedGates): UpgradeVerdict[] {
  return room.flatMap(({ name }) => {
    const isOfRow = ({ gate }: UpgradeVerdict): boolean => gate === name;
    return own.find(isOfRow) ?? ofPools.find(isOfRow) ?? [];
  });
}

/** For a reason that changes although the cluster is not decided on again. */
function reasonAt(
  { cluster, member }: Seat<ServedCluster>,
  row: UpgradeGate,
  { to }: Shown,
  context: SteadyContext,
): ReasonAt | undefined {
  if (row.stage === 'room' || (row.influences ?? []).length === 0) return undefined;
  const subject = { cluster, member, policy: cluster.policy, version: to as Version };
  return (pass) => context.during(pass, () => row.judge(subject, context).reason);
}
