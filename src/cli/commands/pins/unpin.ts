import { planUnpin } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { type ChangeFlags, changePins, shardChoice } from './change-pins.ts';

export interface UnpinFlags extends ChangeFlags {
  readonly all?: boolean;
}

/** Takes pins of an integration out of its file. */
export async function unpin(io: Io, integration: string, flags: UnpinFlags): Promise<number> {
  return changePins(io, integration, flags, shardChoice(flags, '--shard, --except and --all'), planUnpin);
}
