import { defined, EchelonError } from '../base/index.ts';
import {
  declaredImage,
  type Instance,
  type Integration,
  MANAGER_RESOURCE,
  type Managed,
  managerFileOf,
  problemsIn,
  upstreamImage,
  upstreamOf,
} from '../instance/index.ts';
import type { Distance, ForgePort, GitPort } from './ports.ts';
import { type OpenUpstream, openUpstream } from './service/upstream.ts';

/** What the versions of environments need from outside. */
interface VersionPorts extends ComparePorts {
  /** Who last changed a line of a file in a folder, and when. */
  readonly lineChanges: (
    folder: string,
  ) => (file: string, line: number) => Promise<{ readonly at: Date; readonly author: string } | undefined>;
}

interface VersionOptions extends CompareOptions {
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

export interface ComparePorts {
  readonly git: GitPort;
  readonly forge: ForgePort;
}

interface CompareOptions {
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

/** The version that an environment declares for the integrations of an upstream. */
interface EnvironmentVersion {
  /** Empty for integrations that have none. */
  readonly upstream: string;
  readonly environment: string;
  /** Absent where only a branch is declared, or nothing. */
  readonly version?: string;
  /** How many integrations. */
  readonly integrations: number;
  /** The file that has the version, `/x.yml` below `data/` or else from the root, and its line where only one has it. */
  readonly file?: string;
  readonly line?: number;
}

/** `data/x.yml` of `/x.yml`; what is not below `data/` stays as it is. */
export function pathInRepository(file: string): string {
  return file.startsWith('/') ? `data${file}` : file;
}

/** Every version that environments declare, by upstream and environment. Pure. */
export function environmentVersions(
  instance: Instance,
  isOperated: (entry: Managed) => boolean = () => true,
): EnvironmentVersion[] {
  const versionOf = versionReader(instance);
  const declared = managerFileOf(instance.snapshot);
  const found = instance.integrations.flatMap((integration) =>
    integration.managed.filter(isOperated).map((entry) => {
      const version = versionOf(integration, entry);
      const environment = entry.namespace.environment.name;
      return { upstream: upstreamOf(declared, integration), environment, version, integration, entry };
    }),
  );
  const groups = Map.groupBy(found, ({ upstream, environment, version }) =>
    JSON.stringify([upstream, environment, version]),
  );
  return [...groups.values()].map((own) => {
    const [{ upstream, environment, version, integration, entry }] = own as [(typeof found)[number]];
    const integrations = new Set(own.map(({ integration: { name } }) => name)).size;
    const place =
      version === undefined ? {} : placeOf(instance, version, { upstream, environment, integration, entry });
    return { upstream, environment, integrations, ...defined({ version }), ...place };
  });
}

/** What decides is the same for most entries, and found once. */
function versionReader(instance: Instance): (integration: Integration, entry: Managed) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (integration, entry) => {
    const key = JSON.stringify([integration.upstream, entry.namespace.environment.name, entry.spec.imageRef]);
    if (!known.has(key)) known.set(key, declaredImage(instance, integration, entry));
    return known.get(key);
  };
}

interface Declared {
  readonly upstream: string;
  readonly environment: string;
  readonly integration: Integration;
  readonly entry: Managed;
}

function placeOf(instance: Instance, version: string, of: Declared): Pick<EnvironmentVersion, 'file' | 'line'> {
  const declared = inManagerFile(instance, of);
  if (declared !== undefined) return declared;
  for (const file of filesOf(instance, of)) {
    const text = instance.snapshot.text(file);
    const lines = text === undefined ? [] : linesWith(text, version);
    const [line] = lines;
    if (line !== undefined) return { file, ...(lines.length === 1 ? { line } : {}) };
  }
  return {};
}

/** The line of manager.yml, where that says the tag or the ref. */
function inManagerFile(
  { snapshot }: Instance,
  { integration, entry }: Declared,
): Pick<EnvironmentVersion, 'file' | 'line'> | undefined {
  const file = managerFileOf(snapshot);
  const image = entry.spec.imageRef === undefined ? upstreamImage(file, integration.upstream) : undefined;
  const key = image?.tag === undefined ? 'tagRef' : 'tag';
  if (file === undefined || image?.[key] === undefined) return undefined;
  const keys = ['upstreams', file.upstreams.indexOf(image), key];
  const place = { rule: '', severity: 'warning', keys, message: '', hint: '' } as const;
  const [found] = problemsIn(`resources${MANAGER_RESOURCE}`, snapshot.echelonFiles.get(MANAGER_RESOURCE) ?? '', [
    place,
  ]);
  return found && { file: found.file, ...defined({ line: found.line }) };
}

/** Where the version may come from, in the order of precedence. */
function filesOf(instance: Instance, { upstream, environment, integration, entry }: Declared): string[] {
  if (entry.spec.imageRef !== undefined) return [integration.file];
  const environments = instance.environments.filter(({ name }) => name === environment);
  const deploying = instance.saasFiles.filter(({ parameters, templates }) =>
    templates.some((template) =>
      template.targets.some((target) => {
        const all = { ...parameters, ...template.parameters, ...target.parameters };
        return all['ENVIRONMENT_NAME'] === environment && all['INTEGRATIONS_MANAGER_UPSTREAM'] === upstream;
      }),
    ),
  );
  return [...environments, ...deploying].map(({ file }) => file);
}

/** One-based numbers of the lines that have the tag, or the commit that it abbreviates. */
function linesWith(text: string, version: string): number[] {
  const [tag = ''] = version.split('@');
  return text.split('\n').flatMap((line, index) => (hasWord(line, tag) ? [index + 1] : []));
}

function hasWord(line: string, tag: string): boolean {
  const content = line.replace(/(?:^|\s)#.*$/, '');
  for (let at = content.indexOf(tag); at !== -1; at = content.indexOf(tag, at + 1))
    if (at === 0 || !/[\w.-]/.test(content[at - 1] ?? '')) return true;
  return false;
}

/** Distances that were counted before. Between two commits they never change. */
export interface KnownDistances {
  get(upstream: string, from: string, to: string): Distance | undefined;
  set(upstream: string, from: string, to: string, distance: Distance): void;
}

const MOST_KNOWN = 1_000;
const COMMIT = /^[0-9a-f]{7,40}$/;

/** Keeps distances of commits; a branch or a tag may move. */
export function knownDistances(): KnownDistances {
  const known = new Map<string, Distance>();
  return {
    get: (...key) => known.get(JSON.stringify(key)),
    set: (upstream, from, to, distance) => {
      if (!COMMIT.test(from) || !COMMIT.test(to)) return;
      known.set(JSON.stringify([upstream, from, to]), distance);
      const [oldest] = known.keys();
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    },
  };
}
