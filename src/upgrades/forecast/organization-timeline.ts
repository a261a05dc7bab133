import { defined } from '../../base/index.ts';
import { type Instant, later } from '../../gates/index.ts';
import { type Decision, decide } from '../engine/decide.ts';
import type { ClusterState, HeldCluster, InheritedLedger, OrgFacts, ScheduledUpgrade } from '../engine/facts.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { ChannelSwitch, PlanItem, Upgrade } from '../engine/plan.ts';
import type { Rules } from '../engine/rules.ts';
import { isVersion, type Version } from '../engine/versions.ts';
import type { PlannedOrganization } from '../scheduler/plan-organization.ts';
import type { Durations } from './assumptions.ts';
import type { Offers } from './offers.ts';

/** An upgrade on the virtual clock. */
interface UpgradeRun {
  readonly policy: ScheduledUpgrade;
  /** When the cluster has the version; undefined when that cannot be forecast. */
  readonly endsAt: Instant | undefined;
  readonly goneAt: Instant | undefined;
}

/** An upgrade in a forecast. */
export interface ForecastUpgrade {
  readonly clusterId: ClusterState['id'];
  readonly nodePool?: string;
  readonly from: Version;
  readonly version: Version;
  /** Absent for one that is scheduled already. */
  readonly decidedAt?: Instant;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

interface TimelineParts {
  readonly rules: Rules;
  readonly durations: Durations;
  readonly offers: Offers;
}

/** One organization on a virtual clock. The engine decides; this applies its decisions. */
export class OrganizationTimeline {
  readonly origin: PlannedOrganization;
  readonly upgrades: ForecastUpgrade[] = [];
  readonly #parts: TimelineParts;
  #facts: OrgFacts;
  #running: readonly UpgradeRun[];
  #policies = 0;

  constructor(origin: PlannedOrganization, start: Instant, parts: TimelineParts) {
    this.origin = origin;
    this.#parts = parts;
    this.#facts = origin.facts;
    this.#running = origin.facts.policies.map((policy) => this.#runOf(policy, start));
    for (const run of this.#running) this.#forecast(run, undefined);
  }

  get facts(): OrgFacts {
    return this.#facts;
  }

  /** As stored by the last pass; undefined before the first one. */
  get ledger(): Ledger | undefined {
    return this.#facts.ledger.checkIn === undefined ? undefined : this.#facts.ledger;
  }

  /** The next time at which an upgrade ends, or a policy disappears. */
  nextEvent(after: Instant): Instant | undefined {
    const times = this.#running.flatMap(({ endsAt, goneAt }) => [endsAt, goneAt]);
    return times.filter((at) => at !== undefined && at > after).sort((a, b) => (a ?? 0) - (b ?? 0))[0];
  }

  /** Applies everything that is due; returns whether anything changed. */
  advance(now: Instant): boolean {
    const due = ({ endsAt }: UpgradeRun): boolean => endsAt !== undefined && endsAt <= now;
    const ended = this.#running.filter((run) => run.policy.state !== 'completed' && due(run));
    for (const { policy } of ended) this.#finish(policy, now);
    const before = this.#running.length;
    this.#running = this.#running
      .filter(({ goneAt }) => goneAt === undefined || goneAt > now)
      .map((run) => (due(run) ? { ...run, policy: { ...run.policy, state: 'completed' } } : run));
    this.#facts = { ...this.#facts, policies: this.#running.map(({ policy }) => policy) };
    return ended.length > 0 || this.#running.length < before;
  }

  /** Offers versions released since. */
  offer(now: Instant): void {
    const { offers } = this.#parts;
    this.#change((cluster) => ({ ...cluster, availableUpgrades: offers.withReleased(cluster, now) }));
  }

  /** Observes and decides with the engine. `credited` is the most that this observation may credit. */
  decide(now: Instant, credited: number, inherited: readonly InheritedLedger[]): Decision {
    this.#facts = { ...this.#facts, inherited };
    const rules = { ...this.#parts.rules, maxCreditedInterval: credited };
    return decide(this.#facts, now, rules, this.origin.decision.gates);
  }

  /** Applies a decision. */
  apply({ plan, ledger }: Decision, now: Instant): void {
    this.#facts = { ...this.#facts, ledger };
    for (const item of plan) this.#apply(item, now);
    this.#facts = { ...this.#facts, policies: this.#running.map(({ policy }) => policy) };
  }

  #apply(item: PlanItem, now: Instant): void {
    if (item.action === 'upgrade') this.#schedule(item, now);
    else if (item.action === 'switch-channel') this.#switch(item, now);
    else this.#running = this.#running.filter(({ policy }) => policy.id !== item.policyId);
  }

  #switch({ clusterId, to }: ChannelSwitch, now: Instant): void {
    const { offers } = this.#parts;
    this.#change((cluster) => {
      if (cluster.id !== clusterId) return cluster;
      const moved = { ...cluster, channel: to };
      return { ...moved, availableUpgrades: offers.upgrades(moved, cluster.availableUpgrades, now) };
    });
  }

