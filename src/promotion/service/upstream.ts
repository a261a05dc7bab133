import { defined, EchelonError, isImageDigest, isImageTag, messageOf } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import type {
  Comparison,
  Distance,
  ForgePort,
  GitPort,
  HostedRepository,
  PlanRequest,
  PromotionPorts,
  Repository,
  UpstreamHistory,
} from '../ports.ts';
import type { Version } from '../targets/find-targets.ts';
import type { Upstream } from '../targets/promotion-file.ts';
import type { Workspace } from './workspace.ts';

/** The upstream for a promotion: from a clone, from its forge, or offline. */
export interface OpenUpstream extends UpstreamHistory {
  /** Resolves a ref to a commit; the newest commit of the promoted branch when absent. */
  resolve(ref: string | undefined): Promise<string>;
  /** How many commits are between two; undefined if it does not have both. */
  distance(from: string, to: string): Promise<Distance | undefined>;
}

interface UpstreamOptions {
  /** Folder of a clone. */
  readonly clone?: string;
  /** Send no requests. */
  readonly offline?: boolean;
}

const UNKNOWN: Comparison = { relation: 'unknown', commits: [], total: 0 };
const WHOLE_COMMIT = /^[0-9a-f]{40}$/;
const CLONE_FLAG = '--upstream-clone';
/** Per attempt: a forge behind a firewall fails within half a minute. */
const FORGE_TIMEOUT_MS = 7_000;

export async function openUpstream(
  { git, forge: forges }: { readonly git: GitPort; readonly forge: ForgePort },
  upstream: Upstream,
  options: UpstreamOptions,
): Promise<OpenUpstream> {
  const { url } = upstream;
  if (url === undefined) return imageTags();
  const forge = await forgeOf(forges, url);
  const compareUrl = (from: string, to: string): string | undefined => forge?.compareUrl(from, to);
  if (options.clone !== undefined) return fromClone(await openClone(git, options.clone), upstream, compareUrl);
  if (options.offline === true || forge === undefined)
    return offlineUpstream(url, options.offline === true, compareUrl);
  return fromForge(forges, forge, { ...upstream, url });
}

/** Undefined if the kind of forge is unknown. */
async function forgeOf(forges: ForgePort, url: string): Promise<HostedRepository | undefined> {
  try {
    return await forges.open(url, { readOnly: true, namedBy: 'data', timeoutMs: FORGE_TIMEOUT_MS });
  } catch (thrown) {
    if (thrown instanceof EchelonError) return undefined;
    throw thrown;
  }
}

async function openClone(git: GitPort, folder: string): Promise<Repository> {
  try {
    return await git.openClone(folder);
  } catch (thrown) {
    throw new EchelonError({
      code: 'UPSTREAM_CLONE',
      message: `${folder} is not a clone of the upstream: ${messageOf(thrown)}`,
      hint: 'pass the folder of a clone with --upstream-clone, or omit the flag to query the forge',
      cause: thrown,
    });
  }
}

async function fromClone(
  clone: Repository,
  { branch }: Upstream,
  compareUrl: UpstreamHistory['compareUrl'],
): Promise<OpenUpstream> {
  const kind: Pick<UpstreamHistory, 'wholeClone' | 'whenUnknown'> = (await clone.isShallow())
    ? { whenUnknown: `${clone.root} is a shallow clone: fetch its full history with git fetch --unshallow` }
    : { wholeClone: clone.root, whenUnknown: `fetch ${clone.root}, and check that it is a clone of the upstream` };
  return {
    ...kind,
    compareUrl,
    resolve: async (ref) => {
      const wanted = ref ?? branch ?? (await clone.defaultBranch());
      return clone.commitOf(wanted, { prefer: 'remote' });
    },
    compare: (from, to, limit) => compareInClone(clone, from, to, limit),
    distance: async (from, to) => {
      const [there, back] = [await compareInClone(clone, from, to, 0), await compareInClone(clone, to, from, 0)];
      if (there.relation === 'unknown') return undefined;
      return { behind: lackedBy(there), ahead: lackedBy(back) };
    },
    changedPaths: async (from, to) => (await clone.changes(from, to)).map(({ path }) => path),
  };
}

/** How many commits of the later one the earlier one lacks. */
function lackedBy({ relation, total }: Comparison): number {
  return relation === 'behind' ? 0 : total;
}

async function compareInClone(clone: Repository, from: string, to: string, limit: number): Promise<Comparison> {
  const [old, now] = await Promise.all([knownCommit(clone, from), knownCommit(clone, to)]);
  if (old === undefined || now === undefined) return UNKNOWN;
  if (old === now) return { relation: 'identical', commits: [], total: 0 };
  if (await clone.isAncestor(now, old)) return { relation: 'behind', ...(await clone.log(now, old, limit)) };
  const { commits, total } = await clone.log(old, now, limit);
  return { relation: (await clone.isAncestor(old, now)) ? 'ahead' : 'diverged', commits, total };
}

async function knownCommit(clone: Repository, ref: string): Promise<string | undefined> {
  try {
    return await clone.commitOf(ref);
  } catch (thrown) {
    if (thrown instanceof EchelonError && ['REF_UNKNOWN', 'REF_AMBIGUOUS'].includes(thrown.code)) return undefined;
    throw thrown;
  }
}

