import { gateList, pass, wait } from '../../src/gates/index.ts';
import { UPGRADE_GATES } from '../../src/upgrades/engine/decide.ts';
import type { UpgradeGate } from '../../src/upgrades/engine/gate.ts';
import type { UpgradeGates } from '../../src/upgrades/index.ts';

export const FROZEN = 'frozen';
export const STAGES = ['idle', 'fit', 'window', 'room', 'version', 'consent'] as const satisfies UpgradeGate['stage'][];

/** All gates, and after them one of a test that always says the same. */
export function gatesWith(stage: UpgradeGate['stage'], ok = false): UpgradeGates {
  const added: UpgradeGate = {
    name: FROZEN,
    stage,
    judge: () => (ok ? pass(FROZEN, 'nothing is frozen') : wait(FROZEN, 'the quarter ends')),
    opens: () => 'the freeze is over',
  };
  return gateList([...UPGRADE_GATES.values(), added]);
}
