import { type ChildProcess, spawn } from 'node:child_process';
import { messageOf } from '../../base/index.ts';

/** A program to run, and what undoes it where ending the program is not enough. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Run when the program was stopped: a container outlives the client that started it. */
  readonly afterStop?: readonly string[];
}

export interface ProgramOptions {
  /** No limit when absent. */
  readonly timeoutMs?: number;
  /** Between being asked to end and being ended. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}

type Stop = 'timed-out' | 'interrupted';

export interface ProgramEnd {
  readonly end: 'ended' | Stop | 'not-started';
  /** Null when a signal ended it; absent when it did not begin. */
  readonly exitCode?: number | null;
  /** The signal that ended it. */
  readonly endedBy?: NodeJS.Signals;
  /** Why it did not begin. */
  readonly reason?: string;
}

const GRACE_MS = 5_000;
/** What keeps the output open after the program has ended has left its process group. */
const DRAIN_MS = 2_000;
const UNDO_TIMEOUT_MS = 30_000;

/**
 * Runs a program to its end. It has a process group of its own, which ends with it, at the time limit or when the signal is
 * aborted: first asked, then ended.
 */
export async function runProgram(
  command: Command,
  options: ProgramOptions,
  output: { readonly stdout: (chunk: Buffer) => void; readonly stderr: (chunk: Buffer) => void },
): Promise<ProgramEnd> {
  const child = start(command);
  if (child instanceof Error) return { end: 'not-started', reason: child.message };
  const stopper = stopperOf(child, options.graceMs ?? GRACE_MS);
  const timer =
    options.timeoutMs === undefined ? undefined : setTimeout(() => stopper.stop('timed-out'), options.timeoutMs);
  const onAbort = (): void => stopper.stop('interrupted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  endWithProcess(child);
  child.stdout?.on('data', output.stdout);
  child.stderr?.on('data', output.stderr);
  try {
    const ended = await endOf(child);
    const why = stopper.why();
    if (why !== undefined) await undo(command);
    return { end: why ?? 'ended', ...ended };
  } catch (thrown) {
    return { end: 'not-started', reason: messageOf(thrown) };
  } finally {
    clearTimeout(timer);
    stopper.clear();
    options.signal?.removeEventListener('abort', onAbort);
    RUNNING.delete(child);
    if (RUNNING.size === 0) process.off('exit', killRunning);
  }
}

const RUNNING = new Set<ChildProcess>();

/** Nothing outlives this process, which may end without waiting. */
function endWithProcess(child: ChildProcess): void {
  if (RUNNING.size === 0) process.on('exit', killRunning);
  RUNNING.add(child);
}

function killRunning(): void {
  for (const child of RUNNING) signalGroup(child, 'SIGKILL');
}

/** Names and values that no process can have are refused by throwing. */
function start({ file, args, env, cwd }: Command): ChildProcess | Error {
  try {
    return spawn(file, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (thrown) {
    return new Error(messageOf(thrown));
  }
}

function stopperOf(child: ChildProcess, graceMs: number) {
  let why: Stop | undefined;
  let last: NodeJS.Timeout | undefined;
  return {
    why: (): Stop | undefined => why,
    stop: (reason: Stop): void => {
      if (why !== undefined) return;
      why = reason;
      signalGroup(child, 'SIGTERM');
      last = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
    },
    clear: (): void => clearTimeout(last),
  };
}

/** When the program has ended, what it left in its group is killed too, and its output is read to the end. */
function endOf(child: ChildProcess): Promise<Pick<ProgramEnd, 'exitCode' | 'endedBy'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, endedBy) => {
      signalGroup(child, 'SIGKILL');
      const timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve({ exitCode, ...(endedBy === null ? {} : { endedBy }) });
      });
    });
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}

function undo({ file, afterStop, env, cwd }: Command): Promise<void> {
  if (afterStop === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const child = spawn(file, afterStop, { env, cwd, stdio: 'ignore', timeout: UNDO_TIMEOUT_MS });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}
