import { EchelonError } from '../../base/index.ts';
import type { Distance, KnownDistances } from '../versions/known-distances.ts';
import type { ForgePort } from './forge-port.ts';
import type { GitPort } from './git-port.ts';
import { type OpenUpstream, openUpstream } from './upstream.ts';

export interface ComparePorts {
  readonly git: GitPort;
  readonly forge: ForgePort;
}

export interface CompareOptions {
  /** Folder of a clone, which is asked first. */
  readonly clone?: string | undefined;
  /** Whether its forge may be asked. */
  readonly asksForge: (upstream: string) => boolean;
  readonly known: KnownDistances;
}

/** The distance, or why it is not known. */
export type Counted = Distance | { readonly unknown: string };

/** Distances that are asked of forges in one observation; the next one goes on. */
const MOST_ASKED = 50;

const NO_SOURCE = 'pass a clone with --upstream-clone, or set the token or the API of its forge';

/** Counts commits between versions, at most 50 of them at forges. One at a time: a forge that fails is not asked again. */
export function versionCounter(
  ports: ComparePorts,
  { clone, asksForge, known }: CompareOptions,
): (upstream: string, from: string, to: string) => Promise<Counted> {
  const clones = new Map<string, Promise<OpenUpstream | undefined>>();
  const forges = new Map<string, Promise<OpenUpstream>>();
  const failed = new Map<string, string>();
  let left = MOST_ASKED;
  const inClone = async (url: string, from: string, to: string): Promise<Distance | undefined> => {
    if (clone === undefined) return undefined;
    const opened = clones.get(url) ?? ifPossible(openUpstream(ports, { url }, { clone }));
    clones.set(url, opened);
    const history = await opened;
    return history === undefined ? undefined : ifPossible(history.distance(from, to));
  };
  const atForge = async (url: string, from: string, to: string): Promise<Counted> => {
    const before = failed.get(url);
    if (before !== undefined) return { unknown: before };
    if (left === 0) return { unknown: `more than ${MOST_ASKED} versions to compare: the next observation goes on` };
    left -= 1;
    const opened = forges.get(url) ?? openUpstream(ports, { url }, {});
    forges.set(url, opened);
    try {
      return (await (await opened).distance(from, to)) ?? { unknown: 'the forge does not show both commits' };
    } catch (thrown) {
      if (!(thrown instanceof EchelonError)) throw thrown;
      failed.set(url, thrown.message);
      return { unknown: thrown.message };
    }
  };
  return async (upstream, from, to) => {
    const before = known.get(upstream, from, to) ?? (await inClone(upstream, from, to));
    const counted = before ?? (asksForge(upstream) ? await atForge(upstream, from, to) : { unknown: NO_SOURCE });
    if (!('unknown' in counted)) known.set(upstream, from, to, counted);
    return counted;
  };
}

/** A folder that is not a clone of the upstream says nothing about it. */
async function ifPossible<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof EchelonError) return undefined;
    throw thrown;
  }
}
