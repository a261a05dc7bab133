import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../base/index.ts';
import { type ProcessStat, processStat } from './process-identity.ts';

export interface ProcessOptions {
  readonly cwd?: string | undefined;
  /** Environment; inherited when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Standard input; empty when absent. */
  readonly input?: string | Uint8Array | undefined;
  /** No limit when absent. */
  readonly timeoutMs?: number | undefined;
  /** Between SIGTERM and SIGKILL; killed at once when absent. */
  readonly graceMs?: number | undefined;
  /** Limit of both outputs together; none when absent. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the output as it comes, which is then not collected. */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  readonly onStderr?: ((chunk: Buffer) => void) | undefined;
  /**
   * Processes that are killed when the program ends: none, its process group, or all that it started. A program that is
   * stopped always takes its group with it.
   */
  readonly leftovers?: 'stay' | 'group-ends' | 'all-end';
}

type Stop = 'timed-out' | 'interrupted' | 'too-large';

export type ProcessResult =
  | { readonly end: 'not-started'; readonly cause: NodeJS.ErrnoException }
  | {
      /** `ended` by itself, or why it was stopped. */
      readonly end: 'ended' | Stop;
      /** Null when a signal ended it. */
      readonly code: number | null;
      readonly endedBy?: NodeJS.Signals;
      readonly stdout: Buffer;
      readonly stderr: Buffer;
    };

/** Longest wait for processes to die, and for output that another process keeps open, after the program has ended. */
const DRAIN_MS = 2_000;

/** Runs a program in a process group of its own to its end, a time limit, a size limit or an abort. Never throws. */
export async function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  const { signal, timeoutMs, graceMs, maxBytes = Number.POSITIVE_INFINITY, leftovers = 'stay' } = options;
  const nothing = Buffer.alloc(0);
  const run = await start(file, args, options);
  if (run instanceof Error) return { end: 'not-started', cause: run };
  if (run === 'interrupted') return { end: 'interrupted', code: null, stdout: nothing, stderr: nothing };
  const { child } = run;
  let stopped: Stop | undefined;
  let grace: NodeJS.Timeout | undefined;
  const stop = (why: Stop): void => {
    if (stopped !== undefined) return;
    stopped = why;
    if (graceMs === undefined) kill(run);
    else {
      signalRun(run, 'SIGTERM');
      grace = setTimeout(() => signalRun(run, 'SIGKILL'), graceMs);
    }
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop('timed-out'), timeoutMs);
  const onAbort = (): void => stop('interrupted');
  signal?.addEventListener('abort', onAbort, { once: true });
  const collected = collector(child, options, maxBytes, () => stop('too-large'));
  if (leftovers !== 'stay') killWithThisProcess(run);
  try {
    const ended = await run.exit;
    if (leftovers !== 'stay') await endLeftovers(run);
    await drained(child);
    return { end: stopped ?? 'ended', ...ended, ...collected() };
  } catch (cause) {
    return { end: 'not-started', cause: cause as NodeJS.ErrnoException };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener('abort', onAbort);
    forget(run);
  }
}

/** A program that runs. */
interface Run {
  readonly child: ChildProcess;
  /** Rejects when it did not start. */
  readonly exit: Promise<{ readonly code: number | null; readonly endedBy?: NodeJS.Signals }>;
  /** Name of a variable that everything inherits that the program starts; undefined where only its group ends with it. */
  readonly mark: string | undefined;
  /** Start times of its processes that were found so far, by pid: they stay its own when their parents end. */
  readonly found: Map<number, string>;
}

