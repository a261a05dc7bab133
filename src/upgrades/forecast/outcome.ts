import { defined } from '../../base/index.ts';
import { rowOf } from '../../gates/index.ts';
import {
  type ChannelSwitch,
  type Choice,
  type Examined,
  type Explanation,
  type Upgrade,
  upgradeOf,
} from '../engine/choose.ts';
import type { Context } from '../engine/context.ts';
import { explanation } from '../engine/decide.ts';
import { offeredChannel, type ServedCluster } from '../engine/facts.ts';
import { closedAt, type UpgradeGate, type UpgradeGates } from '../engine/gate.ts';
import { type Shown, shownOf } from '../views/plan.ts';

/** What a decision about a cluster comes to, without times and the numbers in reasons: the same in the same situation. */
export interface Outcome extends Pick<Shown, 'action' | 'gate' | 'to'> {
  readonly item?: Pick<Upgrade, 'action' | 'version' | 'nodePool'> | Pick<ChannelSwitch, 'action' | 'to'>;
  /** The gate that gives the reason, and the version that it judges. */
  readonly row?: UpgradeGate;
  readonly judged?: string;
  /** Where no gate gives one. */
  readonly reason: string;
  /** Whether the decision can depend on mutexes. */
  readonly readsRoom: boolean;
  /** Whether it is another one, or waits for something else, once they are free or taken. */
  readonly roomDecides: boolean;
  /** Whether it is the same for every window and all mutexes, as long as every gate can be evaluated. */
  readonly isFirm: boolean;
}

/** The outcome of an examination, and the reason as it is now. */
export function outcomeOf(
  examined: Examined,
  choice: Choice,
  gates: UpgradeGates,
): { readonly outcome: Outcome; readonly reason: string } {
  const why = explanation(examined, choice);
  const { action, gate, to, reason, verdict, judged } = shownOf(why, gates);
  const row = verdict && rowOf(gates, verdict);
  const isFirm = firm(examined, choice, gates);
  const outcome = {
    ...{ action, isFirm, reason: row === undefined ? reason : '' },
    ...defined({ gate, to, row, judged, item: choice.item }),
    readsRoom: readsRoom(examined, choice, gates),
    roomDecides: !isFirm && roomDecides(examined, choice, why, gates),
  };
  return { outcome, reason };
}

/** What is done to a cluster with this outcome, now. */
export function itemOf(
  { item }: Outcome,
  cluster: ServedCluster,
  context: Context,
): Upgrade | ChannelSwitch | undefined {
  if (item === undefined) return undefined;
  if (item.action === 'upgrade') return upgradeOf(cluster, item, context);
  return { ...item, clusterId: cluster.id, from: cluster.channel };
}

/** Mutexes are read after what stops a cluster as a whole and after its window; with a hosted control plane, before. */
function readsRoom({ cluster }: Examined, { item, waitsFor }: Choice, gates: UpgradeGates): boolean {
  const stage = waitsFor === undefined ? undefined : gates.get(waitsFor)?.stage;
  return item !== undefined || cluster.hosted || (stage !== 'idle' && stage !== 'fit' && stage !== 'window');
}

/** Where no version is open anyway, and no other channel is offered, free mutexes change nothing. */
function roomDecides(
  { cluster }: Examined,
  { item }: Choice,
  { candidates }: Explanation,
  gates: UpgradeGates,
): boolean {
  if (item !== undefined || cluster.hosted || offeredChannel(cluster) !== undefined) return true;
  return candidates.some(({ verdicts }) => closedAt(gates, verdicts, 'version', 'consent') === undefined);
}

/**
 * Where nothing is done to a cluster that nothing but a window or a mutex stops, and no version of it is open, what it waits for is shown
 * of the next version, and another window or mutex changes nothing. Neither does one where nothing is offered.
 */
function firm({ cluster, pool, own, ofPools, candidates }: Examined, { item }: Choice, gates: UpgradeGates): boolean {
  if (item !== undefined || pool !== undefined || offeredChannel(cluster) !== undefined) return false;
  if (candidates.length === 0) return true;
  const isStopped = [own, ofPools].some((verdicts) => closedAt(gates, verdicts, 'idle', 'fit') !== undefined);
  if (isStopped || !gates.values().every(isOfItsStage)) return false;
  return candidates.every(({ verdicts }) => closedAt(gates, verdicts, 'version', 'consent') !== undefined);
}

/** Windows say nothing about the cluster as a whole, and neither they nor mutexes rule a version out. */
function isOfItsStage({ stage, influences = [], bars }: UpgradeGate): boolean {
  const isTransient = stage === 'window' || stage === 'room';
  return isTransient ? bars !== true : !influences.includes('window');
}