  #schedule({ kind, clusterId, version, nextRun, nodePool }: Upgrade, now: Instant): void {
    this.#policies += 1;
    const policy: ScheduledUpgrade = {
      ...{ kind, clusterId, version, nextRun, state: 'scheduled', ours: true },
      id: `forecast-${this.#policies}`,
      ...defined({ nodePool }),
    };
    const run = this.#runOf(policy, now);
    this.#running = [...this.#running, run];
    this.#forecast(run, now);
  }

  #forecast({ policy, endsAt }: UpgradeRun, decidedAt: Instant | undefined): void {
    const { clusterId, nodePool, version, nextRun } = policy;
    const from = this.#versionOf(policy);
    if (endsAt === undefined || nextRun === undefined || from === undefined || !isVersion(version)) return;
    if (policy.state === 'completed') return;
    this.upgrades.push({
      ...{ clusterId, from, version, startsAt: nextRun, endsAt },
      ...defined({ nodePool, decidedAt }),
    });
  }

  #versionOf({ clusterId, nodePool }: ScheduledUpgrade): Version | undefined {
    const cluster = this.#cluster(clusterId);
    return nodePool === undefined ? cluster?.version : cluster?.nodePools.find(({ id }) => id === nodePool)?.version;
  }

  #cluster(id: ClusterState['id']): ClusterState | undefined {
    return [...this.#facts.clusters, ...this.#facts.held].find((cluster) => cluster.id === id);
  }

  #runOf(policy: ScheduledUpgrade, now: Instant): UpgradeRun {
    const { durations } = this.#parts;
    const { state, nextRun, version, kind, clusterId } = policy;
    if (OVER.has(state)) return { policy, endsAt: undefined, goneAt: later(now, durations.lingering) };
    const canEnd = this.#cluster(clusterId)?.state === 'ready' && isVersion(version);
    if (nextRun === undefined || !canEnd) return { policy, endsAt: undefined, goneAt: undefined };
    const endsAt = Math.max(later(nextRun, durations[kind]), now) as Instant;
    return { policy, endsAt, goneAt: later(endsAt, durations.lingering) };
  }

  #finish({ clusterId, nodePool, version }: ScheduledUpgrade, now: Instant): void {
    if (!isVersion(version)) return;
    const { offers } = this.#parts;
    this.#change((cluster) => {
      if (cluster.id !== clusterId) return cluster;
      if (nodePool !== undefined) {
        const nodePools = cluster.nodePools.map((pool) => (pool.id === nodePool ? { ...pool, version } : pool));
        return { ...cluster, nodePools };
      }
      const upgraded = { ...cluster, version };
      return {
        ...upgraded,
        availableUpgrades: offers.upgrades(upgraded, cluster.availableUpgrades, now),
        availableChannels: offers.channels(version, cluster.availableChannels),
      };
    });
  }

  #change(change: <Cluster extends ClusterState>(cluster: Cluster) => Cluster): void {
    const { clusters, held } = this.#facts;
    this.#facts = {
      ...this.#facts,
      clusters: clusters.map(change),
      held: held.map((each: HeldCluster) => change(each)),
    };
  }
}

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
