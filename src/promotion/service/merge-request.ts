import { isDeepStrictEqual } from 'node:util';
import type { PromotionPlan } from '../plan/make-plan.ts';
import { metadataOf, readMetadata, supersedes } from '../plan/metadata.ts';
import type { HostedRepository, OpenRequest } from '../ports.ts';

interface WantedRequest {
  readonly branch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  /** Prefix of the promotion branches of the same upstream. */
  readonly branchPrefix: string;
}

export interface DeliveredRequest {
  readonly request: OpenRequest;
  readonly outcome: 'opened' | 'updated' | 'unchanged';
  readonly superseded: readonly OpenRequest[];
}

/** Opens or updates the merge request of a branch, and closes older ones that it supersedes. */
export async function deliver(
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
