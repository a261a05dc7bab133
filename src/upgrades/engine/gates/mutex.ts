import type { Context } from '../context.ts';
import type { Member } from '../members.ts';
import { broken, pass, type Verdict, wait } from '../verdict.ts';

const FREE = pass('mutex', 'no other upgrade is in the way');

/** Never more upgrades at once under a mutex, or under a mutex of a sector, than declared. */
export function mutexGate(member: Member, { occupancy }: Context): Verdict {
  const obstacle = occupancy.obstacle(member);
  if (obstacle === undefined) return FREE;
  return obstacle.fault ? broken('mutex', 'organization', obstacle.reason) : wait('mutex', obstacle.reason);
}
