import { defined, EchelonError } from '../../base/index.ts';
import { promotionTitle } from '../plan/description.ts';
import type { PromotionPlan } from '../plan/make-plan.ts';
import { metadataLine, metadataOf } from '../plan/metadata.ts';
import { sameBytes } from '../plan/plan-edits.ts';
import type { InstanceRepository } from './git-port.ts';

export interface PromotionBranch {
  readonly branch: string;
  readonly commit: string;
  /** Of the remote before; absent when it had no such branch. */
  readonly remoteTip?: string;
  /** Neither here nor at the remote was there a commit that does the same. */
  readonly isNew: boolean;
}

interface BranchCommit {
  readonly branch: string;
  readonly parent: string;
  readonly message: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Whose branch of that name is looked at; absent when nothing will be pushed. */
  readonly remote?: string;
}

const SUBJECT = /^\[echelon\] /;
const MOST_SCOPE = 40;

/** `promote-reconcile-8c41f7e`, and what it is only about. */
export function branchName({ upstream, version, scope }: PromotionPlan, prefix: string): string {
  const only = scope
    .map((name) => name.replaceAll(/[^A-Za-z0-9]+/g, '-'))
    .join('-')
    .slice(0, MOST_SCOPE);
  const name = `${prefix}${upstream.name}-${version.commit.slice(0, version.hashLength)}`;
  return only === '' ? name : `${name}-${only}`;
}

/** The title, and a line by which a rollback finds the promotion. */
export function commitMessage(plan: PromotionPlan): string {
  const lines = plan.ranges.map(({ from, to, link }) => link ?? `${from.slice(0, 12)}...${to.slice(0, 12)}`);
  return `${[promotionTitle(plan), lines.join('\n'), metadataLine(metadataOf(plan))].filter((part) => part !== '').join('\n\n')}\n`;
}

/** One commit on a branch; a commit that does the same, here or at the remote, is taken as it is. */
export async function commitPlan(repository: InstanceRepository, wanted: BranchCommit): Promise<PromotionBranch> {
  const { branch, parent, message, files } = wanted;
  const remoteTip = wanted.remote === undefined ? undefined : await repository.fetchBranch(wanted.remote, branch);
  if (remoteTip !== undefined) {
    await requireOurs(repository, remoteTip, wanted);
    if (await isSame(repository, remoteTip, wanted)) return { branch, commit: remoteTip, remoteTip, isNew: false };
  }
  const expected = await repository.branchTip(branch);
  if (expected !== undefined) await requireOurs(repository, expected, wanted);
  const commit = await repository.commitFiles({
    branch,
    parent,
    files,
    message,
    ...defined({ expected }),
  });
  return { branch, commit, ...defined({ remoteTip }), isNew: commit !== expected };
}

/** The remote's branch follows, unless it is there already. */
export async function pushBranch(repository: InstanceRepository, remote: string, made: PromotionBranch): Promise<void> {
  if (made.commit !== made.remoteTip) await repository.push(remote, made.branch, made.remoteTip);
}

/** Commits that somebody added to the branch are not thrown away. */
async function requireOurs(
  repository: InstanceRepository,
  tip: string,
  { branch, parent }: BranchCommit,
): Promise<void> {
  const { commits, total } = await repository.log(parent, tip, 2);
  if (total === 0 || (total === 1 && SUBJECT.test(commits[0]?.subject ?? ''))) return;
  throw new EchelonError({
    code: 'BRANCH_FOREIGN',
    message: `the branch ${branch} has commits that are not of this promotion. Nothing was changed`,
    hint: 'merge or remove that branch, or use another name with --branch',
  });
}

async function isSame(repository: InstanceRepository, tip: string, { parent, files }: BranchCommit): Promise<boolean> {
  const [changed, base] = await Promise.all([repository.changes(parent, tip), repository.mergeBase(parent, tip)]);
  if (base !== parent || changed.length !== files.size) return false;
  for (const [path, bytes] of files) {
    const there = await repository.readFile(tip, path);
    if (there === undefined || !sameBytes(there, bytes)) return false;
  }
  return true;
}
