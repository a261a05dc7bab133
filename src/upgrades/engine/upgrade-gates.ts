import { gateList } from '../../gates/index.ts';
import { availableRow } from './gates/available.ts';
import { blockedRow } from './gates/blocked.ts';
import { busyRow } from './gates/busy.ts';
import { freezeRow } from './gates/freeze.ts';
import { healthRow } from './gates/health.ts';
import { inheritedFloorRow } from './gates/inherited-floor.ts';
import { mutexRow } from './gates/mutex.ts';
import { scheduleRow } from './gates/schedule.ts';
import { sectorRow } from './gates/sector.ts';
import { soakRow } from './gates/soak.ts';
import { versionGateRow } from './gates/version-gate.ts';
import type { UpgradeGates } from './upgrade-gate.ts';

/** Every gate of an upgrade, in the order in which verdicts are listed. To add a gate, add its row here. */
export const UPGRADE_GATES: UpgradeGates = gateList([
  availableRow,
  blockedRow,
  inheritedFloorRow,
  sectorRow,
  soakRow,
  versionGateRow,
  freezeRow,
  scheduleRow,
  mutexRow,
  busyRow,
  healthRow,
]);
