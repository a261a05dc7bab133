import { isDeepStrictEqual } from 'node:util';
import type { Forge, MergeRequest } from '../../../clients/forge/index.ts';
import { metadataOf, type PromotionPlan, readMetadata, supersedes } from '../../../promotion/index.ts';

export interface Request {
  readonly branch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  /** Of branches of promotions of the same upstream. */
  readonly branchPrefix: string;
}

export interface Delivered {
  readonly request: MergeRequest;
  readonly outcome: 'opened' | 'updated' | 'unchanged';
  readonly superseded: readonly MergeRequest[];
}

/** Opens or updates the one merge request of a branch, and closes older ones that it makes needless. */
export async function deliver(
  forge: Forge,
  plan: PromotionPlan,
  wanted: Request,
  there: MergeRequest | undefined,
): Promise<Delivered> {
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
  forge: Forge,
  there: MergeRequest | undefined,
  { branch, targetBranch, title, description, labels }: Request,
): Promise<Omit<Delivered, 'superseded'>> {
  if (there === undefined) {
    const fresh = { title, description, sourceBranch: branch, targetBranch, labels, removeSourceBranch: true };
    return { request: await forge.createMergeRequest(fresh), outcome: 'opened' };
  }
  const request = await forge.updateMergeRequest(there.number, { title, description, labels });
  return { request, outcome: isDeepStrictEqual(request, there) ? 'unchanged' : 'updated' };
}
