import { isDeepStrictEqual } from 'node:util';
import { defined, EchelonError } from '../../base/index.ts';
import {
  metadataLine,
  metadataOf,
  promotionDescription,
  promotionTitle,
  readMetadata,
  supersedes,
} from '../plan/merge-request-text.ts';
import { sameBytes } from '../plan/plan-edits.ts';
import { unifiedDiff } from '../plan/plan-text.ts';
import type { PromotionPlan } from '../plan/promotion-plan.ts';
import type { ShardMove } from '../plan/shard-moves.ts';
import type { DeliveryRequest, ForgePort, HostedRepository, OpenRequest, Repository } from '../ports.ts';
import { versionText } from '../targets/find-targets.ts';
import type { PromotionConfig } from '../targets/promotion-file.ts';
import type { BaseCommit } from './base-commit.ts';

/** A promotion planned on its base commit, and its destination. */
export interface PlannedDelivery {
  readonly plan: PromotionPlan;
  /** The branch to create. */
  readonly branch: string;
  readonly branchPrefix: string;
  readonly base: BaseCommit;
  readonly config: PromotionConfig | undefined;
  readonly repository: Repository;
  /** Path from the repository root to the instance. */
  readonly folderPrefix: string;
  readonly request: DeliveryRequest;
  /** Shards that move although the working tree pins them. */
  readonly pinnedHere: readonly ShardMove[];
}

export interface Delivery {
  readonly made: PromotionBranch;
  readonly delivered?: DeliveredRequest;
  /** Why there is no merge request. */
  readonly why?: string;
}

/** Creates branch, commit and merge request and pushes, as far as remote and forge allow. */
export async function carryOutDelivery(forges: ForgePort, planned: PlannedDelivery): Promise<Delivery> {
  const { plan, repository, base, branch, branchPrefix, folderPrefix, request } = planned;
  const { remote } = request;
  const forge = await forgeFor(forges, request, base);
  const pushes = request.push && base.remoteUrl !== undefined;
  const there = pushes ? await forge?.findMergeRequest(branch) : undefined;
  const made = await commitPlan(repository, {
    branch,
    parent: base.commit,
    message: commitMessage(plan),
    files: new Map(plan.files.map(({ file, after }) => [`${folderPrefix}${file}`, after])),
    ...(pushes ? { remote } : {}),
  });
  if (!pushes) return { made, why: notPushed(request, base) };
  await withResumeHint(`branch ${branch} was created at ${made.commit.slice(0, 12)} but not pushed`, () =>
    pushBranch(repository, remote, made),
  );
  if (forge === undefined) {
    return { made, why: `pushed to ${remote}; unknown forge: open the merge request by hand` };
  }
  const wanted = {
    branch,
    targetBranch: base.branch,
    title: promotionTitle(plan),
    description: promotionDescription(plan, await unifiedDiff(plan.files)),
    labels: labelsOf(planned),
    branchPrefix: branchStart(branchPrefix, plan.upstream.name, plan.undoes),
  };
  const delivered = await withResumeHint(`branch ${branch} was pushed to ${remote}`, () =>
    deliverRequest(forge, plan, wanted, there),
  );
  return { made, delivered };
}

/** Adds to an error how far the delivery got; the same command resumes it. */
async function withResumeHint<T>(done: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof EchelonError)) throw thrown;
    const { code, message, hint } = thrown;
    throw new EchelonError({ code, message, hint: `${hint}; ${done}: run the command again to resume` });
  }
}

function labelsOf({ request, config, plan: { upstream } }: PlannedDelivery): string[] {
  const configured = [...(config?.labels ?? []), ...(config?.upstreams[upstream.name]?.labels ?? [])];
  return [...new Set([...configured, ...request.labels])];
}

function notPushed({ remote }: DeliveryRequest, base: BaseCommit): string {
  return base.remoteUrl === undefined ? `not pushed: the repository has no remote ${remote}` : 'not pushed (--no-push)';
}

/** Checked before anything is written, so that an unusable forge does not stop the delivery halfway. */
async function forgeFor(
  forges: ForgePort,
  { forge, forgeUrl, push }: DeliveryRequest,
  { remoteUrl }: BaseCommit,
): Promise<HostedRepository | undefined> {
  const url = forgeUrl ?? remoteUrl;
  if (!push || url === undefined) return undefined;
  try {
    return await forges.open(url, { ...forge, readOnly: false, namedBy: 'operator' });
  } catch (thrown) {
    const isAsked = forge.kind !== undefined || forgeUrl !== undefined;
    if (isAsked || !(thrown instanceof EchelonError)) throw thrown;
    return undefined;
  }
}

