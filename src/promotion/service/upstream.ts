import { EchelonError, messageOf } from '../../base/index.ts';
import type { Comparison, UpstreamHistory } from '../plan/upstream-history.ts';
import type { Upstream } from '../targets/promotion-file.ts';
import type { ForgePort, HostedRepository } from './forge-port.ts';
import type { GitPort, UpstreamClone } from './git-port.ts';

/** The upstream as a promotion needs it: from a clone, from its forge, or from nowhere. */
export interface OpenUpstream extends UpstreamHistory {
  /** The commit of a ref; the newest of the branch that is promoted when absent. */
  resolve(ref: string | undefined): Promise<string>;
}

export interface UpstreamOptions {
  /** Folder of a clone. */
  readonly clone?: string;
  /** Asks nobody. */
  readonly offline?: boolean;
}

const UNKNOWN: Comparison = { relation: 'unknown', commits: [], total: 0 };
const WHOLE_COMMIT = /^[0-9a-f]{40}$/;
const CLONE_FLAG = '--upstream-clone';
/** Of one try: a forge that a firewall hides is given up on within half a minute. */
const FORGE_TIMEOUT_MS = 7_000;

export async function openUpstream(
  { git, forge: forges }: { readonly git: GitPort; readonly forge: ForgePort },
  upstream: Upstream,
  options: UpstreamOptions,
): Promise<OpenUpstream> {
  const forge = await forgeOf(forges, upstream.url);
  const compareUrl = (from: string, to: string): string | undefined => forge?.compareUrl(from, to);
  if (options.clone !== undefined) return fromClone(git, await openClone(git, options.clone), upstream, compareUrl);
  if (options.offline === true || forge === undefined)
    return fromNowhere(upstream, options.offline === true, compareUrl);
  return fromForge(forges, forge, upstream);
}

/** Undefined where nothing tells which kind of forge it is. */
async function forgeOf(forges: ForgePort, url: string): Promise<HostedRepository | undefined> {
  try {
    return await forges.open(url, { readOnly: true, namedBy: 'data', timeoutMs: FORGE_TIMEOUT_MS });
  } catch (thrown) {
    if (thrown instanceof EchelonError) return undefined;
    throw thrown;
  }
}

async function openClone(git: GitPort, folder: string): Promise<UpstreamClone> {
  try {
    return await git.openClone(folder);
  } catch (thrown) {
    throw new EchelonError({
      code: 'UPSTREAM_CLONE',
      message: `${folder} is no clone of the upstream: ${messageOf(thrown)}`,
      hint: 'name the folder of a clone with --upstream-clone, or leave the flag out to ask the forge',
      cause: thrown,
    });
  }
}

async function fromClone(
  git: GitPort,
  clone: UpstreamClone,
  { branch }: Upstream,
  compareUrl: UpstreamHistory['compareUrl'],
): Promise<OpenUpstream> {
  const kind: Pick<UpstreamHistory, 'wholeClone' | 'whenUnknown'> = (await clone.isShallow())
    ? { whenUnknown: `${clone.root} is a shallow clone: get the rest of its history with git fetch --unshallow` }
    : { wholeClone: clone.root, whenUnknown: `fetch ${clone.root}, and check that it is a clone of the upstream` };
  return {
    ...kind,
    compareUrl,
    resolve: async (ref) => {
      const wanted = ref ?? branch ?? (await clone.defaultBranch());
      return (await git.resolveRef(clone.root, wanted)) ?? (await clone.commitOf(wanted));
    },
    compare: (from, to, limit) => compareInClone(clone, from, to, limit),
    changedPaths: async (from, to) => (await clone.changes(from, to)).map(({ path }) => path),
  };
}

async function compareInClone(clone: UpstreamClone, from: string, to: string, limit: number): Promise<Comparison> {
  const [old, now] = await Promise.all([knownCommit(clone, from), knownCommit(clone, to)]);
  if (old === undefined || now === undefined) return UNKNOWN;
  if (old === now) return { relation: 'identical', commits: [], total: 0 };
  if (await clone.isAncestor(now, old)) return { relation: 'behind', commits: [], total: 0 };
  const { commits, total } = await clone.log(old, now, limit);
  return { relation: (await clone.isAncestor(old, now)) ? 'ahead' : 'diverged', commits, total };
}

async function knownCommit(clone: UpstreamClone, ref: string): Promise<string | undefined> {
  try {
    return await clone.commitOf(ref);
  } catch (thrown) {
    if (thrown instanceof EchelonError && ['REF_UNKNOWN', 'REF_AMBIGUOUS'].includes(thrown.code)) return undefined;
    throw thrown;
  }
}

function fromForge(forges: ForgePort, forge: HostedRepository, { url, branch }: Upstream): OpenUpstream {
  return {
    compareUrl: (from, to) => forge.compareUrl(from, to),
    resolve: (ref) =>
      namingTheClone(async () => {
        if (ref === undefined) return forge.newestCommit(branch);
        return WHOLE_COMMIT.test(ref) ? ref : forges.resolveRef(url, ref);
      }),
    compare: (from, to, limit) =>
      namingTheClone(async () => {
        try {
          const { status, commits, total } = await forge.commitsBetween(from, to, limit);
          return { relation: status, commits, total };
        } catch (thrown) {
          const missing = thrown instanceof EchelonError && ['REF_UNKNOWN', 'FORGE_NOT_FOUND'].includes(thrown.code);
          if (missing) return UNKNOWN;
          throw thrown;
        }
      }),
  };
}

/** Where a forge does not help, a clone does. */
async function namingTheClone<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || thrown.hint.includes(CLONE_FLAG)) throw thrown;
    const { code, message, hint } = thrown;
    throw new EchelonError({ code, message, hint: `${hint}; or name a clone of the upstream with ${CLONE_FLAG}` });
  }
}

/** Only a whole commit can be promoted without asking anybody, and nothing is known of it. */
function fromNowhere({ url }: Upstream, asked: boolean, compareUrl: UpstreamHistory['compareUrl']): OpenUpstream {
  return {
    compareUrl,
    resolve: async (ref) => {
      if (ref !== undefined && WHOLE_COMMIT.test(ref)) return ref;
      throw new EchelonError({
        code: 'UPSTREAM_CLONE',
        message: asked
          ? `with --offline nobody can be asked for ${ref ?? 'the newest commit'} of ${url}`
          : `${url} is on no known forge, so that nobody can be asked for ${ref ?? 'its newest commit'}`,
        hint: 'name a clone with --upstream-clone, or all 40 characters of a commit with --to',
      });
    },
    compare: async () => UNKNOWN,
  };
}
