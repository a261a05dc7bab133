import { EchelonError } from '../../base/index.ts';
import { promotionDescription, promotionTitle } from '../plan/description.ts';
import type { PromotionPlan } from '../plan/make-plan.ts';
import type { ShardMove } from '../plan/shard-moves.ts';
import { unifiedDiff } from '../plan/unified-diff.ts';
import type { DeliveryRequest, ForgePort, HostedRepository, Repository } from '../ports.ts';
import type { PromotionConfig } from '../targets/promotion-file.ts';
import type { BaseCommit } from './base-commit.ts';
import { commitMessage, commitPlan, type PromotionBranch, pushBranch } from './branch.ts';
import { type DeliveredRequest, deliver } from './merge-request.ts';

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
    branchPrefix: `${branchPrefix}${plan.upstream.name}-`,
  };
  const delivered = await withResumeHint(`branch ${branch} was pushed to ${remote}`, () =>
    deliver(forge, plan, wanted, there),
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
