import { existsSync } from 'node:fs';
import { EchelonError, humanBytes, Secrets, secretValues } from '../../base/index.ts';
import { runProcess } from '../process/index.ts';

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
/** Time limit of a push or a fetch. */
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

/** Variables of a hook or a shell that would point git at another repository, or make it print what it sends. */
const STRIPPED_VARIABLES =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|SHALLOW_FILE|GRAFT_FILE|QUARANTINE_PATH|CONFIG|IMPLICIT_WORK_TREE|REPLACE_REF_BASE|(?:GLOB|NOGLOB|ICASE)_PATHSPECS|EXTERNAL_DIFF|CURL_VERBOSE|TRACE.*)$/;

/** One git command in a folder. It has a process group of its own, so that ssh and helpers end with it and cannot ask. */
export async function runGit(folder: string, args: readonly string[], run: GitRun = {}): Promise<GitAnswer> {
  const { timeoutMs = LOCAL_TIMEOUT_MS, maxBytes = MAX_OUTPUT_BYTES, input } = run;
  const options = { cwd: folder, env: gitEnvironment(run.env), input, timeoutMs, maxBytes };
  const result = await runProcess('git', [...SETTINGS, ...args], options);
  if (result.end === 'not-started') throw notStarted(folder, result.cause);
  if (result.end === 'timed-out') throw tooSlow(folder, args, timeoutMs);
  if (result.end === 'too-large') throw tooMuch(folder, args, maxBytes);
  return { code: result.code ?? -1, stdout: result.stdout, stderr: result.stderr.toString('utf8') };
}

/** Reading never takes a lock, nothing is asked on a terminal, and paths are names and not patterns. */
function gitEnvironment(more: GitRun['env'] = {}): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !STRIPPED_VARIABLES.test(name));
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

function notStarted(folder: string, { code }: NodeJS.ErrnoException): EchelonError {
  if (!existsSync(folder)) {
    return new EchelonError({
      code: 'NOT_A_REPOSITORY',
      message: `no such directory: ${folder}`,
      hint: 'pass the directory of a clone',
    });
  }
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

/** Git in one repository. */
export interface Git {
  readonly root: string;
  /** Git folder of this work tree, with the state of merges and rebases. */
  readonly gitDir: string;
  /** Whether its history was cut off. */
  readonly isShallow: boolean;
  /** Answers that do not change while a repository is open. */
  readonly known: {
    /** Full shas that are commits of this clone. */
    readonly commits: Set<string>;
    /** Numbers of commits that only one of two has, by both shas. */
    readonly apart: Map<string, Promise<readonly [number, number]>>;
  };
  /** The answer, success or not. */
  run(args: readonly string[], run?: GitRun): Promise<GitAnswer>;
  /** The output of a command that has to succeed. */
  bytes(args: readonly string[], run?: GitRun): Promise<Buffer>;
  /** Its output as text, without the final newline. */
  text(args: readonly string[], run?: GitRun): Promise<string>;
  /** Resolves names to `SHA KIND SIZE` or `NAME missing`; concurrent calls share one process. */
  objects(names: readonly string[]): Promise<readonly string[]>;
}

export function gitIn(root: string, gitDir: string, isShallow: boolean): Git {
  const run: Git['run'] = (args, options) => runGit(root, args, options);
  const bytes: Git['bytes'] = async (args, options) => {
    const answer = await run(args, options);
    if (answer.code === 0) return answer.stdout;
    throw gitFailed(`git ${args[0]} in ${root}`, answer);
  };
  const text: Git['text'] = async (args, options) => (await bytes(args, options)).toString('utf8').replace(/\n$/, '');
  const known = { commits: new Set<string>(), apart: new Map() };
  return { root, gitDir, isShallow, known, run, bytes, text, objects: batched(run) };
}

function batched(run: Git['run']): Git['objects'] {
  let names: string[] = [];
  let asked: Promise<string[]> | undefined;
  const ask = async (): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    const input = names.map((name) => `${name}\n`).join('');
    names = [];
    asked = undefined;
    const { stdout } = await run(['cat-file', '--batch-check'], { input });
    return stdout.toString('utf8').split('\n');
  };
  return async (more) => {
    const first = names.length;
    names.push(...more);
    asked ??= ask();
    const lines = await asked;
    return more.map((_, index) => lines[first + index] ?? '');
  };
}

const LONGEST_TEXT = 1500;

/**
 * What git said, fit for a message: no logins, no advice of its own, nothing that a terminal would obey. Git and its helpers
 * have the environment of this process.
 */
export function stderrText({ stderr }: Pick<GitAnswer, 'stderr'>): string {
  const inherited = new Secrets(secretValues(process.env));
  // Git puts a word before each line of the remote, which may be a part of a longer one.
  const lines = stderr.replaceAll(/^remote: */gm, 'remote:\n');
  return inherited.quote(lines, { longest: LONGEST_TEXT, tidy: withoutAdvice }) || 'no reason given';
}

function withoutAdvice(stderr: string): string {
  return stderr
    .replaceAll('remote:\n', 'remote: ')
    .split(/[\r\n]+/)
    .map((line) => line.replace(/[^\P{Cc}\t]/gu, '').trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'))
    .map((line) => line.replace(/^(?:fatal|error): /, ''))
    .join('; ');
}

interface Known {
  readonly text: RegExp;
  readonly code: string;
  readonly hint: string;
}

const KNOWN: readonly Known[] = [
  {
    text: /dubious ownership/,
    code: 'REPOSITORY_NOT_TRUSTED',
    hint: 'the folder belongs to another user; allow it with: git config --global --add safe.directory FOLDER',
  },
  {
    text: /not a git repository|must be run in a work tree/i,
    code: 'NOT_A_REPOSITORY',
    hint: 'use a directory inside a clone, or create one with: git clone',
  },
  {
    text: /Please tell me who you are|auto-detection is disabled|empty ident name/,
    code: 'COMMIT_IDENTITY',
    hint: 'set user.name and user.email with git config, or GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL and GIT_COMMITTER_…',
  },
  {
    text: /\.lock': File exists|Unable to create '.*\.lock'/,
    code: 'REF_LOCKED',
    hint: 'another git process is using this repository: wait for it, or remove the lock file if there is none',
  },
  {
    text: /Authentication failed|could not read (?:Username|Password)|Permission denied \(|terminal prompts disabled/,
    code: 'GIT_CREDENTIALS',
    hint: 'give git a credential helper, a token or an ssh key for this remote; git does not prompt',
  },
  {
    text: /Could not resolve host|unable to access|Connection (?:refused|timed out)|Could not read from remote/,
    code: 'REMOTE_UNREACHABLE',
    hint: 'check the URL of the remote (git remote -v) and the network',
  },
  {
    text: /No space left|disk quota|read-only file system|unable to (?:create|write)|Permission denied/i,
    code: 'GIT_WRITE',
    hint: 'check the permissions and the free space of the repository',
  },
];

/** The error of a command that did not succeed; `task` says what was to be done. */
export function gitFailed(task: string, answer: GitAnswer): EchelonError {
  const known = KNOWN.find(({ text }) => text.test(answer.stderr));
  return new EchelonError({
    code: known?.code ?? 'GIT_FAILED',
    message: `${task}: ${stderrText(answer)}`,
    hint: known?.hint ?? 'see the output of git, and run git fsck if the repository may be damaged',
  });
}
