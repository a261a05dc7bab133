import { count } from '../../../base/index.ts';
import { PROMOTION_FILE } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { promotionOf, type WorkspaceFlags } from './promote-flags.ts';

export interface InitFlags extends WorkspaceFlags {
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** Writes or prints an initial `promotion.yml`. */
export async function init(io: Io, flags: InitFlags): Promise<number> {
  const dryRun = flags.dryRun === true;
  const made = await promotionOf(io, flags).init({ force: flags.force === true, dryRun });
  io.stdout.write(
    dryRun
      ? made.text
      : `Wrote ${PROMOTION_FILE} with ${count(made.targets, 'target')} of ${count(made.upstreams, 'upstream')}. Review it, then run: echelon promote plan\n`,
  );
  return EXIT.ok;
}