function fromForge(
  forges: ForgePort,
  forge: HostedRepository,
  { url, branch }: Upstream & { readonly url: string },
): OpenUpstream {
  const between: HostedRepository['commitsBetween'] = (from, to, limit) =>
    withCloneHint(() => forge.commitsBetween(from, to, limit));
  return {
    compareUrl: (from, to) => forge.compareUrl(from, to),
    whenUnknown: `the forge does not have one of these commits: check that ${url} is the upstream and that both are pushed, or pass a clone with ${CLONE_FLAG}`,
    resolve: (ref) =>
      withCloneHint(async () => {
        if (ref === undefined) return forge.newestCommit(branch);
        return WHOLE_COMMIT.test(ref) ? ref : forges.resolveRef(url, ref);
      }),
    compare: async (from, to, limit) => {
      const found = await unlessMissing(between(from, to, limit));
      if (found === undefined) return UNKNOWN;
      const { commits, total } = found.status === 'behind' ? await between(to, from, limit) : found;
      return { relation: found.status, commits, total };
    },
    distance: async (from, to) => {
      const found = await unlessMissing(between(from, to, 0));
      return found && { behind: found.total, ahead: found.lacking };
    },
  };
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof EchelonError && ['REF_UNKNOWN', 'FORGE_NOT_FOUND'].includes(thrown.code)) return undefined;
    throw thrown;
  }
}

/** Without a repository a version is a tag as it is given, and nothing is known about what is between two. */
function imageTags(): OpenUpstream {
  return {
    compareUrl: () => undefined,
    hasNoCommits: true,
    whenUnknown: 'add the url of its repository to the upstream in promotion.yml, if it has one',
    resolve: async (ref) => {
      if (ref !== undefined && isImageTag(ref)) return ref;
      throw new EchelonError({
        code: 'FLAG_INVALID',
        message:
          ref === undefined
            ? 'the upstream has no url in promotion.yml, so its newest version is unknown'
            : `--to ${ref} is not a valid image tag`,
        hint: 'pass the tag to promote with --to, such as --to v2',
      });
    },
    compare: async () => UNKNOWN,
    distance: async () => undefined,
  };
}

/** Suggests a clone when a request to the forge fails. */
async function withCloneHint<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || thrown.hint.includes(CLONE_FLAG)) throw thrown;
    const { code, message, hint } = thrown;
    throw new EchelonError({ code, message, hint: `${hint}; or pass a clone of the upstream with ${CLONE_FLAG}` });
  }
}

/** Without requests only a full commit can be promoted, and its history is unknown. */
function offlineUpstream(url: string, offline: boolean, compareUrl: UpstreamHistory['compareUrl']): OpenUpstream {
  return {
    compareUrl,
    whenUnknown: `${offline ? '--offline: the history of the upstream is not read' : `the forge of ${url} is unknown`}; pass a clone with ${CLONE_FLAG}`,
    resolve: async (ref) => {
      if (ref !== undefined && WHOLE_COMMIT.test(ref)) return ref;
      throw new EchelonError({
        code: 'UPSTREAM_CLONE',
        message: offline
          ? `--offline: cannot resolve ${ref ?? 'the newest commit'} of ${url}`
          : `cannot resolve ${ref ?? 'the newest commit'} of ${url}: unknown forge`,
        hint: 'pass a clone with --upstream-clone, or a full 40-character commit with --to',
      });
    },
    compare: async () => UNKNOWN,
    distance: async () => undefined,
  };
}

const DEFAULT_HASH_LENGTH = 7;

export function hashLengthOf({ settings }: Instance): number {
  return settings?.hashLength ?? DEFAULT_HASH_LENGTH;
}

interface Wanted {
  readonly workspace: Workspace;
  readonly upstream: Upstream;
  readonly name: string;
  readonly commit: string;
}

/** `v1.2.3` is a release; anything else is a ref that resolves to a commit. */
export async function wantedVersion(
  ports: Pick<PromotionPorts, 'imageDigest'>,
  request: PlanRequest,
  { workspace, upstream, name, commit }: Wanted,
): Promise<Version> {
  const hashLength = hashLengthOf(workspace.instance);
  const tag = upstream.url === undefined ? commit : releaseIn(request);
  const image =
    request.image ?? upstream.image ?? workspace.snapshot.env.get(`${name.toUpperCase().replaceAll('-', '_')}_IMAGE`);
  const digest = request.digest ?? (await queriedDigest(ports, request, image, tag ?? commit.slice(0, hashLength)));
  requireDigest(digest);
  return { commit, hashLength, ...defined({ tag, digest }) };
}

function releaseIn({ to }: PlanRequest): string | undefined {
  return to !== undefined && /^v?\d+\./.test(to) ? to : undefined;
}

async function queriedDigest(
  ports: Pick<PromotionPorts, 'imageDigest'>,
  request: PlanRequest,
  image: string | undefined,
  tag: string,
): Promise<string | undefined> {
  if (request.checkImage !== true) {
    if (request.wait === undefined) return undefined;
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--wait requires --check-image',
      hint: 'pass --check-image, or omit --wait',
    });
  }
  if (image === undefined) {
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--check-image: no image repository given',
      hint: 'pass it with --image, or set image of the upstream in promotion.yml',
    });
  }
  return ports.imageDigest({ image, tag, ...defined({ waitSeconds: request.wait }) });
}

function requireDigest(digest: string | undefined): void {
  if (digest === undefined || isImageDigest(digest)) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--digest ${digest} is not a valid digest`,
    hint: 'use sha256: followed by 64 hexadecimal digits',
  });
}
