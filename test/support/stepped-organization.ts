import { defined } from '../../src/base/index.ts';
import { type Instant, later } from '../../src/gates/index.ts';
import type { ChannelSwitch, PlanItem, Upgrade } from '../../src/upgrades/engine/choose.ts';
import { type Decision, decide } from '../../src/upgrades/engine/decide.ts';
import type { ClusterState, HeldCluster, OrgFacts, ScheduledUpgrade } from '../../src/upgrades/engine/facts.ts';
import type { Rules } from '../../src/upgrades/engine/rules.ts';
import type { InheritedLedger, Ledger } from '../../src/upgrades/engine/soak.ts';
import { isVersion, type Version } from '../../src/upgrades/engine/versions.ts';
import type { Durations } from '../../src/upgrades/forecast/assumptions.ts';
import type { Offers } from '../../src/upgrades/forecast/offers.ts';
import type { ForecastUpgrade } from '../../src/upgrades/forecast/upgrade-runs.ts';
import type { PlannedOrganization } from '../../src/upgrades/scheduler/plan-organization.ts';

/** An upgrade on the virtual clock. */
interface UpgradeRun {
  readonly policy: ScheduledUpgrade;
  /** When the cluster has the version; undefined when that cannot be forecast. */
  readonly endsAt: Instant | undefined;
  readonly goneAt: Instant | undefined;
}

interface TimelineParts {
  readonly rules: Rules;
  readonly durations: Durations;
  readonly offers: Offers;
}

/** One organization on a virtual clock. The engine decides; this applies its decisions. */
export class SteppedOrganization {
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

  /** Applies everything that is due. */
  advance(now: Instant): void {
    const due = ({ endsAt }: UpgradeRun): boolean => endsAt !== undefined && endsAt <= now;
    const ended = this.#running.filter((run) => run.policy.state !== 'completed' && due(run));
    for (const { policy } of ended) this.#finish(policy, now);
    this.#running = this.#running
      .filter(({ goneAt }) => goneAt === undefined || goneAt > now)
      .map((run) => (due(run) ? { ...run, policy: { ...run.policy, state: 'completed' } } : run));
    this.#facts = { ...this.#facts, policies: this.#running.map(({ policy }) => policy) };
  }

  /** Offers versions released since. */
  offer(now: Instant): void {
    const { offers } = this.#parts;
    this.#change((cluster) => ({ ...cluster, availableUpgrades: offers.withReleased(cluster, now) }));
  }

  /** Observes and decides with the engine. */
  decide(now: Instant, inherited: readonly InheritedLedger[]): Decision {
    this.#facts = { ...this.#facts, inherited };
    return decide(this.#facts, now, this.#parts.rules, this.origin.decision.gates);
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
