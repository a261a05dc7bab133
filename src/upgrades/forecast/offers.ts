import { memoize } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ClusterState } from '../engine/facts.ts';
import { compareVersions, isVersion, minorOf, type Version } from '../engine/versions.ts';

/** A version that is offered from some time on. */
export interface Release {
  readonly version: Version;
  readonly at: Instant;
  /** `stable-4.19`, or `stable` for a whole group; when absent, all channels. Except for the first form, only channels of its own or a later minor. */
  readonly channels?: readonly string[];
}

type Place = Pick<ClusterState, 'version' | 'channel' | 'hosted'>;
type Offered = Pick<ClusterState, 'version' | 'channel' | 'availableUpgrades'>;

/** What OCM offers to a cluster once it runs another version, derived from what it offers to clusters today. */
export class Offers {
  readonly #exact = new Map<string, readonly string[]>();
  readonly #inChannel = new Map<string, Set<string>>();
  readonly #channels = new Map<string, readonly string[]>();
  readonly #channelsOfMinor = new Map<string, Set<string>>();
  readonly #lists = new Map<string, readonly string[]>();
  /** What follows on an offer. */
  readonly #known = new Map<readonly string[], Map<string, readonly string[]>>();
  readonly #releases: readonly Release[];

  constructor(clusters: readonly ClusterState[], releases: readonly Release[] = []) {
    this.#releases = releases;
    for (const cluster of clusters) this.#learn(cluster);
  }

  #learn({ version, channel, hosted, availableUpgrades, availableChannels }: ClusterState): void {
    this.#exact.set(keyOf(version, channel, hosted), availableUpgrades);
    addAll(this.#inChannel, keyOf(channel, hosted), availableUpgrades);
    if (availableChannels.length === 0) return;
    this.#channels.set(version, availableChannels);
    addAll(this.#channelsOfMinor, minorOf(version), availableChannels);
  }

  /** Ascending. `former` is what the cluster was offered so far. */
  upgrades({ version, channel, hosted }: Place, former: readonly string[], at: Instant): readonly string[] {
    return this.#once(former, `moved ${version} ${channel} ${hosted} ${this.#releasesBy(at)}`, () => {
      const exact = this.#exact.get(keyOf(version, channel, hosted));
      if (exact !== undefined) return this.withReleased({ version, channel, availableUpgrades: exact }, at);
      const known = this.#inChannel.get(keyOf(channel, hosted)) ?? [];
      return this.#same(ahead([...former, ...known, ...this.#released(channel, at)], version));
    });
  }

  /** What a cluster is offered already, plus newer releases. */
  withReleased({ version, channel, availableUpgrades }: Offered, at: Instant): readonly string[] {
    if (this.#releases.length === 0) return availableUpgrades;
    return this.#once(availableUpgrades, `kept ${version} ${channel} ${this.#releasesBy(at)}`, () => {
      const released = ahead(this.#released(channel, at), version).filter((each) => !availableUpgrades.includes(each));
      return released.length === 0 ? availableUpgrades : this.#same([...availableUpgrades, ...released]);
    });
  }

  /** Many clusters come from the same offers to the same version. */
  #once(before: readonly string[], key: string, make: () => readonly string[]): readonly string[] {
    const ofList = this.#known.get(before) ?? new Map<string, readonly string[]>();
    this.#known.set(before, ofList);
    const offered = ofList.get(key) ?? make();
    ofList.set(key, offered);
    return offered;
  }

  #releasesBy(now: Instant): number {
    let count = 0;
    for (const { at } of this.#releases) if (at <= now) count += 1;
    return count;
  }

  /** One array for all that are offered the same: what is known of it is known of all. */
  #same(versions: readonly string[]): readonly string[] {
    const key = versions.join(' ');
    const same = this.#lists.get(key) ?? versions;
    this.#lists.set(key, same);
    return same;
  }

  /** Channels that a version is in. */
  channels(version: Version, former: readonly string[]): readonly string[] {
    return this.#channels.get(version) ?? [...(this.#channelsOfMinor.get(minorOf(version)) ?? former)];
  }

  /** When something new is offered. */
  releaseTimes(): ReadonlySet<Instant> {
    return new Set(this.#releases.map(({ at }) => at));
  }

  #released(channel: string, now: Instant): Version[] {
    return this.#releases
      .filter(({ at, version, channels }) => at <= now && isIn(channel, version, channels))
      .map(({ version }) => version);
  }
}

function ahead(candidates: readonly string[], version: Version): Version[] {
  const versions = [...new Set(candidates)].filter(isVersion);
  return versions.filter((candidate) => isAhead(candidate, version)).sort(compareVersions);
}

/** Newer, and at most one minor up. */
function isAhead(candidate: Version, version: Version): boolean {
  if (compareVersions(candidate, version) <= 0) return false;
  const [major = 0, minor = 0] = numbers(minorOf(candidate));
  const [ownMajor = 0, own = 0] = numbers(minorOf(version));
  return major > ownMajor || minor - own <= 1;
}

function isIn(channel: string, version: Version, channels: readonly string[] | undefined): boolean {
  if (channels?.includes(channel)) return true;
  const isMeant = channels?.includes(channel.replace(/-\d+\.\d+$/, '')) ?? true;
  return isMeant && reaches(channel, version);
}

/** Whether the minor of a channel is that of the version or a later one; a channel without one has everything. */
function reaches(channel: string, version: Version): boolean {
  const found = minorOfChannel(channel);
  if (found === '') return true;
  const [major = 0, minor = 0] = numbers(found);
  const [wantedMajor = 0, wanted = 0] = numbers(minorOf(version));
  return major > wantedMajor || (major === wantedMajor && minor >= wanted);
}

const MAX_KNOWN = 1_000;

const numbers = memoize(MAX_KNOWN, (minor): readonly number[] => minor.split('.').map(Number));

/** The minor that a channel is for; empty for one without. */
const minorOfChannel = memoize(MAX_KNOWN, (channel) => /-(\d+\.\d+)$/.exec(channel)?.[1] ?? '');

function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

function addAll(sets: Map<string, Set<string>>, key: string, values: readonly string[]): void {
  const known = sets.get(key) ?? new Set<string>();
  for (const value of values) known.add(value);
  sets.set(key, known);
}
