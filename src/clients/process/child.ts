import type { ChildProcess } from 'node:child_process';

/** The exit code of a program once its output was read to the end, null when a signal ended it. Rejects when it did not start. */
export function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Ends a program that has a process group of its own, with what it started, and waits for no more of its output. */
export function killGroup({ pid, stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
