import { type ChildProcess, spawn } from 'node:child_process';
import { messageOf } from '../../base/index.ts';
import { type LogFile, openLog } from './run-log.ts';

/** A program to run, and what undoes it where ending the program is not enough. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Run when the program was stopped: a container outlives the client that started it. */
  readonly afterStop?: readonly string[];
}

export interface RunOptions {
  /** Where the output goes; a file of that name is replaced. */
  readonly log: string;
  readonly redact: (text: string) => string;
  readonly timeoutMs: number;
  /** Between being asked to end and being ended. */
  readonly graceMs?: number;
  readonly maxLogBytes?: number;
  readonly signal?: AbortSignal;
}

type CommandEnd = 'ended' | 'timed-out' | 'interrupted' | 'not-started';

interface CommandResult {
  readonly end: CommandEnd;
  /** Null when a signal ended it; absent when it did not begin. */
  readonly exitCode?: number | null;
  readonly seconds: number;
  /** The end of the output, secrets removed. */
  readonly tail: string;
  /** Why it did not begin. */
  readonly reason?: string;
}

const GRACE_MS = 5_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** What keeps the output open after the program has ended has left its process group. */
const DRAIN_MS = 2_000;
const UNDO_TIMEOUT_MS = 30_000;

/**
 * Runs a program to its end, its output in a log. It has a process group of its own, which ends with it, at the time limit or
 * when the signal is aborted: first asked, then ended.
 */
export async function runCommand(command: Command, options: RunOptions): Promise<CommandResult> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  if (options.signal?.aborted === true) return { end: 'interrupted', seconds: 0, tail: '' };
  const log = openLog(options.log, { redact: options.redact, maxBytes: options.maxLogBytes ?? MAX_LOG_BYTES });
  try {
    const child = start(command);
    if (child instanceof Error) return { end: 'not-started', seconds: seconds(), tail: '', reason: child.message };
    const result = await watch(child, command, options, log);
    log.close();
    return { ...result, seconds: seconds(), tail: log.tail() };
  } finally {
    log.close();
  }
}

/** Names and values that no process can have are refused by throwing. */
function start({ file, args, env, cwd }: Command): ChildProcess | Error {
  try {
    return spawn(file, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (thrown) {
    return new Error(messageOf(thrown));
  }
}

async function watch(
  child: ChildProcess,
  command: Command,
  options: RunOptions,
  log: LogFile,
): Promise<Pick<CommandResult, 'end' | 'exitCode' | 'reason'>> {
  const stopper = stopperOf(child, options.graceMs ?? GRACE_MS);
  const timer = setTimeout(() => stopper.stop('timed-out'), options.timeoutMs);
  const onAbort = (): void => stopper.stop('interrupted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  child.stdout?.on('data', log.write);
  child.stderr?.on('data', log.write);
  try {
    const exitCode = await endOf(child);
    if (stopper.why() === undefined) return { end: 'ended', exitCode };
    await undo(command);
    return { end: stopper.why() ?? 'ended', exitCode };
  } catch (thrown) {
    return { end: 'not-started', reason: messageOf(thrown) };
  } finally {
    clearTimeout(timer);
    stopper.clear();
    options.signal?.removeEventListener('abort', onAbort);
  }
}

type Stop = 'timed-out' | 'interrupted';

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
function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      signalGroup(child, 'SIGKILL');
      const timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(code);
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
