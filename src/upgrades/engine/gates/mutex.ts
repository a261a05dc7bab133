import { broken, pass, type Verdict, wait } from '../../../gates/index.ts';
import type { Context } from '../context.ts';
import type { Member } from '../members.ts';
import type { Obstacle } from '../occupancy.ts';
import type { ClusterGate, UpgradeVerdict } from '../upgrade-gate.ts';

const FREE = pass('mutex', 'no other upgrade holds its mutexes');

/** Never more upgrades at once under a mutex, or under a mutex of a sector, than declared. */
export function mutexGate(member: Member, { occupancy }: Context): UpgradeVerdict {
  const obstacle = occupancy.obstacle(member);
  if (obstacle === undefined) return FREE;
  obstacle.verdict ??= verdictOf(obstacle);
  return obstacle.verdict;
}

function verdictOf({ fault, reason, of }: Obstacle): Verdict<'organization'> {
  if (fault) return broken('mutex', 'organization', reason);
  return wait('mutex', reason, of === undefined ? {} : { waitsOn: of });
}

export const mutexRow: ClusterGate = {
  name: 'mutex',
  awaited: 'for a mutex',
  stage: 'room',
  influences: ['room'],
  isSound: ({ occupancy }) => occupancy.isSound,
  judge: ({ member }, context) => mutexGate(member, context),
  opens: ({ fault, waitsOn }) => {
    if (fault !== undefined) return 'the limit of its sector is fixed';
    return waitsOn === undefined ? 'its own upgrade is over' : `${upgradesOf(waitsOn)} is over`;
  },
};

function upgradesOf(names: string): string {
  return names.includes(', ') ? `one of the upgrades of ${names}` : `the upgrade of ${names}`;
}
