import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { EchelonError, humanBytes } from '../../base/index.ts';
import { endOf, killGroup } from '../process/index.ts';

export interface GitRun {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export interface GitAnswer {
  /** 0 is success; what others mean depends on the command. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A git that does not answer within this is stuck on a lock or a dead file system. */
const LOCAL_TIMEOUT_MS = 60_000;
/** Of a push or a fetch. */
export const NETWORK_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** How long git waits for another process that writes the same ref. */
const REF_LOCK_TIMEOUT_MS = 1000;

/** The repository decides nothing but its content: no hooks, no monitors, no formats of the user's. */
const SETTINGS = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.filesRefLockTimeout', String(REF_LOCK_TIMEOUT_MS)],
  ['i18n.commitEncoding', 'UTF-8'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['color.ui', 'false'],
  ['log.showSignature', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** What a hook or a shell may have set and would lead git elsewhere, or make it print what it sends. */
const LEADS_ASTRAY =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|SHALLOW_FILE|GRAFT_FILE|QUARANTINE_PATH|CONFIG|IMPLICIT_WORK_TREE|REPLACE_REF_BASE|(?:GLOB|NOGLOB|ICASE)_PATHSPECS|EXTERNAL_DIFF|CURL_VERBOSE|TRACE.*)$/;

/** One git command in a folder. It has a process group of its own, so that ssh and helpers end with it and cannot ask. */
export async function runGit(folder: string, args: readonly string[], run: GitRun = {}): Promise<GitAnswer> {
  const { timeoutMs = LOCAL_TIMEOUT_MS, maxBytes = MAX_OUTPUT_BYTES } = run;
  const child = spawn('git', [...SETTINGS, ...args], {
    cwd: folder,
    env: gitEnvironment(run.env),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stopped: EchelonError | undefined;
  const stop = (why: EchelonError): void => {
    stopped ??= why;
    killGroup(child);
  };
  const timer = setTimeout(() => stop(tooSlow(folder, args, timeoutMs)), timeoutMs);
  const keep = keeper(maxBytes, () => stop(tooMuch(folder, args, maxBytes)));
  const stdout = keep(child.stdout);
  const stderr = keep(child.stderr);
  child.stdin.on('error', () => {});
  child.stdin.end(run.input ?? '');
  try {
    const code = await endOf(child);
    if (stopped !== undefined) throw stopped;
    return { code: code ?? -1, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') };
  } catch (thrown) {
    throw thrown instanceof EchelonError ? thrown : notStarted(folder, thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Reading never takes a lock, nothing is asked on a terminal, and paths are names and not patterns. */
function gitEnvironment(more: GitRun['env'] = {}): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !LEADS_ASTRAY.test(name));
  return {
    ...Object.fromEntries(rest),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GCM_INTERACTIVE: 'never',
    LC_ALL: 'C',
    LANGUAGE: '',
    ...more,
  };
}

function keeper(maxBytes: number, tell: () => void): (stream: NodeJS.ReadableStream) => Buffer[] {
  let bytes = 0;
  return (stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) tell();
      else chunks.push(chunk);
    });
    return chunks;
  };
}

function notStarted(folder: string, thrown: unknown): EchelonError {
  if (!existsSync(folder)) {
    return new EchelonError({
      code: 'NOT_A_REPOSITORY',
      message: `no such directory: ${folder}`,
      hint: 'pass the directory of a clone',
    });
  }
  const { code } = thrown as NodeJS.ErrnoException;
  return new EchelonError({
    code: 'GIT_MISSING',
    message: code === 'ENOENT' ? 'git not found in PATH' : `git could not be started: ${code}`,
    hint: 'install git, or add its directory to PATH',
  });
}

function tooSlow(folder: string, args: readonly string[], timeoutMs: number): EchelonError {
  return new EchelonError({
    code: 'GIT_TIMEOUT',
    message: `git ${args[0]} in ${folder} timed out after ${timeoutMs / 1000} s`,
    hint: 'check the network, the disk and that no other git process hangs in this repository',
  });
}

function tooMuch(folder: string, args: readonly string[], maxBytes: number): EchelonError {
  return new EchelonError({
    code: 'GIT_OUTPUT_TOO_LARGE',
    message: `git ${args[0]} in ${folder}: output larger than ${humanBytes(maxBytes)}`,
    hint: 'check that this is the intended repository',
  });
}
