import { defined, EchelonError } from '../../base/index.ts';
import type { Instance, Managed } from '../../instance/index.ts';
import type { UpstreamHistory } from '../plan/upstream-history.ts';
import { type EnvironmentVersion, environmentVersions, pathInRepository } from '../versions/environment-versions.ts';
import type { ForgePort } from './forge-port.ts';
import type { GitPort } from './git-port.ts';
import { openUpstream } from './upstream.ts';

/** What the versions of environments need from outside. */
export interface VersionPorts {
  readonly git: GitPort;
  readonly forge: ForgePort;
  /** Who last changed a line of a file in a folder, and when. */
  readonly lineChanges: (
    folder: string,
  ) => (file: string, line: number) => Promise<{ readonly at: Date; readonly author: string } | undefined>;
}

export interface ListedVersion extends EnvironmentVersion {
  /** When its line was last changed, and by whom; absent outside of Git. */
  readonly promoted?: { readonly at: Date; readonly author: string };
  /** From the version that was promoted last: commits that this one lacks, or has in addition. */
  readonly apart?: { readonly behind: number; readonly ahead: number };
  /** The newer version, and the forge's page that compares both. */
  readonly newest?: string;
  readonly compareUrl?: string;
}

/** Versions by environment with who promoted them, and how far they are apart in a clone of the upstream. Sends no requests. */
export async function listVersions(
  ports: VersionPorts,
  instance: Instance,
  { isOperated, clone }: { readonly isOperated: (entry: Managed) => boolean; readonly clone?: string | undefined },
): Promise<ListedVersion[]> {
  const { snapshot } = instance;
  const changes = snapshot.kind === 'directory' ? ports.lineChanges(snapshot.origin) : undefined;
  const found = await Promise.all(
    environmentVersions(instance, isOperated).map(async (one): Promise<ListedVersion> => {
      const { file, line } = one;
      const promoted =
        file === undefined || line === undefined ? undefined : await changes?.(pathInRepository(file), line);
      return { ...one, ...defined({ promoted }) };
    }),
  );
  const upstreams = Map.groupBy(found, ({ upstream }) => upstream);
  const compared = await Promise.all([...upstreams].map(([url, own]) => comparedVersions(ports, url, own, clone)));
  return compared.flat();
}

async function comparedVersions(
  ports: VersionPorts,
  url: string,
  versions: readonly ListedVersion[],
  clone: string | undefined,
): Promise<readonly ListedVersion[]> {
  const newest = newestOf(versions);
  if (newest === undefined || versions.every(({ version }) => version === newest)) return versions;
  const history = await historyOf(ports, url, clone);
  return Promise.all(
    versions.map(async (one): Promise<ListedVersion> => {
      if (one.version === undefined || one.version === newest) return one;
      const compareUrl = history.compareUrl(commitIn(one.version), commitIn(newest));
      return { ...one, newest, ...defined({ compareUrl, apart: await apartFrom(history, one.version, newest) }) };
    }),
  );
}

/** A folder that is not a clone of this upstream tells nothing of it. */
async function historyOf(ports: VersionPorts, url: string, clone: string | undefined): Promise<UpstreamHistory> {
  try {
    return await openUpstream(ports, { url }, { offline: true, ...defined({ clone }) });
  } catch (thrown) {
    if (!(thrown instanceof EchelonError) || clone === undefined) throw thrown;
    return openUpstream(ports, { url }, { offline: true });
  }
}

/** The version that was promoted last; without dates the first one. */
function newestOf(versions: readonly ListedVersion[]): string | undefined {
  const dated = versions.toSorted((a, b) => (b.promoted?.at.getTime() ?? 0) - (a.promoted?.at.getTime() ?? 0));
  return dated.find(({ version }) => version !== undefined)?.version;
}

/** Unknown where there is no clone, or it does not have both. */
async function apartFrom(history: UpstreamHistory, version: string, newest: string): Promise<ListedVersion['apart']> {
  const [from, to] = [commitIn(version), commitIn(newest)];
  try {
    const [there, back] = await Promise.all([history.compare(from, to, 0), history.compare(to, from, 0)]);
    return there.relation === 'unknown' ? undefined : { behind: there.total, ahead: back.total };
  } catch (thrown) {
    if (thrown instanceof EchelonError) return undefined;
    throw thrown;
  }
}

function commitIn(version: string): string {
  return version.split('@')[0] ?? version;
}
