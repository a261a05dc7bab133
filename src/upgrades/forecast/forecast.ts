import { defined } from '../../base/index.ts';
import { type Instant, later, MICROS } from '../../gates/index.ts';
import type { Decision } from '../engine/decide.ts';
import type { InheritedLedger, OrgFacts } from '../engine/facts.ts';
import { inheritSoak } from '../engine/inherit-soak.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { Rules } from '../engine/rules.ts';
import { inheritanceOrder } from '../policies/inheritance-order.ts';
import { type ClusterPlan, ORGANIZATION_STOPPED, organizationPlan } from '../scheduler/fleet-plan.ts';
import type { PlannedOrganization } from '../scheduler/plan-organization.ts';
import { assumptionsOf, DEFAULT_DURATIONS, type Durations } from './assumptions.ts';
import { groupsOf, scopeOf } from './groups.ts';
import { nextOpening, paceOf } from './next-pass.ts';
import { Offers, type Release } from './offers.ts';
import { type ForecastUpgrade, OrganizationTimeline } from './organization-timeline.ts';

export interface ForecastOptions {
  readonly from: Instant;
  readonly days: number;
  /** Between two passes, in microseconds. */
  readonly every: number;
  readonly rules: Rules;
  readonly durations?: Durations;
  readonly releases?: readonly Release[];
}

/** What a cluster waits for since some time. */
export interface Waiting extends Pick<ClusterPlan, 'action' | 'gate' | 'reason' | 'to'> {
  readonly since: Instant;
}

export interface ClusterForecast extends Pick<ClusterPlan, 'id' | 'uuid' | 'name' | 'version'> {
  readonly environment: string;
  readonly orgId: string;
  readonly organization: string;
  /** By start time. */
  readonly upgrades: readonly ForecastUpgrade[];
  /** By time; the state at the end is last. */
  readonly waiting: readonly Waiting[];
}

export interface Forecast {
  readonly from: Instant;
  readonly to: Instant;
  readonly assumptions: readonly string[];
  readonly clusters: readonly ClusterForecast[];
}

/** Which cluster gets which version when, if nothing else changes: the engine on a virtual clock. Pure. */
export function forecast(organizations: readonly PlannedOrganization[], options: ForecastOptions): Forecast {
  const { from, days, every, durations = DEFAULT_DURATIONS } = options;
  const to = later(from, days * MICROS.day);
  const offers = offersOf(organizations, options.releases ?? []);
  const clusters = groupsOf(organizations).flatMap((group) => groupForecast(group, to, offers, options));
  const order = new Map(organizations.map((organization, index) => [scopeOf(organization), index]));
  const place = ({ environment, orgId }: ClusterForecast): number => order.get(`${environment}/${orgId}`) ?? 0;
  return {
    from,
    to,
    assumptions: assumptionsOf(durations, every),
    clusters: clusters.sort((a, b) => place(a) - place(b)),
  };
}

type OffersOf = (environment: string) => Offers;

function offersOf(organizations: readonly PlannedOrganization[], releases: readonly Release[]): OffersOf {
  const byEnvironment = Map.groupBy(organizations, ({ environment }) => environment);
  const offers = new Map(
    [...byEnvironment].map(([environment, own]) => [
      environment,
      new Offers(
        own.flatMap(({ facts }) => [...facts.clusters, ...facts.held]),
        releases,
      ),
    ]),
  );
  return (environment) => offers.get(environment) ?? new Offers([], releases);
}

/** Organizations that share histories advance together, pass by pass; passes without any effect are skipped. */
function groupForecast(
  group: readonly PlannedOrganization[],
  to: Instant,
  offersIn: OffersOf,
  options: ForecastOptions,
): ClusterForecast[] {
  const { from, every, rules, durations = DEFAULT_DURATIONS } = options;
  const lives = inOrder(group).map((origin) => {
    const parts = { rules, durations, offers: offersIn(origin.environment) };
    return new Life(new OrganizationTimeline(origin, from, parts), parts.offers);
  });
  const ledgers = new Map(lives.map(({ timeline }) => [scopeOf(timeline.origin), timeline.ledger]));
  const perPass = Math.min(every, rules.maxCreditedInterval);
  let last = 0;
  for (let pass = 0; later(from, pass * every) <= to; ) {
    const now = later(from, pass * every);
    const credited = pass === 0 ? rules.maxCreditedInterval : perPass * (pass - last);
    for (const life of lives) {
      life.pass(now, credited, ledgers);
      ledgers.set(scopeOf(life.timeline.origin), life.timeline.ledger);
    }
    const opens = Math.min(...lives.map((life) => life.nextChange(now, ledgers, lives)));
    last = pass;
    pass = following(pass, (opens - from) / every);
  }
  return lives.flatMap((life) => life.result(to));
}

