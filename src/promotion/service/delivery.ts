import { isDeepStrictEqual } from 'node:util';
import { byText, defined, EchelonError, sha256Of } from '../../base/index.ts';
import {
  metadataLine,
  metadataOf,
  promotionDescription,
  promotionTitle,
  readMetadata,
  readMetadataLine,
  supersedes,
  updatedDescription,
  updatedTitle,
} from '../plan/merge-request-text.ts';
import { sameBytes } from '../plan/plan-edits.ts';
import { unifiedDiff } from '../plan/plan-text.ts';
import type { PromotionPlan } from '../plan/promotion-plan.ts';
import type { ShardMove } from '../plan/shard-moves.ts';
import type { Caller } from '../plan/upstream-commits.ts';
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
  /** The author of the commit. */
  readonly caller: Caller;
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
  const existing = pushes && forge !== undefined ? await existingRequest(forge, branch, base.branch) : undefined;
  const files = new Map(plan.files.map(({ file, after }) => [`${folderPrefix}${file}`, after]));
  const made = await commitPlan(repository, {
    ...{ branch, parent: base.commit, files, caller: planned.caller },
    message: commitMessage(plan, contentOf(files)),
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
    deliverRequest(forge, plan, wanted, existing),
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
  readonly caller: Caller;
  /** The remote to compare with; absent if nothing will be pushed. */
  readonly remote?: string;
}

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

/** Throws for a branch that git refuses, and for one that is not a promotion's own. */
export async function requireOwnBranch(
  repository: Repository,
  branch: string,
  { remote, target }: { readonly remote: string; readonly target: string },
): Promise<void> {
  const invalid = (message: string, hint: string): EchelonError =>
    new EchelonError({ code: 'BRANCH_INVALID', message: `${message}. Nothing was changed`, hint });
  if (!isBranchName(branch))
    throw invalid(`${JSON.stringify(branch)} is not a valid branch name`, 'use letters, digits, dashes and slashes');
  if (branch === target)
    throw invalid(`${branch} is the target branch: a promotion needs a branch of its own`, 'pass another --branch');
  if (branch === (await repository.defaultBranch(remote).catch(() => undefined)))
    throw invalid(`${branch} is the default branch: a promotion needs a branch of its own`, 'pass another --branch');
}

/** The rules of git check-ref-format. */
function isBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(name) || name === '' || name === '@') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/** The title, and a line that says what it promotes and wrote. */
function commitMessage(plan: PromotionPlan, content: string): string {
  const lines = plan.ranges.map(({ from, to, link }) => link ?? `${from.slice(0, 12)}...${to.slice(0, 12)}`);
  return `${[promotionTitle(plan), lines.join('\n'), metadataLine({ ...metadataOf(plan), content })].filter((part) => part !== '').join('\n\n')}\n`;
}

/** Creates one commit on a branch; reuses an equivalent commit of the clone or the remote. */
async function commitPlan(repository: Repository, wanted: BranchCommit): Promise<PromotionBranch> {
  const { branch, parent, message, files } = wanted;
  const remoteTip = wanted.remote === undefined ? undefined : await repository.fetchBranch(wanted.remote, branch);
  if (remoteTip !== undefined) {
    if (await isSame(repository, remoteTip, wanted)) return { branch, commit: remoteTip, remoteTip, isNew: false };
    await requireOurs(repository, remoteTip, wanted);
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

/** Refuses to discard what is not ours: a commit is, if its author and the content that it records are. */
async function requireOurs(repository: Repository, tip: string, wanted: BranchCommit): Promise<void> {
  const { commits, total } = await repository.log(wanted.parent, tip, 1);
  const [commit] = commits;
  if (total === 0) return;
  const isBySame = commit?.author.email.toLowerCase() === wanted.caller.email?.toLowerCase();
  if (total === 1 && isBySame && (await isAsWritten(repository, tip))) return;
  throw new EchelonError({
    code: 'BRANCH_FOREIGN',
    message: `branch ${wanted.branch} has commits that do not belong to this promotion, or that were changed since. Nothing was changed`,
    hint: 'merge or delete the branch, or pass another name with --branch',
  });
}

/** Whether a commit changes exactly what its message records. */
async function isAsWritten(repository: Repository, tip: string): Promise<boolean> {
  const [{ parent, message = '' } = {}] = await repository.pathHistory(tip, [], 1);
  const content = readMetadataLine(message)?.content;
  if (parent === undefined || content === undefined) return false;
  const files = new Map<string, Uint8Array>();
  for (const { path } of await repository.changes(parent, tip))
    files.set(path, (await repository.readFile(tip, path)) ?? new Uint8Array());
  return contentOf(files) === content;
}

/** A hash of files and their bytes. */
function contentOf(files: ReadonlyMap<string, Uint8Array>): string {
  const sorted = [...files].toSorted(([a], [b]) => byText(a, b));
  return sha256Of(JSON.stringify(sorted.map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])));
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

/** The open request from a branch to its target; throws if the branch is that of a request to another one. */
async function existingRequest(
  forge: HostedRepository,
  branch: string,
  target: string,
): Promise<OpenRequest | undefined> {
  const open = (await forge.openMergeRequests({ branchPrefix: branch })).filter(
    ({ sourceBranch }) => sourceBranch === branch,
  );
  const other = open.find(({ targetBranch }) => targetBranch !== target);
  if (other === undefined) return open[0];
  throw new EchelonError({
    code: 'BRANCH_TAKEN',
    message: `branch ${branch} is that of ${other.url} to ${other.targetBranch}, not to ${target}. Nothing was changed`,
    hint: 'pass another name with --branch, or close that request',
  });
}

/** Opens or updates the merge request of a branch, and closes older ones that it supersedes. */
async function deliverRequest(
  forge: HostedRepository,
  plan: PromotionPlan,
  wanted: WantedRequest,
  existing: OpenRequest | undefined,
): Promise<DeliveredRequest> {
  const { request, outcome } = await openOrUpdate(forge, existing, wanted);
  const others = await forge.openMergeRequests({ branchPrefix: wanted.branchPrefix });
  const own = metadataOf(plan);
  const superseded = others.filter(({ number, sourceBranch, targetBranch, description }) => {
    const metadata = readMetadata(description);
    const isOther = number !== request.number && sourceBranch !== wanted.branch;
    return isOther && targetBranch === wanted.targetBranch && metadata !== undefined && supersedes(own, metadata);
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
  existing: OpenRequest | undefined,
  { branch, targetBranch, title, description, labels }: WantedRequest,
): Promise<Omit<DeliveredRequest, 'superseded'>> {
  if (existing === undefined) {
    const fresh = { title, description, sourceBranch: branch, targetBranch, labels, removeSourceBranch: true };
    return { request: await forge.createMergeRequest(fresh), outcome: 'opened' };
  }
  const request = await forge.updateMergeRequest(existing.number, {
    title: updatedTitle(existing.title, title),
    description: updatedDescription(existing.description, description),
    labels,
  });
  return { request, outcome: isDeepStrictEqual(request, existing) ? 'unchanged' : 'updated' };
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
