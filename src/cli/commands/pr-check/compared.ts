import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { EchelonError } from '../../../base/index.ts';
import { type FileChange, openRepository, type Repository } from '../../../clients/git/index.ts';
import type { CheckReport } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import type { PrCheckFlags } from './flags.ts';

/** What a check compares. */
export interface Compared {
  readonly repository: Repository;
  /** The instance in the work tree. */
  readonly root: string;
  /** The same from the top of the repository, with slashes; empty when it is the top. */
  readonly folder: string;
  readonly base: CheckReport['base'] & { readonly commit: string };
  /** Without a commit it is the working tree. */
  readonly head: CheckReport['head'];
  readonly changes: readonly FileChange[];
}

export async function compare(io: Io, flags: PrCheckFlags): Promise<Compared> {
  const root = resolve(io.cwd, flags.data ?? (io.env['ECHELON_DATA'] || '.'));
  if (!existsSync(root)) throw noFolder(root);
  const repository = await openRepository(root);
  const folder = relative(repository.root, root).split(sep).join('/');
  const worktree = flags.worktree === true || flags.head === '.';
  const tip = worktree ? (await repository.head()).commit : await repository.commitOf(flags.head ?? 'HEAD');
  const base = await baseOf(repository, flags, tip);
  const committed = await repository.changes(base.commit, tip);
  return {
    repository,
    root,
    folder,
    base,
    head: worktree ? { ref: 'working tree' } : { ref: flags.head ?? 'HEAD', commit: tip },
    changes: worktree ? await withUncommitted(repository, base.commit, committed) : committed,
  };
}

/** Where the head left the default branch of the remote, when no base is named. */
async function baseOf(repository: Repository, flags: PrCheckFlags, tip: string): Promise<Compared['base']> {
  if (flags.base !== undefined) return { ref: flags.base, commit: await repository.commitOf(flags.base) };
  const branch = await repository.defaultBranch(flags.remote);
  const target = await repository.commitOf(`refs/remotes/${flags.remote}/${branch}`).catch(() => branch);
  const commit = await repository.mergeBase(target, tip);
  if (commit !== undefined) return { ref: branch, commit };
  throw new EchelonError({
    code: 'BASE_UNKNOWN',
    message: `${repository.root} has no commit that ${branch} and the head have in common`,
    hint: 'name the commit to compare with by --base, or fetch the whole history',
  });
}

/** Committed changes, and what the working tree makes of them. */
async function withUncommitted(
  repository: Repository,
  base: string,
  committed: readonly FileChange[],
): Promise<FileChange[]> {
  const before = new Map<string, boolean>();
  for (const { path, change, from } of committed) {
    before.set(path, change === 'modified' || change === 'deleted');
    if (from !== undefined) before.set(from, true);
  }
  for (const path of (await repository.state([])).dirty) {
    if (!before.has(path)) before.set(path, (await repository.readFile(base, path)) !== undefined);
  }
  return [...before].flatMap(([path, was]): FileChange[] => {
    const is = existsSync(resolve(repository.root, path));
    if (!was && !is) return [];
    return [{ path, change: was ? (is ? 'modified' : 'deleted') : 'added' }];
  });
}

function noFolder(root: string): EchelonError {
  return new EchelonError({
    code: 'INSTANCE_NOT_FOUND',
    message: `${root} does not exist`,
    hint: 'name the folder of the instance in a git repository with --data',
  });
}
