import { type Instance, readInstance } from '../instance/index.ts';
import { type InstanceFlags, instanceSource } from './instance-option.ts';
import type { Io } from './io.ts';
import { progressOn } from './output/progress.ts';

/** The instance given by the flags, read with progress on standard error. */
export async function readFrom(io: Io, flags: InstanceFlags): Promise<Instance> {
  const progress = progressOn(io);
  try {
    const source = await instanceSource(io, flags);
    return readInstance(await source.load({ signal: io.signal, onProgress: progress.step }));
  } finally {
    progress.end();
  }
}
