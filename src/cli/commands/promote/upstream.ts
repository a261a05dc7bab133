import { EchelonError } from '../../../base/index.ts';
import { type Forge, openForge, resolveRefByForge } from '../../../clients/forge/index.ts';
import { openRepository, type Repository, resolveRef } from '../../../clients/git/index.ts';
import type { Comparison, Upstream, UpstreamHistory } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';

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

export async function openUpstream(io: Io, upstream: Upstream, options: UpstreamOptions): Promise<OpenUpstream> {
  const forge = await forgeOf(io, upstream.url);
  const compareUrl = (from: string, to: string): string | undefined => forge?.compareUrl(from, to);
  if (options.clone !== undefined) return fromClone(await openClone(options.clone), upstream, compareUrl);
  if (options.offline === true || forge === undefined)
    return fromNowhere(upstream, options.offline === true, compareUrl);
  return fromForge(io, forge, upstream);
}

/** Undefined where nothing tells which kind of forge it is. */
async function forgeOf(io: Io, url: string): Promise<Forge | undefined> {
  try {
    return await openForge(url, { env: io.env, readOnly: true });
  } catch (thrown) {
    if (thrown instanceof EchelonError) return undefined;
    throw thrown;
  }
}

async function openClone(folder: string): Promise<Repository> {
  try {
    return await openRepository(folder);
  } catch (thrown) {
    throw new EchelonError({
      code: 'UPSTREAM_CLONE',
      message: `${folder} is no clone of the upstream`,
      hint: 'name the folder of a clone, or leave the flag out to ask the forge',
      cause: thrown,
    });
  }
}

function fromClone(clone: Repository, { branch }: Upstream, compareUrl: UpstreamHistory['compareUrl']): OpenUpstream {
  return {
    compareUrl,
    resolve: async (ref) => {
      const wanted = ref ?? branch ?? (await clone.defaultBranch());
      return (await resolveRef(clone.root, wanted)) ?? (await clone.commitOf(wanted));
    },
    compare: (from, to, limit) => compareInClone(clone, from, to, limit),
    changedPaths: async (from, to) => (await clone.changes(from, to)).map(({ path }) => path),
  };
}

async function compareInClone(clone: Repository, from: string, to: string, limit: number): Promise<Comparison> {
  const [old, now] = await Promise.all([resolveRef(clone.root, from), resolveRef(clone.root, to)]);
  if (old === undefined || now === undefined) return { relation: 'unknown', commits: [], total: 0 };
  if (old === now) return { relation: 'identical', commits: [], total: 0 };
  if (await clone.isAncestor(now, old)) return { relation: 'behind', commits: [], total: 0 };
  const { commits, total } = await clone.log(old, now, limit);
  return { relation: (await clone.isAncestor(old, now)) ? 'ahead' : 'diverged', commits, total };
}

function fromForge(io: Io, forge: Forge, { url, branch }: Upstream): OpenUpstream {
  return {
    compareUrl: (from, to) => forge.compareUrl(from, to),
    resolve: async (ref) => {
      if (ref === undefined) return forge.newestCommit(branch);
      return /^[0-9a-f]{40}$/.test(ref) ? ref : resolveRefByForge({ repository: url, ref, env: io.env });
    },
    compare: async (from, to, limit) => {
      try {
        const { status, commits, total } = await forge.commitsBetween(from, to, limit);
        return { relation: status, commits, total };
      } catch (thrown) {
        if (thrown instanceof EchelonError && ['REF_UNKNOWN', 'FORGE_NOT_FOUND'].includes(thrown.code))
          return { relation: 'unknown', commits: [], total: 0 };
        throw thrown;
      }
    },
  };
}

/** Only a whole commit can be promoted without asking anybody, and nothing is known of it. */
function fromNowhere({ url }: Upstream, asked: boolean, compareUrl: UpstreamHistory['compareUrl']): OpenUpstream {
  return {
    compareUrl,
    resolve: async (ref) => {
      if (ref !== undefined && /^[0-9a-f]{40}$/.test(ref)) return ref;
      throw new EchelonError({
        code: 'UPSTREAM_CLONE',
        message: asked
          ? `with --offline nobody can be asked for ${ref ?? 'the newest commit'} of ${url}`
          : `${url} is on no known forge, so that nobody can be asked for ${ref ?? 'its newest commit'}`,
        hint: 'name a clone with --upstream-clone, or all 40 characters of a commit with --to',
      });
    },
    compare: async () => ({ relation: 'unknown', commits: [], total: 0 }),
  };
}
