import { compare, parse } from 'semver';

/** A version, and when each channel group offers it. Times are milliseconds since 1970. */
export interface Release {
  readonly version: string;
  readonly groups: Readonly<Record<string, number>>;
  /** Hosted control planes can run it. */
  readonly hosted: boolean;
  readonly rosa: boolean;
  /** Versions that must not be upgraded to this one. */
  readonly notFrom: readonly string[];
  /** No longer available from then on. */
  readonly withdrawnAt?: number;
  readonly endOfLifeAt?: number;
}

/** `4.18` of `4.18.9`. */
export function minorOf(version: string): string {
  const found = parse(version);
  return found === null ? version : `${found.major}.${found.minor}`;
}

/** Orders `4.9` before `4.10`. */
export function compareMinors(a: string, b: string): number {
  return compare(`${a}.0`, `${b}.0`);
}

/** `stable` and `4.18` of `stable-4.18`. */
export function channelParts(channel: string): { readonly group: string; readonly minor: string } {
  const dash = channel.lastIndexOf('-');
  return { group: channel.slice(0, Math.max(0, dash)), minor: channel.slice(dash + 1) };
}

const MAX_REMEMBERED = 10_000;

/** The upgrade graph: available versions by channel and time. */
export class VersionGraph {
  #releases: readonly Release[] = [];
  /** All moments at which a result can change. */
  #moments: readonly number[] = [];
  readonly #known = new Map<string, readonly string[]>();

  constructor(releases: Iterable<Release>) {
    this.#set([...releases]);
  }

  /** All releases, also future ones, ascending. */
  get releases(): readonly Release[] {
    return this.#releases;
  }

  /** Adds a release, or replaces that of the same version. */
  add(release: Release): void {
    this.#set([...this.#releases.filter(({ version }) => version !== release.version), release]);
  }

  get(version: string): Release | undefined {
    return this.#releases.find((release) => release.version === version);
  }

  /** Available upgrades of a cluster: newer, in its channel, at most one minor up; ascending. */
  upgrades(version: string, channel: string, at: number, hosted: boolean): readonly string[] {
    return this.#remembered(`${version} ${channel} ${hosted}`, at, () => {
      const { group, minor } = channelParts(channel);
      const highest = nextMinor(minorOf(version));
      return this.#releases
        .filter((release) => offered(release, group, at) && (release.hosted || !hosted))
        .filter((release) => compare(release.version, version) > 0 && !release.notFrom.includes(version))
        .map((release) => release.version)
        .filter((candidate) => compareMinors(minorOf(candidate), minor) <= 0)
        .filter((candidate) => compareMinors(minorOf(candidate), highest) <= 0);
    });
  }

  /** Channels that a cluster on this version may use: those of its minor, and of the next once released. */
  channels(version: string, at: number): readonly string[] {
    return this.#remembered(`${version} channels`, at, () => {
      const own = minorOf(version);
      const found = this.#releases.flatMap((release) => {
        const minor = minorOf(release.version);
        return Object.keys(release.groups)
          .filter((group) => offered(release, group, at) && inReach(group, own, minor))
          .map((group) => `${group}-${minor}`);
      });
      return [...new Set(found)].sort();
    });
  }

  /** Releases that a channel group offers, ascending. */
  offeredBy(group: string, at: number): readonly Release[] {
    return this.#releases.filter((release) => offered(release, group, at));
  }

  #set(releases: Release[]): void {
    this.#releases = releases.sort((a, b) => compare(a.version, b.version));
    const moments = releases.flatMap(({ groups, withdrawnAt }) => [...Object.values(groups), withdrawnAt ?? 0]);
    this.#moments = [...new Set(moments)].sort((a, b) => a - b);
    this.#known.clear();
  }

  /** Nothing changes between two moments, so one cached result serves all times in between. */
  #remembered(key: string, at: number, find: () => readonly string[]): readonly string[] {
    const full = `${key} ${countUpTo(this.#moments, at)}`;
    const known = this.#known.get(full);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    const found = find();
    this.#known.set(full, found);
    return found;
  }
}

function offered({ groups, withdrawnAt }: Release, group: string, at: number): boolean {
  const from = groups[group];
  return from !== undefined && from <= at && (withdrawnAt === undefined || at < withdrawnAt);
}

function nextMinor(minor: string): string {
  const [major = '0', number = '0'] = minor.split('.');
  return `${major}.${Number(number) + 1}`;
}

/** Extended support is for even minors only, so its next one may be two away. */
function inReach(group: string, own: string, minor: string): boolean {
  if (minor === own || minor === nextMinor(own)) return group !== 'eus' || isEven(minor);
  return group === 'eus' && isEven(minor) && minor === nextMinor(nextMinor(own));
}

function isEven(minor: string): boolean {
  return Number(minor.split('.')[1]) % 2 === 0;
}

/** How many of the sorted numbers are not above the limit. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
