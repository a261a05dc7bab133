import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type PromoteFlags, planFor } from './make.ts';
import { planPrinter } from './output.ts';
import { instanceFolder, openWorkingTree } from './workspace.ts';

/** Shows what a promotion would change in the working tree. Nothing is written anywhere. */
export async function plan(io: Io, flags: PromoteFlags): Promise<number> {
  const print = planPrinter(io, flags, 'promote plan');
  const folder = instanceFolder(io, flags);
  const { workspace, config } = await openWorkingTree(io, folder);
  const planned = await planFor(io, flags, workspace, config);
  await print(planned);
  const changes = planned.items.some(({ changed }) => changed);
  return flags.detailedExitcode === true && changes ? EXIT.changes : EXIT.ok;
}
