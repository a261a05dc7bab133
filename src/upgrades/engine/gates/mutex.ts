import type { Context } from '../context.ts';
import type { Member } from '../members.ts';
import { broken, pass, type Verdict, wait } from '../verdict.ts';

const FREE = pass('mutex', 'no other upgrade is in the way');

/** Never more upgrades at once under a mutex, or under a mutex of a sector, than declared. */
export function mutexGate(member: Member, { occupancy }: Context): Verdict {
  const obstacle = occupancy.obstacle(member);
  if (obstacle === undefined) return FREE;
  const { fault, reason, of } = obstacle;
  if (fault) return broken('mutex', 'organization', reason);
  return wait('mutex', reason, of === undefined ? {} : { waitsOn: of });
}