/** As the scheduler decides them: sources first. */
function inOrder(group: readonly PlannedOrganization[]): PlannedOrganization[] {
  const sources = group.map(({ orgId, spec }): [string, string[]] => [orgId, spec.inherit.map((each) => each.orgId)]);
  const { ranks } = inheritanceOrder(new Map(sources));
  return group.toSorted((a, b) => (ranks.get(a.orgId) ?? 0) - (ranks.get(b.orgId) ?? 0));
}

type Ledgers = ReadonlyMap<string, Ledger | undefined>;

/**
 * The pass in which something can happen, or the one before it: that one still sees clusters as they were, so that they
 * earn what they did until then, and leaves the histories that others read in the next.
 */
function following(pass: number, opens: number): number {
  return opens === Number.POSITIVE_INFINITY ? opens : Math.max(pass + 1, Math.ceil(opens) - 1);
}

/** One organization on the virtual clock, and its results. */
class Life {
  readonly timeline: OrganizationTimeline;
  readonly #offers: Offers;
  readonly #waiting = new Map<string, Waiting[]>();
  #last?: { readonly facts: OrgFacts; readonly decision: Decision; readonly changed: boolean };

  constructor(timeline: OrganizationTimeline, offers: Offers) {
    this.timeline = timeline;
    this.#offers = offers;
  }

  /** Runs one pass. */
  pass(now: Instant, credited: number, ledgers: Ledgers): void {
    const { timeline } = this;
    const changed = timeline.advance(now);
    timeline.offer(now);
    const decision = timeline.decide(now, credited, this.#inherited(ledgers));
    const { facts } = timeline;
    const { clusters, stopped } = organizationPlan({ ...timeline.origin, facts, decision, decidedAt: now });
    this.#note(stopped === undefined ? clusters : clusters.map((each) => withFault(each, stopped)), now);
    timeline.apply(decision, now);
    this.#last = { facts, decision, changed };
  }

  /**
   * The earliest time after its last pass at which another one can differ. In a circle some read a history only in their
   * next pass, so `ledgers` are those after the pass.
   */
  nextChange(now: Instant, ledgers: Ledgers, lives: readonly Life[]): number {
    if (this.#last === undefined) return now;
    const { facts, decision, changed } = this.#last;
    const never = Number.POSITIVE_INFINITY;
    const event = Math.min(this.timeline.nextEvent(now) ?? never, this.#offers.nextRelease(now) ?? never);
    if (changed && lives.length > 1) return now;
    if (decision.fault !== undefined) return event;
    if (decision.plan.some(({ action }) => action !== 'upgrade')) return now;
    const inherited = this.#inherited(ledgers);
    if (unobserved(facts.inherited) > unobserved(inherited)) return now;
    const soak = inheritSoak(decision.ledger, inherited);
    const soaking = paceOf(lives.map((life) => life.timeline.facts));
    return Math.min(event, nextOpening({ facts, decision, soak, soaking, now }));
  }

  #inherited(ledgers: Ledgers): InheritedLedger[] {
    const { spec, facts } = this.timeline.origin;
    const stored = new Map(facts.inherited.map(({ scope, ledger }) => [scope, ledger]));
    return spec.inherit.map((source) => {
      const scope = scopeOf(source);
      const ledger = ledgers.has(scope) ? ledgers.get(scope) : stored.get(scope);
      return { scope, ...defined({ ledger }) };
    });
  }

  #note(plans: readonly ClusterPlan[], now: Instant): void {
    for (const { id, action, gate, reason, to } of plans) {
      const known = this.#waiting.get(id) ?? [];
      this.#waiting.set(id, known);
      const before = known.at(-1);
      if (before?.action === action && before.gate === gate && before.to === to && before.reason === reason) continue;
      const entry = { since: now, action, reason, ...(gate && { gate }), ...(to && { to }) };
      if (before?.action === action && before.gate === gate && before.to === to)
        known[known.length - 1] = { ...entry, since: before.since };
      else known.push(entry);
    }
  }

  result(to: Instant): ClusterForecast[] {
    const { origin, upgrades } = this.timeline;
    const { environment, orgId, name: organization } = origin;
    const byCluster = Map.groupBy(upgrades, ({ clusterId }) => clusterId);
    return [...origin.facts.clusters, ...origin.facts.held].map(({ id, uuid, name, version }) => ({
      ...{ id, uuid, name, version, environment, orgId, organization },
      upgrades: (byCluster.get(id) ?? [])
        .filter(({ startsAt }) => startsAt <= to)
        .toSorted((a, b) => a.startsAt - b.startsAt),
      waiting: this.#waiting.get(id) ?? [],
    }));
  }
}

function unobserved(inherited: readonly InheritedLedger[]): number {
  return inherited.filter(({ ledger }) => ledger?.minima === undefined).length;
}

/** A forecast row is self-contained: it has the reason why its organization is stopped. */
function withFault(plan: ClusterPlan, fault: string): ClusterPlan {
  return plan.reason === ORGANIZATION_STOPPED ? { ...plan, reason: `${ORGANIZATION_STOPPED}: ${fault}` } : plan;
}
