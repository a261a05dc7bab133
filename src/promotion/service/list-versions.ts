import { defined } from '../../base/index.ts';
import type { Instance, Managed } from '../../instance/index.ts';
import { type EnvironmentVersion, environmentVersions, pathInRepository } from '../versions/environment-versions.ts';
import type { Distance } from '../versions/known-distances.ts';
import { type CompareOptions, type ComparePorts, versionCounter } from './compare-versions.ts';
import { openUpstream } from './upstream.ts';

/** What the versions of environments need from outside. */
export interface VersionPorts extends ComparePorts {
  /** Who last changed a line of a file in a folder, and when. */
  readonly lineChanges: (
    folder: string,
  ) => (file: string, line: number) => Promise<{ readonly at: Date; readonly author: string } | undefined>;
}

export interface VersionOptions extends CompareOptions {
  readonly isOperated: (entry: Managed) => boolean;
  /** Called with all that is known before a forge is asked, unless it need not be. */
  readonly onEarly?: (versions: readonly ListedVersion[]) => void;
}

export interface ListedVersion extends EnvironmentVersion {
  /** When its line was last changed, and by whom; absent outside of Git. */
  readonly promoted?: { readonly at: Date; readonly author: string };
  /** From the version that was promoted last: commits that this one lacks, or has in addition. */
  readonly apart?: Distance;
  /** Why the commits are not counted. */
  readonly apartUnknown?: string;
  /** The newer version, and the forge's page that compares both. */
  readonly newest?: string;
  readonly compareUrl?: string;
}

/** Versions by environment with who promoted them and how far they are apart, by a clone of the upstream or by its forge. */
export async function listVersions(
  ports: VersionPorts,
  instance: Instance,
  options: VersionOptions,
): Promise<readonly ListedVersion[]> {
  const { snapshot } = instance;
  const changes = snapshot.kind === 'directory' ? ports.lineChanges(snapshot.origin) : undefined;
  const found = await Promise.all(
    environmentVersions(instance, options.isOperated).map(async (one): Promise<ListedVersion> => {
      const { file, line } = one;
      const promoted =
        file === undefined || line === undefined ? undefined : await changes?.(pathInRepository(file), line);
      return { ...one, ...defined({ promoted }) };
    }),
  );
  const linked = await linkedVersions(ports, found);
  const early = await counted(ports, linked, { ...options, asksForge: () => false });
  const isOpen = ({ upstream, apartUnknown }: ListedVersion): boolean =>
    apartUnknown !== undefined && options.asksForge(upstream);
  if (!early.some(isOpen)) return early;
  options.onEarly?.(early.map((one) => (isOpen(one) ? { ...one, apartUnknown: 'the forge is being queried' } : one)));
  return counted(ports, linked, options);
}

/** Each version with the newest one of its upstream, unless it is that itself. */
async function linkedVersions(ports: ComparePorts, versions: readonly ListedVersion[]): Promise<ListedVersion[]> {
  const upstreams = Map.groupBy(versions, ({ upstream }) => upstream);
  const linked = [...upstreams].map(async ([url, own]): Promise<readonly ListedVersion[]> => {
    const newest = newestOf(own);
    if (newest === undefined || own.every(({ version }) => version === newest)) return own;
    const history = await openUpstream(ports, { url }, { offline: true });
    return own.map((one) => {
      if (one.version === undefined || one.version === newest) return one;
      const compareUrl = url === '' ? undefined : history.compareUrl(commitIn(one.version), commitIn(newest));
      return { ...one, newest, ...defined({ compareUrl }) };
    });
  });
  return (await Promise.all(linked)).flat();
}

async function counted(
  ports: ComparePorts,
  versions: readonly ListedVersion[],
  options: CompareOptions,
): Promise<readonly ListedVersion[]> {
  const count = versionCounter(ports, options);
  const all: ListedVersion[] = [];
  for (const one of versions) {
    const { upstream, version, newest } = one;
    if (version === undefined || newest === undefined || upstream === '') all.push(one);
    else {
      const apart = await count(upstream, commitIn(version), commitIn(newest));
      all.push({ ...one, ...('unknown' in apart ? { apartUnknown: apart.unknown } : { apart }) });
    }
  }
  return all;
}

/** The version that was promoted last; without dates the first one. */
function newestOf(versions: readonly ListedVersion[]): string | undefined {
  const dated = versions.toSorted((a, b) => (b.promoted?.at.getTime() ?? 0) - (a.promoted?.at.getTime() ?? 0));
  return dated.find(({ version }) => version !== undefined)?.version;
}

function commitIn(version: string): string {
  return version.split('@')[0] ?? version;
}