interface PromotionBranch {
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

/** `promote-reconcile-8c41f7e`, followed by the scope of `--only`; a rollback has branches of its own. */
export function branchName({ upstream, version, scope, undoes }: PromotionPlan, prefix: string): string {
  const only = scope
    .map((name) => name.replaceAll(/[^A-Za-z0-9]+/g, '-'))
    .join('-')
    .slice(0, MOST_SCOPE);
  const name = `${branchStart(prefix, upstream.name, undoes)}${versionText(version)}`;
  return only === '' ? name : `${name}-${only}`;
}

function branchStart(prefix: string, upstream: string, undoes: PromotionPlan['undoes']): string {
  return `${prefix}${undoes === undefined ? '' : 'rollback-'}${upstream}-`;
}

/** The title, and a line that says what it promotes. */
function commitMessage(plan: PromotionPlan): string {
  const lines = plan.ranges.map(({ from, to, link }) => link ?? `${from.slice(0, 12)}...${to.slice(0, 12)}`);
  return `${[promotionTitle(plan), lines.join('\n'), metadataLine(metadataOf(plan))].filter((part) => part !== '').join('\n\n')}\n`;
}

/** Creates one commit on a branch; reuses an equivalent commit of the clone or the remote. */
async function commitPlan(repository: Repository, wanted: BranchCommit): Promise<PromotionBranch> {
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
async function pushBranch(repository: Repository, remote: string, made: PromotionBranch): Promise<void> {
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

interface WantedRequest {
  readonly branch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  /** Prefix of the promotion branches of the same upstream. */
  readonly branchPrefix: string;
}

interface DeliveredRequest {
  readonly request: OpenRequest;
  readonly outcome: 'opened' | 'updated' | 'unchanged';
  readonly superseded: readonly OpenRequest[];
}

/** Opens or updates the merge request of a branch, and closes older ones that it supersedes. */
async function deliverRequest(
  forge: HostedRepository,
  plan: PromotionPlan,
  wanted: WantedRequest,
  there: OpenRequest | undefined,
): Promise<DeliveredRequest> {
  const { request, outcome } = await openOrUpdate(forge, there, wanted);
  const others = await forge.openMergeRequests({ branchPrefix: wanted.branchPrefix });
  const own = metadataOf(plan);
  const superseded = others.filter(({ number, sourceBranch, description }) => {
    const metadata = readMetadata(description);
    return (
      number !== request.number && sourceBranch !== wanted.branch && metadata !== undefined && supersedes(own, metadata)
    );
  });
  for (const { number } of superseded) {
    await forge.closeMergeRequest(
      number,
      `Superseded by ${request.url}, which promotes the same targets to ${plan.version.commit.slice(0, 12)}.`,
    );
  }
  return { request, outcome, superseded };
}

async function openOrUpdate(
  forge: HostedRepository,
  there: OpenRequest | undefined,
  { branch, targetBranch, title, description, labels }: WantedRequest,
): Promise<Omit<DeliveredRequest, 'superseded'>> {
  if (there === undefined) {
    const fresh = { title, description, sourceBranch: branch, targetBranch, labels, removeSourceBranch: true };
    return { request: await forge.createMergeRequest(fresh), outcome: 'opened' };
  }
  const request = await forge.updateMergeRequest(there.number, { title, description, labels });
  return { request, outcome: isDeepStrictEqual(request, there) ? 'unchanged' : 'updated' };
}

/** Machine-readable; without a delivery nothing was to be delivered. */
export function requestDocument(plan: PromotionPlan, delivery: Delivery | undefined): object {
  return {
    commit: plan.version.commit,
    items: plan.items,
    files: plan.files.map(({ file }) => file),
    ...(delivery === undefined ? {} : deliveryDocument(delivery)),
  };
}

function deliveryDocument({ made, delivered, why }: Delivery): object {
  return {
    branch: made.branch,
    head: made.commit,
    ...defined({ reason: why }),
    ...(delivered === undefined
      ? {}
      : {
          mergeRequest: { url: delivered.request.url, outcome: delivered.outcome },
          superseded: delivered.superseded.map(({ url }) => url),
        }),
  };
}
