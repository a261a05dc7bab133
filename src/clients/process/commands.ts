import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { defined, humanBytes, messageOf } from '../../base/index.ts';
import { type ProcessOptions, runProcess } from './run-process.ts';

/** A program to run, and what undoes it where ending the program is not enough. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Run when the program was stopped: a container outlives the client that started it. */
  readonly afterStop?: readonly string[];
}

type ProgramOptions = Pick<ProcessOptions, 'timeoutMs' | 'graceMs' | 'signal'>;

interface ProgramEnd {
  readonly end: 'ended' | 'timed-out' | 'interrupted' | 'not-started';
  /** Null when a signal ended it; absent when it did not begin. */
  readonly exitCode?: number | null;
  /** The signal that ended it. */
  readonly endedBy?: NodeJS.Signals;
  /** Why it did not begin. */
  readonly reason?: string;
}

export interface RunOptions extends ProgramOptions {
  /** File for the output; replaced if it exists. */
  readonly log: string;
  readonly redact: (text: string) => string;
  readonly timeoutMs: number;
  readonly maxLogBytes?: number;
}

interface CommandResult extends Omit<ProgramEnd, 'endedBy'> {
  readonly seconds: number;
  /** The end of the output, secrets removed. */
  readonly tail: string;
}

const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Runs a program to its end, its output in a log. */
export async function runCommand(command: Command, options: RunOptions): Promise<CommandResult> {
  const started = performance.now();
  if (options.signal?.aborted === true) return { end: 'interrupted', seconds: 0, tail: '' };
  const log = openLog(options.log, { redact: options.redact, maxBytes: options.maxLogBytes ?? MAX_LOG_BYTES });
  try {
    const { endedBy: _, ...result } = await runProgram(command, options, log.write, log.write);
    log.close();
    return { ...result, seconds: (performance.now() - started) / 1000, tail: log.tail() };
  } finally {
    log.close();
  }
}

interface StreamOptions extends ProgramOptions {
  /** Called with every line of the output as it comes, without its end. */
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
}

/** Runs a program to its end and hands over its output line by line, secrets included: the caller logs it. */
export async function streamCommand(command: Command, options: StreamOptions): Promise<ProgramEnd> {
  if (options.signal?.aborted === true) return { end: 'interrupted' };
  const lines = (stream: 'stdout' | 'stderr') =>
    outputLines(
      (text) => text,
      (line) => options.onLine(line, stream),
    );
  const [stdout, stderr] = [lines('stdout'), lines('stderr')];
  const ended = await runProgram(command, options, stdout.write, stderr.write);
  stdout.end();
  stderr.end();
  return ended;
}

const GRACE_MS = 5_000;
const UNDO_TIMEOUT_MS = 30_000;

/**
 * Runs a program to its end, its time limit or an abort: first asked, then killed. All that it started ends with it; of the
 * client of a container engine only its process group: the engine cleans up by processes of its own.
 */
async function runProgram(
  { file, args, env, cwd, afterStop }: Command,
  { timeoutMs, graceMs = GRACE_MS, signal }: ProgramOptions,
  onStdout: (chunk: Buffer) => void,
  onStderr: (chunk: Buffer) => void,
): Promise<ProgramEnd> {
  const leftovers = afterStop === undefined ? 'all-end' : 'group-ends';
  const limits = { timeoutMs, graceMs, signal, leftovers } as const;
  const result = await runProcess(file, args, { env, cwd, ...limits, onStdout, onStderr });
  if (result.end === 'not-started') return { end: 'not-started', reason: messageOf(result.cause) };
  const { end, code: exitCode, endedBy } = result;
  if (end !== 'ended' && afterStop !== undefined) {
    await runProcess(file, afterStop, { env, cwd, timeoutMs: UNDO_TIMEOUT_MS });
  }
  // Its output has no size limit here.
  return { end: end === 'too-large' ? 'ended' : end, exitCode, ...defined({ endedBy }) };
}

interface LogOptions {
  readonly redact: (text: string) => string;
  readonly maxBytes: number;
}

