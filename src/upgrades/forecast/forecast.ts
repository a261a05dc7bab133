import { defined } from '../../base/index.ts';
import { type Instant, later, MICROS } from '../../gates/index.ts';
import type { Rules } from '../engine/rules.ts';
import type { InheritedLedger } from '../engine/soak.ts';
import { inheritanceOrder } from '../policies/inheritance.ts';
import type { ClusterPlan } from '../views/plan.ts';
import { assumptionsOf, DEFAULT_DURATIONS, type Durations } from './assumptions.ts';
import type { ForecastOrganization } from './forecast-organization.ts';
import { groupsOf, scopeOf } from './groups.ts';
import { Offers, type Release } from './offers.ts';
import { OrganizationLife } from './organization-life.ts';
import { Outcomes } from './outcomes.ts';
import { fixedSource } from './soak-source.ts';
import type { ForecastUpgrade } from './upgrade-runs.ts';
import { versionRanks } from './version-ranks.ts';
import { type Waiting, WaitingEntries } from './waiting-entries.ts';

export interface ForecastOptions {
  readonly from: Instant;
  readonly days: number;
  /** Between two passes, in microseconds. */
  readonly every: number;
  readonly rules: Rules;
  readonly durations?: Durations;
  readonly releases?: readonly Release[];
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

/**
 * Which cluster gets which version when, if nothing else changes: the engine on a virtual clock. The same as a pass after the
 * other would give, without the passes and clusters for which nothing can differ. Pure.
 */
export function forecast(organizations: readonly ForecastOrganization[], options: ForecastOptions): Forecast {
  const { from, days, every, rules, durations = DEFAULT_DURATIONS, releases = [] } = options;
  const to = later(from, days * MICROS.day);
  const offersIn = offersOf(organizations, releases);
  const ranks = versionRanks(organizations, releases);
  const [outcomesOf, entries] = [outcomesByGates(), new WaitingEntries()];
  const byScope = new Map<string, ClusterForecast[]>();
  for (const group of groupsOf(organizations)) {
    const lives = inOrder(group).map((origin) => {
      const [offers, outcomes] = [offersIn(origin.environment), outcomesOf(origin)];
      return new OrganizationLife(origin, { from, every, rules, durations, ranks, offers, outcomes, entries });
    });
    const last = Math.floor((to - from) / every);
    live(lives, last);
    for (const life of lives) byScope.set(scopeOf(life.origin), life.result(to, last));
  }
  return {
    from,
    to,
    assumptions: assumptionsOf(durations, every),
    clusters: organizations.flatMap((organization) => byScope.get(scopeOf(organization)) ?? []),
  };
}

/** What is decided depends on the gates, not on the organization. */
function outcomesByGates(): (organization: ForecastOrganization) => Outcomes {
  const byGates = new Map<ForecastOrganization['decision']['gates'], Outcomes>();
  return ({ decision: { gates } }) => {
    const outcomes = byGates.get(gates) ?? new Outcomes();
    byGates.set(gates, outcomes);
    return outcomes;
  };
}

type OffersOf = (environment: string) => Offers;

function offersOf(organizations: readonly ForecastOrganization[], releases: readonly Release[]): OffersOf {
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

/** As the scheduler decides them: sources first. */
function inOrder(group: readonly ForecastOrganization[]): ForecastOrganization[] {
  const sources = group.map(({ orgId, spec }): [string, string[]] => [orgId, spec.inherit.map((each) => each.orgId)]);
  const { ranks } = inheritanceOrder(new Map(sources));
  return group.toSorted((a, b) => (ranks.get(a.orgId) ?? 0) - (ranks.get(b.orgId) ?? 0));
}

/** Organizations that share histories, from the first pass to the last. */
function live(lives: readonly OrganizationLife[], last: number): void {
  const from = wholePasses(lives, last);
  if (from > last) return;
  const places = new Map(lives.map((life, place) => [scopeOf(life.origin), { life, place }]));
  for (const [place, life] of lives.entries()) {
    const inherited = life.inherited().map(({ scope, ledger }) => {
      const known = places.get(scope);
      if (known === undefined) return { scope, lag: 0 as const, source: fixedSource(defined({ ledger })) };
      const lag = known.place < place ? (0 as const) : (1 as const);
      return { scope, lag, source: known.life.source, life: known.life };
    });
    life.skipFromHere(inherited);
  }
  for (;;) {
    const pass = Math.min(...lives.map(({ next }) => next));
    if (pass > last) return;
    for (const life of lives) if (life.next <= pass) life.pass(pass);
  }
}

/** Runs all passes until every history grows regularly; returns the first pass that may be skipped. */
function wholePasses(lives: readonly OrganizationLife[], last: number): number {
  const ledgers = new Map(lives.map((life) => [scopeOf(life.origin), life.ledger]));
  const canSkip = lives.every((life) => life.canSkip);
  for (let pass = 0; pass <= last; pass += 1) {
    let isRegular = true;
    for (const life of lives) {
      const inherited = life.inherited().map(
        ({ scope, ledger: stored }): InheritedLedger => ({
          scope,
          ...defined({ ledger: ledgers.has(scope) ? ledgers.get(scope) : stored }),
        }),
      );
      isRegular = life.wholePass(pass, inherited) && isRegular;
      ledgers.set(scopeOf(life.origin), life.ledger);
    }
    if (canSkip && isRegular) return pass + 1;
  }
  return last + 1;
}
