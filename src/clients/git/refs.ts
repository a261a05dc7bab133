import { didYouMean, EchelonError } from '../../base/index.ts';
import { saidBy } from './git-error.ts';
import type { Git } from './git-runner.ts';
import type { RefChoice } from './repository.ts';
import { isShallow } from './shallow.ts';

const MOST_CANDIDATES = 5000;
export const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Nothing that git could take for an option, and nothing that cannot be an argument. */
export function isPlain(name: string): boolean {
  return name !== '' && !name.startsWith('-') && !/\p{Cc}/u.test(name);
}

/** As git reads it; a branch that only the remote has is found as well. The remote's is preferred where a local one may be old. */
export async function commitOf(git: Git, ref: string, { prefer = 'local' }: RefChoice = {}): Promise<string> {
  if (!isPlain(ref)) throw invalidRef(git, ref);
  if (git.known.commits.has(ref)) return ref;
  let refusal = '';
  const candidates = [ref, `refs/remotes/origin/${ref}`];
  for (const candidate of prefer === 'remote' ? candidates.toReversed() : candidates) {
    const answer = await git.run(['rev-parse', '--verify', '--end-of-options', `${candidate}^{commit}`]);
    const sha = answer.stdout.toString('utf8').trim();
    if (answer.code === 0 && FULL_SHA.test(sha)) {
      git.known.commits.add(sha);
      return sha;
    }
    if (/is ambiguous/.test(answer.stderr)) refusal = saidBy(answer);
  }
  throw refusal === '' ? await unknownRef(git, ref) : ambiguousRef(git, ref);
}

function invalidRef(git: Git, ref: string): EchelonError {
  return new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${JSON.stringify(ref)} is not a valid ref of ${git.root}`,
    hint: 'use a branch, a tag or a commit',
  });
}

function ambiguousRef(git: Git, ref: string): EchelonError {
  return new EchelonError({
    code: 'REF_AMBIGUOUS',
    message: `${ref} is ambiguous: it matches more than one commit of ${git.root}`,
    hint: 'use more characters of the commit',
  });
}

async function unknownRef(git: Git, ref: string): Promise<EchelonError> {
  const otherwise = (await isShallow(git))
    ? 'the clone is shallow: fetch the rest of its history with git fetch --unshallow'
    : 'use a branch, a tag or a commit of this clone, or fetch newer ones with git fetch';
  return new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${git.root} has no branch, tag or commit ${ref}`,
    hint: didYouMean(ref, await refNames(git), otherwise),
  });
}

/** Undefined when there is no such branch here. */
export async function branchTip(git: Git, branch: string): Promise<string | undefined> {
  if (!isPlain(branch)) return undefined;
  const answer = await git.run([
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `refs/heads/${branch}^{commit}`,
  ]);
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : undefined;
}

async function refNames(git: Git): Promise<string[]> {
  const kinds = ['refs/heads', 'refs/tags', 'refs/remotes'];
  const text = await git.text(['for-each-ref', `--count=${MOST_CANDIDATES}`, '--format=%(refname:short)', ...kinds]);
  const names = text.split('\n').filter((name) => name !== '');
  return [...names, ...names.filter((name) => name.startsWith('origin/')).map((name) => name.slice('origin/'.length))];
}

export async function head(git: Git): Promise<{ commit: string; branch?: string }> {
  const answer = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (answer.code !== 0) {
    throw new EchelonError({
      code: 'REF_UNKNOWN',
      message: `${git.root} has no commit checked out`,
      hint: 'create a commit, or check out a branch',
    });
  }
  const commit = answer.stdout.toString('utf8').trim();
  const branch = await git.run(['symbolic-ref', '--quiet', 'HEAD']);
  const name = branch.stdout.toString('utf8').trim();
  return branch.code === 0 ? { commit, branch: name.replace(/^refs\/heads\//, '') } : { commit };
}

/** What the remote calls its default; else main or master, of the remote or here. */
export async function defaultBranch(git: Git, remote = 'origin'): Promise<string> {
  requireRemoteName(remote);
  const prefix = `refs/remotes/${remote}/`;
  const answer = await git.run(['symbolic-ref', '--quiet', `${prefix}HEAD`]);
  const target = answer.stdout.toString('utf8').trim();
  if (answer.code === 0 && target.startsWith(prefix)) return target.slice(prefix.length);
  const usual = [`${prefix}main`, `${prefix}master`, 'refs/heads/main', 'refs/heads/master'];
  const refs = (await git.text(['for-each-ref', '--format=%(refname)', ...usual])).split('\n');
  const found = usual.find((ref) => refs.includes(ref));
  if (found !== undefined) return found.endsWith('main') ? 'main' : 'master';
  throw new EchelonError({
    code: 'DEFAULT_BRANCH_UNKNOWN',
    message: `${git.root} does not know the default branch of ${remote}`,
    hint: `run git remote set-head ${remote} --auto, or pass the branch`,
  });
}

export function requireRemoteName(remote: string): void {
  if (isPlain(remote)) return;
  throw new EchelonError({
    code: 'REMOTE_INVALID',
    message: `${JSON.stringify(remote)} is not a valid remote name`,
    hint: 'list them with: git remote',
  });
}
