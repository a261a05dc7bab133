import { gateOpening, jointOpening, type Opening, rowOf } from '../../gates/index.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { UpgradeGates, UpgradeVerdict } from '../engine/gate.ts';

/** When one closed gate can open. */
export function openingOf(verdict: UpgradeVerdict, version: string, gates: UpgradeGates = UPGRADE_GATES): Opening {
  return gateOpening(verdict, version, gates);
}

/** When all gates can be open at once; undefined when none is closed. */
export function earliestOf(
  verdicts: readonly UpgradeVerdict[],
  version: string,
  gates: UpgradeGates = UPGRADE_GATES,
): Opening | undefined {
  return jointOpening(closedIn(verdicts, gates).map((verdict) => openingOf(verdict, version, gates)));
}

/** A busy cluster holds its own mutexes; that is reported once. */
function closedIn(verdicts: readonly UpgradeVerdict[], gates: UpgradeGates): UpgradeVerdict[] {
  const closed = verdicts.filter(({ ok }) => !ok);
  const isBusy = closed.some((verdict) => rowOf(gates, verdict).stage === 'idle' && verdict.fault === undefined);
  const isItself = ({ waitsOn, fault }: UpgradeVerdict): boolean => waitsOn === undefined && fault === undefined;
  return closed.filter((verdict) => !(isBusy && isItself(verdict) && rowOf(gates, verdict).stage === 'room'));
}
