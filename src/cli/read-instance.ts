import { type Instance, type LoadOptions, readInstance, type Snapshot } from '../instance/index.ts';
import { type InstanceFlags, instanceSource } from './instance-option.ts';
import type { Io } from './io.ts';
import { progressOn } from './output/progress.ts';

/** The instance given by the flags, read with progress on standard error. */
export async function readFrom(io: Io, flags: InstanceFlags): Promise<Instance> {
  return readInstance(await loadFrom(io, flags));
}

/** The data of the instance given by the flags, loaded with progress on standard error. */
export async function loadFrom(
  io: Io,
  flags: InstanceFlags,
  options: Pick<LoadOptions, 'inventory'> = {},
): Promise<Snapshot> {
  const progress = progressOn(io);
  try {
    const source = await instanceSource(io, flags);
    return await source.load({ signal: io.signal, onProgress: progress.step, ...options });
  } finally {
    progress.end();
  }
}
