import { defined, EchelonError } from '../../base/index.ts';
import { promotionTitle } from '../plan/description.ts';
import type { PromotionPlan } from '../plan/make-plan.ts';
import { metadataLine, metadataOf } from '../plan/metadata.ts';
import { sameBytes } from '../plan/plan-edits.ts';
import type { Repository } from '../ports.ts';
import { versionText } from '../targets/find-targets.ts';

export interface PromotionBranch {
  readonly branch: string;
  readonly commit: string;
  /** The remote tip before; absent if the remote had no such branch. */
  readonly remoteTip?: string;
  /** Neither the clone nor the remote had an equivalent commit. */
  readonly isNew: boolean;
}

interface BranchCommit {
  readonly branch: string;
  readonly parent: string;
  readonly message: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The remote to compare with; absent if nothing will be pushed. */
  readonly remote?: string;
}

const SUBJECT = /^\[echelon\] /;
const MOST_SCOPE = 40;

/** `promote-reconcile-8c41f7e`, followed by the scope of `--only`. */
export function branchName({ upstream, version, scope }: PromotionPlan, prefix: string): string {
  const only = scope
    .map((name) => name.replaceAll(/[^A-Za-z0-9]+/g, '-'))
    .join('-')
    .slice(0, MOST_SCOPE);
  const name = `${prefix}${upstream.name}-${versionText(version)}`;
  return only === '' ? name : `${name}-${only}`;
}

/** The title, and a line that lets a rollback find the promotion. */
export function commitMessage(plan: PromotionPlan): string {
  const lines = plan.ranges.map(({ from, to, link }) => link ?? `${from.slice(0, 12)}...${to.slice(0, 12)}`);
  return `${[promotionTitle(plan), lines.join('\n'), metadataLine(metadataOf(plan))].filter((part) => part !== '').join('\n\n')}\n`;
}

/** Creates one commit on a branch; reuses an equivalent commit of the clone or the remote. */
export async function commitPlan(repository: Repository, wanted: BranchCommit): Promise<PromotionBranch> {
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

/** Pushes the branch unless the remote already has it. */
export async function pushBranch(repository: Repository, remote: string, made: PromotionBranch): Promise<void> {
  if (made.commit !== made.remoteTip) await repository.push(remote, made.branch, made.remoteTip);
}

/** Refuses to discard foreign commits on the branch. */
async function requireOurs(repository: Repository, tip: string, { branch, parent }: BranchCommit): Promise<void> {
  const { commits, total } = await repository.log(parent, tip, 2);
  if (total === 0 || (total === 1 && SUBJECT.test(commits[0]?.subject ?? ''))) return;
  throw new EchelonError({
    code: 'BRANCH_FOREIGN',
    message: `branch ${branch} has commits that do not belong to this promotion. Nothing was changed`,
    hint: 'merge or delete the branch, or pass another name with --branch',
  });
}

async function isSame(repository: Repository, tip: string, { parent, files }: BranchCommit): Promise<boolean> {
  const [changed, base] = await Promise.all([repository.changes(parent, tip), repository.mergeBase(parent, tip)]);
  if (base !== parent || changed.length !== files.size) return false;
  for (const [path, bytes] of files) {
    const there = await repository.readFile(tip, path);
    if (there === undefined || !sameBytes(there, bytes)) return false;
  }
  return true;
}
