import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Ran, RunOptions } from './run-cli.ts';

/** One command line, with what a thread can be given of its options. */
export interface Command extends Pick<RunOptions, 'env' | 'cwd'> {
  readonly args: readonly string[];
}

export interface Called {
  readonly ran: readonly Ran[];
  /** The names of all functions of the sources that were called. */
  readonly names: ReadonlySet<string>;
}

export interface CountingThread {
  /** Runs command lines, one after the other. */
  run(commands: readonly Command[]): Promise<Called>;
  close(): Promise<void>;
}

/**
 * Counts calls, in a thread that begins to count before it loads anything. Where the sources were in use before, V8 misses calls:
 * a closure that was called a few times and collected leaves its place without a counter, and the next closure made there is
 * not counted.
 */
export function countingThread(): CountingThread {
  const worker = new Worker(join(import.meta.dirname, 'counting-thread-side.ts'));
  return {
    run: async (commands) => {
      // As it is now: a sandbox sets the variables of git.
      worker.postMessage({ commands, environment: { ...process.env } });
      const [called] = await once(worker, 'message');
      return called as Called;
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
