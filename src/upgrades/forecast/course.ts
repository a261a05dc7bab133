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
export interface Course {
  readonly policy: ScheduledUpgrade;
  /** When the cluster has the version; never for one that nobody can foresee. */
  readonly endsAt: Instant | undefined;
  readonly goneAt: Instant | undefined;
}

/** An upgrade that the forecast foresees. */
export interface Foreseen {
  readonly clusterId: ClusterState['id'];
  readonly nodePool?: string;
  readonly from: Version;
  readonly version: Version;
  /** Absent for one that is scheduled already. */
  readonly decidedAt?: Instant;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

export interface CourseParts {
  readonly rules: Rules;
  readonly durations: Durations;
  readonly offers: Offers;
}

/** One organization as it goes on, if nobody interferes. The engine decides; this lets happen what it decided. */
export class OrganizationCourse {
  readonly origin: PlannedOrganization;
  readonly foreseen: Foreseen[] = [];
  readonly #parts: CourseParts;
  #facts: OrgFacts;
  #running: readonly Course[];
  #policies = 0;

  constructor(origin: PlannedOrganization, start: Instant, parts: CourseParts) {
    this.origin = origin;
    this.#parts = parts;
    this.#facts = origin.facts;
    this.#running = origin.facts.policies.map((policy) => this.#courseOf(policy, start));
    for (const course of this.#running) this.#foresee(course, undefined);
  }

  get facts(): OrgFacts {
    return this.#facts;
  }

  /** As the last pass stored it; undefined before the first one ever. */
  get ledger(): Ledger | undefined {
    return this.#facts.ledger.checkIn === undefined ? undefined : this.#facts.ledger;
  }

  /** The next time at which an upgrade ends, or a policy is no longer there. */
  nextEvent(after: Instant): Instant | undefined {
    const times = this.#running.flatMap(({ endsAt, goneAt }) => [endsAt, goneAt]);
    return times.filter((at) => at !== undefined && at > after).sort((a, b) => (a ?? 0) - (b ?? 0))[0];
  }

  /** Lets happen what is due; whether something did. */
  advance(now: Instant): boolean {
    const due = ({ endsAt }: Course): boolean => endsAt !== undefined && endsAt <= now;
    const ended = this.#running.filter((course) => course.policy.state !== 'completed' && due(course));
    for (const { policy } of ended) this.#finish(policy, now);
    const before = this.#running.length;
    this.#running = this.#running
      .filter(({ goneAt }) => goneAt === undefined || goneAt > now)
      .map((course) => (due(course) ? { ...course, policy: { ...course.policy, state: 'completed' } } : course));
    this.#facts = { ...this.#facts, policies: this.#running.map(({ policy }) => policy) };
    return ended.length > 0 || this.#running.length < before;
  }

  /** Offers what came out meanwhile. */
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

  /** Takes over what was decided. */
  carryOut({ plan, ledger }: Decision, now: Instant): void {
    this.#facts = { ...this.#facts, ledger };
    for (const item of plan) this.#carryOut(item, now);
    this.#facts = { ...this.#facts, policies: this.#running.map(({ policy }) => policy) };
  }

  #carryOut(item: PlanItem, now: Instant): void {
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
    const course = this.#courseOf(policy, now);
    this.#running = [...this.#running, course];
    this.#foresee(course, now);
  }

  #foresee({ policy, endsAt }: Course, decidedAt: Instant | undefined): void {
    const { clusterId, nodePool, version, nextRun } = policy;
    const from = this.#versionOf(policy);
    if (endsAt === undefined || nextRun === undefined || from === undefined || !isVersion(version)) return;
    if (policy.state === 'completed') return;
    this.foreseen.push({
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

  #courseOf(policy: ScheduledUpgrade, now: Instant): Course {
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
