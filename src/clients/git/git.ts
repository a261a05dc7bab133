import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A git that does not answer within this is stuck on a lock or a dead file system. */
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** The output of one git command in a folder; undefined when git is missing or refuses. */
async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  // Takes longer to load than a folder outside of any repository takes to read.
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    const options = { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env: gitEnvironment() };
    try {
      execFile('git', ['-c', 'core.fsmonitor=false', ...args], options, (failure, stdout) =>
        resolve(failure === null ? stdout : undefined),
      );
    } catch {
      resolve(undefined);
    }
  });
}

/** Reading never takes a lock, and a repository is found from the folder alone. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...rest } = process.env;
  return { ...rest, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

/** The checked-out commit of a folder and whether some of its paths differ from it; undefined outside a repository. */
export async function describeWorkingTree(
  folder: string,
  paths: readonly string[],
): Promise<{ commit: string; dirty: boolean } | undefined> {
  if (!isBelowGit(folder)) return undefined;
  // One process for both: starting it takes longer than what it does.
  const head = ['--porcelain=v2', '--branch', '--no-ahead-behind', '--no-renames', '-z'];
  const status = await git(folder, ['status', ...head, '--untracked-files=all', '--ignored', '--', ...paths]);
  const lines = status?.split('\0') ?? [];
  const commit = lines
    .map((line) => /^# branch\.oid ([0-9a-f]+)$/.exec(line)?.[1])
    .find((found) => found !== undefined);
  return commit === undefined ? undefined : { commit, dirty: lines.some(isRead) };
}

/** Every repository with a working tree has `.git` at its top; without one, git need not be started to say so. */
function isBelowGit(folder: string): boolean {
  let place = existsSync(folder) ? realpathSync(folder) : undefined;
  while (place !== undefined && !existsSync(join(place, '.git'))) {
    place = place === dirname(place) ? undefined : dirname(place);
  }
  return place !== undefined;
}

/** Files that git ignores are read all the same, but for hidden ones, such as what an editor or a desktop leaves. */
function isRead(line: string): boolean {
  if (!line.startsWith('! ')) return line !== '' && !line.startsWith('# ');
  const names = line.slice(2).split('/');
  return names.at(-1) === '.env' || !names.some((name) => name.startsWith('.'));
}

/**
 * The commit that a ref stands for in a clone: the remote's branch of that name before a local one, which may be old.
 * Undefined when the folder is no repository or has no such ref.
 */
export async function resolveRef(folder: string, ref: string): Promise<string | undefined> {
  for (const candidate of [`refs/remotes/origin/${ref}`, ref]) {
    const commit = await git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${candidate}^{commit}`]);
    if (commit !== undefined) return commit.trim();
  }
  return undefined;
}
