import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface StoryCommit {
  readonly author: Person;
  readonly date: Date;
  readonly message: string;
  /** New contents by path. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Whether the files are all that there is then. */
  readonly whole?: boolean;
  /** Name of a tag on this commit. */
  readonly tag?: string;
}

const TIMEOUT_MS = 60_000;
const run = promisify(execFile);

/** Nothing of the machine's settings, so that every machine makes the same commits. */
function environment(): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(rest),
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
  };
}

export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...args], { cwd: folder, env: environment(), timeout: TIMEOUT_MS });
  return stdout.trim();
}

/** A repository with these commits on main. Returns their shas, oldest first. */
export async function makeRepository(folder: string, commits: readonly StoryCommit[], bare = false): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const options = ['--quiet', '--template=', '--object-format=sha1', '--initial-branch=main'];
  await git(folder, 'init', ...options, ...(bare ? ['--bare'] : []));
  return await addCommits(folder, 'main', commits);
}

/** Appends commits to a branch, or begins one at `from`. Returns their shas, oldest first. */
export async function addCommits(
  folder: string,
  branch: string,
  commits: readonly StoryCommit[],
  from?: string,
): Promise<string[]> {
  await feed(folder, streamOf(branch, commits, from));
  const shas = await git(folder, 'rev-list', '--reverse', `--max-count=${commits.length}`, branch);
  return shas.split('\n');
}

function streamOf(branch: string, commits: readonly StoryCommit[], from: string | undefined): Buffer {
  const parts = commits.flatMap((commit, index) => [
    `commit refs/heads/${branch}\nmark :${index + 1}\n`,
    ...['author', 'committer'].map((role) => `${role} ${signature(commit)}\n`),
    data(commit.message),
    index === 0 && from !== undefined ? `from ${from}\n` : '',
    commit.whole === true ? 'deleteall\n' : '',
    ...[...commit.files].flatMap(([path, content]) => [`M 100644 inline ${quoted(path)}\n`, data(content)]),
    '\n',
    ...(commit.tag === undefined
      ? []
      : [`tag ${commit.tag}\nfrom :${index + 1}\ntagger ${signature(commit)}\n`, data(commit.tag)]),
  ]);
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function signature({ author, date }: StoryCommit): string {
  return `${author.name} <${author.email}> ${Math.floor(date.getTime() / 1000)} +0000`;
}

function data(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

async function feed(folder: string, stream: Buffer): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet', '--force'], {
    cwd: folder,
    env: environment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(stream);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`git fast-import in ${folder}: ${Buffer.concat(said).toString('utf8')}`);
}
