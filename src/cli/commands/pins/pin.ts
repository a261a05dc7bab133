import { defined } from '../../../base/index.ts';
import { planPin } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import { type ChangeFlags, changePins, shardChoice } from './change-pins.ts';

export interface PinFlags extends ChangeFlags {
  readonly image?: string;
  readonly reason?: string;
  readonly until?: string;
}

/** Pins shards of an integration to an image, in its file. */
export async function pin(io: Io, integration: string, flags: PinFlags): Promise<number> {
  const { image, reason, until } = flags;
  const shards = shardChoice({ ...flags, all: false }, '--shard and --except');
  const note = { ...defined({ reason, until }) };
  return changePins(io, integration, flags, shards, (subject) =>
    planPin(subject, image === 'current' ? undefined : image, note),
  );
}
