import type { Direction } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { planPrinter } from './output.ts';
import { type PromoteFlags, planRequest, promotionOf } from './promote-flags.ts';

/** Shows what a promotion would change in the working tree. Writes nothing. */
export async function plan(io: Io, flags: PromoteFlags, direction: Direction = 'forward'): Promise<number> {
  const print = planPrinter(io, flags, direction === 'forward' ? 'promote plan' : 'promote rollback plan');
  const planned = await promotionOf(io, flags).plan(planRequest(io, flags), direction);
  await print(planned);
  const changes = planned.items.some(({ changed }) => changed);
  return flags.detailedExitcode === true && changes ? EXIT.changes : EXIT.ok;
}
