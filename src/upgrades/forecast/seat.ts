import type { Instant } from '../../gates/index.ts';
import { type HeldCluster, type Member, memberOf, type ScheduledUpgrade, type ServedCluster } from '../engine/facts.ts';
import type { UpgradeVerdict } from '../engine/gate.ts';
import { isVersion } from '../engine/versions.ts';
import type { KnownPolicy } from '../policies/org-spec.ts';
import type { Offers } from './offers.ts';
import type { TimedReason } from './timed-reason.ts';
import type { ForecastUpgrade, UpgradeRun } from './upgrade-runs.ts';
import type { WaitingEntries } from './waiting-entries.ts';
import { WaitingLog } from './waiting-log.ts';

/** One cluster on the virtual clock: what OCM shows of it, its upgrades, and what it waits for. */
export class Seat<Cluster extends ServedCluster | HeldCluster = ServedCluster | HeldCluster> {
  /** In the order of observation: served clusters, then held ones. */
  readonly place: number;
  readonly log: WaitingLog;
  readonly upgrades: ForecastUpgrade[] = [];
  readonly known: KnownPolicy;
  cluster: Cluster;
  member: Member;
  /** Of its version. */
  rank: number;
  /** Of its soak days among those of its organization. */
  soakRank = 0;
  runs: readonly UpgradeRun[] = [];
  /** Verdicts about mutexes when it was last decided on; undefined while nothing depends on them. */
  room: readonly UpgradeVerdict[] | undefined;
  /** Whether it gets something else, or waits for something else, once they are free or taken. */
  roomDecides = true;
  /** Whether neither its window nor its mutexes change what it waits for. */
  isFirm = false;
  /** The gate about mutexes that it waits for. */
  roomGate: string | undefined;
  /** The last reason that changes with time. */
  lastReason: TimedReason | undefined;
  /** What it was offered when it was last decided on. */
  watched: readonly string[] = [];
  /** The last pass in which it is examined. */
  examinedIn = -1;
  /** The last pass in which its mutexes are checked. */
  checkedIn = -1;
  #isChanged = false;

  constructor(
    cluster: Cluster,
    place: number,
    { rank, entries }: { readonly rank: number; readonly entries: WaitingEntries },
  ) {
    this.log = new WaitingLog(entries);
    this.cluster = cluster;
    this.place = place;
    this.rank = rank;
    this.known = 'policy' in cluster ? cluster.policy : cluster.known;
    this.member = memberOf(cluster, this.known);
  }

  /** Undefined when it has none. */
  get policies(): readonly ScheduledUpgrade[] | undefined {
    return this.runs.length === 0 ? undefined : this.runs.map(({ policy }) => policy);
  }

  /** The upgrade is done. */
  finish({ nodePool, version }: ScheduledUpgrade, offers: Offers, now: Instant): void {
    if (!isVersion(version)) return;
    const { cluster } = this;
    if (nodePool !== undefined) {
      const nodePools = cluster.nodePools.map((pool) => (pool.id === nodePool ? { ...pool, version } : pool));
      this.cluster = { ...cluster, nodePools };
      return;
    }
    const { channel, hosted } = cluster;
    this.#isChanged = true;
    this.cluster = {
      ...cluster,
      version,
      availableUpgrades: offers.upgrades({ version, channel, hosted }, cluster.availableUpgrades, now),
      availableChannels: offers.channels(version, cluster.availableChannels),
    };
    this.member = memberOf(this.cluster, this.known);
  }

  switchTo(channel: string, offers: Offers, now: Instant): void {
    const moved = { ...this.cluster, channel };
    this.#isChanged = true;
    this.cluster = { ...moved, availableUpgrades: offers.upgrades(moved, this.cluster.availableUpgrades, now) };
  }

  /** Offers what was released, if something was or the cluster changed; returns whether there is something new. */
  offer(offers: Offers, now: Instant, isReleased: boolean): boolean {
    if (!isReleased && !this.#isChanged) return false;
    this.#isChanged = false;
    const { cluster } = this;
    const availableUpgrades = offers.withReleased(cluster, now);
    if (availableUpgrades === cluster.availableUpgrades) return false;
    this.cluster = { ...cluster, availableUpgrades };
    return true;
  }
}
