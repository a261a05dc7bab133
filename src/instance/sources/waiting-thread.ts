import { SHARE_ENV, Worker } from 'node:worker_threads';

let waiting: Worker | undefined;

/** Starts a thread before there is anything for it to read: to start takes as long as reading thousands of files. It keeps no process from ending. */
export function startReadingThread(): void {
  if (waiting !== undefined) return;
  try {
    const thread = newThread();
    thread.unref();
    const forget = (): void => {
      if (waiting === thread) waiting = undefined;
    };
    thread.on('error', forget);
    thread.on('exit', forget);
    waiting = thread;
  } catch {
    // Without it everything is read here.
  }
}

/** A thread that waits for what to read. */
export function readingThread(): Worker {
  const thread = waiting ?? newThread();
  waiting = undefined;
  thread.ref();
  return thread;
}

function newThread(): Worker {
  const name = import.meta.url.endsWith('.ts') ? 'reading-thread.ts' : 'reading-thread.js';
  // It prints nothing: passing on what it prints takes a tenth of its start.
  const silent = { stdout: true, stderr: true };
  return new Worker(new URL(name, import.meta.url), { ...silent, env: SHARE_ENV, trackUnmanagedFds: false });
}
