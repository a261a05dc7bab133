import { randomUUID } from 'node:crypto';
import { didYouMean, EchelonError } from '../../base/index.ts';
import { commitOf, FULL_SHA, isPlain, requireRemoteName } from './history.ts';
import { type Git, gitFailed, NETWORK_TIMEOUT_MS, stderrText } from './run-git.ts';

/** The lease is lost, or the branch was written while the push ran. */
const MOVED = /stale info|fetch first|non-fast-forward|is at \w+ but expected|reference already exists/;

/** The address that git would use, without a login of http. */
export async function remoteUrl(git: Git, remote: string): Promise<string | undefined> {
  requireRemoteName(remote);
  const answer = await git.run(['remote', 'get-url', '--', remote]);
  if (answer.code !== 0) return undefined;
  const url = answer.stdout.toString('utf8').replace(/\n$/, '');
  return url.replace(/^(https?:\/\/)[^/]*@/i, '$1');
}

/** A branch that already is there as it is here is a success, so that a push whose answer got lost may be repeated. */
export async function push(git: Git, remote: string, branch: string, expected?: string): Promise<void> {
  requireRemoteName(remote);
  if (!isPlain(branch)) throw unknownBranch(git, branch);
  const ref = `refs/heads/${branch}`;
  if ((await git.run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])).code !== 0)
    throw unknownBranch(git, branch);
  const lease = expected === undefined || FULL_SHA.test(expected) ? (expected ?? '') : await commitOf(git, expected);
  const options = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
  const args = ['push', ...options, `--force-with-lease=${ref}:${lease}`, '--', remote, `${ref}:${ref}`];
  const answer = await git.run(args, { timeoutMs: NETWORK_TIMEOUT_MS });
  if (answer.code === 0) return;
  const report = answer.stdout.toString('utf8');
  if (MOVED.test(`${report}${answer.stderr}`)) {
    throw new EchelonError({
      code: 'BRANCH_MOVED',
      message: `the branch ${branch} of ${remote} has moved${lease === '' ? ': it exists already' : ''}`,
      hint: 'it was changed concurrently: fetch it, check it and run this again',
    });
  }
  throw gitFailed(`git push of ${branch} to ${remote}`, { ...answer, stderr: `${rejections(report)}${answer.stderr}` });
}

/** `!	refs/heads/x:refs/heads/x	[remote rejected] (protected branch)`: the reason. */
function rejections(report: string): string {
  const lines = report.split('\n').filter((line) => line.startsWith('!\t'));
  return lines.map((line) => `${line.split('\t')[2] ?? ''}\n`).join('');
}

function unknownBranch(git: Git, branch: string): EchelonError {
  return new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${git.root} has no branch ${JSON.stringify(branch)}`,
    hint: 'list them with: git branch',
  });
}

/** Names of the remotes of this clone. */
export async function remotes(git: Git): Promise<readonly string[]> {
  return (await git.text(['remote'])).split('\n').filter((name) => name !== '');
}

export async function fetchRef(git: Git, remote: string, ref: string): Promise<string> {
  return (await fetched(git, remote, ref)) ?? raise(unknownRemoteRef(remote, ref, await namesOf(git, remote)));
}

/** Undefined when the remote has no such branch. */
export function fetchBranch(git: Git, remote: string, branch: string): Promise<string | undefined> {
  return fetched(git, remote, `refs/heads/${branch}`);
}

/** FETCH_HEAD, which belongs to the user, stays as it is. */
async function fetched(git: Git, remote: string, ref: string): Promise<string | undefined> {
  requireRemoteName(remote);
  if (!isPlain(ref) || /[:+^~*?[\\ ]/.test(ref)) throw unknownRemoteRef(remote, ref, []);
  const kept = `refs/echelon/fetched/${randomUUID()}`;
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--no-auto-maintenance'];
  const args = ['fetch', ...options, '--', remote, `+${ref}:${kept}`];
  const answer = await git.run(args, { timeoutMs: NETWORK_TIMEOUT_MS });
  if (answer.code !== 0) {
    if (/couldn't find remote ref/.test(answer.stderr)) return undefined;
    throw gitFailed(`git fetch of ${ref} from ${remote}`, answer);
  }
  try {
    return await commitOf(git, kept);
  } finally {
    await git.run(['update-ref', '--no-deref', '-d', kept]);
  }
}

function raise(error: EchelonError): never {
  throw error;
}

async function namesOf(git: Git, remote: string): Promise<string[]> {
  const answer = await git.run(['ls-remote', '--quiet', '--heads', '--tags', '--', remote], {
    timeoutMs: NETWORK_TIMEOUT_MS,
  });
  const lines = answer.stdout.toString('utf8').split('\n');
  return lines.map((line) => line.replace(/^\S+\trefs\/(?:heads|tags)\//, '')).filter((name) => !name.endsWith('^{}'));
}

function unknownRemoteRef(remote: string, ref: string, names: readonly string[]): EchelonError {
  return new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${stderrText({ stderr: remote })} has no branch or tag ${JSON.stringify(ref)}`,
    hint: didYouMean(ref, names, `list them with: git ls-remote`),
  });
}
