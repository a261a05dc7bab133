import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import type { Machine } from './results.ts';

export function machineHere(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    kernel: `${type()} ${release()}`,
  };
}