interface LogFile {
  readonly write: (chunk: Buffer) => void;
  /** The last lines, as they are in the file; also of what came after the file was full. */
  readonly tail: () => string;
  readonly close: () => void;
}

const TAIL_CHARS = 4_000;

/** A log on disk that holds whole lines without secrets, and no more bytes than allowed. */
export function openLog(path: string, { redact, maxBytes }: LogOptions): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  // Never through a link left there by another process.
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  let tail = '';
  let room = maxBytes;
  let open = true;
  const lines = outputLines(redact, (line) => {
    const all = `${tail}${line}\n`;
    tail = all.length <= TAIL_CHARS ? all : `…${all.slice(1 - TAIL_CHARS)}`;
    if (room <= 0) return;
    const bytes = Buffer.from(`${line}\n`);
    writeSync(file, bytes.subarray(0, room));
    room -= bytes.length;
    if (room <= 0) writeSync(file, `…\n… log truncated at ${humanBytes(maxBytes)}\n`);
  });
  return {
    write: lines.write,
    tail: () => tail,
    close: () => {
      if (!open) return;
      open = false;
      lines.end();
      closeSync(file);
    },
  };
}

interface OutputLines {
  readonly write: (chunk: Buffer) => void;
  /** Hands over what is left without a line end. */
  readonly end: () => void;
}

const MAX_LINE = 64 * 1024;
/** Cut from the end of a line that is cut: it may hold the beginning of a token that only its form gives away. */
const SECRET_ROOM = 8 * 1024;

/** Whole lines of a program's output, without their ends and redacted; a line of any length needs bounded memory. */
function outputLines(redact: (text: string) => string, put: (line: string) => void): OutputLines {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let cutting = false;
  /** A line that does not end is shortened. Marked as cut before it is redacted: its end may be the beginning of a secret. */
  const cut = (): void => {
    if (pending.length <= MAX_LINE) return;
    const shown = cutting ? '' : redact(`${pending}…`).replace(/…$/, '');
    if (!cutting) put(`${shown.slice(0, MAX_LINE - SECRET_ROOM)}… line truncated`);
    cutting = true;
    pending = '';
  };
  const take = (text: string): void => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (cutting) cutting = false;
      else put(redact(line));
    }
    cut();
  };
  return {
    write: (chunk) => take(decoder.write(chunk)),
    end: () => {
      take(decoder.end());
      if (pending !== '' && !cutting) put(redact(pending));
      pending = '';
    },
  };
}

interface ContainerOptions {
  readonly engine: 'podman' | 'docker';
  /** `repository:tag`, perhaps with a digest. */
  readonly image: string;
  /** Name of the container; made safe, and unique by a hash. */
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Variables for the container only: they do not change the engine's own environment. `variables` win. */
  readonly passed: Readonly<Record<string, string>>;
  /** Further options of `run`, such as volumes. */
  readonly engineArgs: readonly string[];
  /** Given to the entry point of the image. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const NAME_CHARS = 60;

/**
 * A run of a container that is removed when it ends. Values of variables are handed over without standing in a process
 * list, except passed ones that the environment does not have.
 */
export function containerCommand(options: ContainerOptions): Command {
  const { engine, image, variables, passed, engineArgs, args, env, cwd } = options;
  const name = containerName(options.name);
  const given = Object.entries(passed).flatMap(([variable, value]) => {
    if (Object.hasOwn(variables, variable)) return [];
    return ['--env', env[variable] === value ? variable : `${variable}=${value}`];
  });
  const named = Object.keys(variables).flatMap((variable) => ['--env', variable]);
  return {
    file: engine,
    // The last of equal variables counts: none that an engine argument sets replaces one of the run.
    args: ['run', '--rm', '--name', name, ...given, ...engineArgs, ...named, image, ...args],
    env: { ...env, ...variables },
    cwd,
    afterStop: ['rm', '--force', name],
  };
}

function containerName(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const safe = text.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return `${safe.slice(0, NAME_CHARS) || 'run'}-${hash}`;
}