/** Names and values that no process can have are refused by throwing. */
async function start(
  file: string,
  args: readonly string[],
  { cwd, env, input, signal, leftovers }: ProcessOptions,
): Promise<Run | Error | 'interrupted'> {
  // Loaded by the first program that is run: many commands run none.
  const { spawn } = await import('node:child_process');
  if (signal?.aborted === true) return 'interrupted';
  // Its name is unique, not its value: a run within a run has the marks of both.
  const mark = leftovers === 'all-end' ? `ECHELON_RUN_${randomBytes(8).toString('hex')}` : undefined;
  const marked = mark === undefined ? env : { ...(env ?? process.env), [mark]: '1' };
  try {
    const child = spawn(file, args, {
      ...defined({ cwd, env: marked }),
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    // A program that ends without reading its input has not failed.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    return { child, exit: exitOf(child), mark, found: new Map() };
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

function collector(
  { stdout, stderr }: ChildProcess,
  { onStdout, onStderr }: ProcessOptions,
  maxBytes: number,
  onExcess: () => void,
): () => { stdout: Buffer; stderr: Buffer } {
  let bytes = 0;
  const collect = (stream: ChildProcess['stdout'], put: ((chunk: Buffer) => void) | undefined): Buffer[] => {
    const chunks: Buffer[] = [];
    const keep = put ?? ((chunk: Buffer) => void chunks.push(chunk));
    stream?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) onExcess();
      else keep(chunk);
    });
    return chunks;
  };
  const [out, err] = [collect(stdout, onStdout), collect(stderr, onStderr)];
  return () => ({ stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
}

function exitOf(child: ChildProcess): Run['exit'] {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, endedBy) => resolve({ code, ...(endedBy === null ? {} : { endedBy }) }));
  });
}

/** Resolves when the output was read to its end, or is silent although somebody keeps it open. */
function drained({ stdout, stderr }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].flatMap((stream) => (stream === null || stream.closed ? [] : [stream]));
  const all = Promise.all(open.map((stream) => new Promise<void>((resolve) => stream.once('close', resolve))));
  // What has arrived while this process was busy is read before the stream is given up.
  const giveUp = (): void => void setImmediate(() => open.map((stream) => stream.destroy()));
  const timer = setTimeout(giveUp, DRAIN_MS);
  for (const stream of open) stream.on('data', () => timer.refresh());
  return all.then(() => clearTimeout(timer));
}

/** Ends a program at once and reads no more of its output. */
function kill(run: Run): void {
  run.child.stdout?.destroy();
  run.child.stderr?.destroy();
  signalRun(run, 'SIGKILL');
}

/** Members are listed before any is signalled: one that lost its parent may not be found any more. */
function signalRun(run: Run, signal: NodeJS.Signals): void {
  const { pid } = run.child;
  if (pid === undefined) return;
  const others = membersOf(run).filter(({ group }) => group !== pid);
  send(-pid, signal);
  for (const other of others) send(other.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

const POLL_MS = 10;

/** Repeated until none is left: one may be started while others are killed. */
async function endLeftovers(run: Run): Promise<void> {
  signalRun(run, 'SIGKILL');
  for (let waited = 0; waited < DRAIN_MS && membersOf(run).length > 0; waited += POLL_MS) {
    signalRun(run, 'SIGKILL');
    await pause(POLL_MS);
  }
}

interface Member extends ProcessStat {
  readonly pid: number;
}

/**
 * The processes that a program started, on Linux; none elsewhere. Those of its session, which has its own id; those that have
 * inherited its mark, whatever session they moved to; and the descendants of all of them. A process is missed if it left
 * the session, replaced or hides its environment (another user, `PR_SET_DUMPABLE`), and its parent has ended.
 */
function membersOf({ child: { pid }, mark, found }: Run): Member[] {
  if (pid === undefined || mark === undefined) return [];
  const running = processes();
  const isOwn = (one: Member): boolean =>
    one.session === pid || found.get(one.pid) === one.start || hasMark(one.pid, mark);
  const known = new Set([pid, ...running.filter(isOwn).map((one) => one.pid)]);
  for (let before = 0; before !== known.size; ) {
    before = known.size;
    for (const one of running) if (known.has(one.parent)) known.add(one.pid);
  }
  const members = running.filter((one) => known.has(one.pid));
  for (const one of members) found.set(one.pid, one.start);
  return members;
}

function processes(): Member[] {
  return namesIn('/proc').flatMap((name) => {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? processStat(pid) : undefined;
    return stat === undefined || stat.isDead || pid === process.pid ? [] : [{ pid, ...stat }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${mark}=`);
  } catch {
    return false;
  }
}

const RUNNING = new Set<Run>();

/** This process may end without waiting for its runs. */
function killWithThisProcess(run: Run): void {
  if (RUNNING.size === 0) process.on('exit', killRunning);
  RUNNING.add(run);
}

function forget(run: Run): void {
  RUNNING.delete(run);
  if (RUNNING.size === 0) process.off('exit', killRunning);
}

function killRunning(): void {
  for (const run of RUNNING) signalRun(run, 'SIGKILL');
}
