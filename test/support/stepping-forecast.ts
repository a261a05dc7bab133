import { defined } from '../../src/base/index.ts';
import { type Instant, later, MICROS } from '../../src/gates/index.ts';
import type { InheritedLedger, Ledger } from '../../src/upgrades/engine/soak.ts';
import { assumptionsOf, DEFAULT_DURATIONS } from '../../src/upgrades/forecast/assumptions.ts';
import type { ClusterForecast, Forecast, ForecastOptions } from '../../src/upgrades/forecast/forecast.ts';
import { Offers } from '../../src/upgrades/forecast/offers.ts';
import type { Waiting } from '../../src/upgrades/forecast/waiting-entries.ts';
import { inheritanceOrder } from '../../src/upgrades/policies/inheritance.ts';
import type { PlannedOrganization } from '../../src/upgrades/scheduler/plan-organization.ts';
import { type ClusterPlan, ORGANIZATION_STOPPED, organizationPlan } from '../../src/upgrades/views/plan.ts';
import { SteppedOrganization } from './stepped-organization.ts';

/**
 * The plainest forecast: one pass after the other, each of which observes and decides about everything with the engine as the
 * scheduler calls it, all organizations in the scheduler's order. What `forecast` gives must be the same.
 */
export function steppingForecast(organizations: readonly PlannedOrganization[], options: ForecastOptions): Forecast {
  const { from, days, every, rules, durations = DEFAULT_DURATIONS, releases = [] } = options;
  const to = later(from, days * MICROS.day);
  const offers = Map.groupBy(organizations, ({ environment }) => environment);
  const stepped = inOrder(organizations).map((origin) => {
    const known = (offers.get(origin.environment) ?? []).flatMap(({ facts }) => [...facts.clusters, ...facts.held]);
    return new SteppedOrganization(origin, from, { rules, durations, offers: new Offers(known, releases) });
  });
  const ledgers = new Map(stepped.map(({ origin, ledger }) => [scopeOf(origin), ledger]));
  const notes = new Map<string, Waiting[]>();
  for (let now = from; now <= to; now = later(now, every)) {
    for (const organization of stepped) {
      const { origin } = organization;
      organization.advance(now);
      organization.offer(now);
      const decision = organization.decide(now, inheritedBy(origin, ledgers));
      const plan = organizationPlan({ ...origin, facts: organization.facts, decision, decidedAt: now });
      for (const cluster of plan.clusters) note(notes, `${scopeOf(origin)}/${cluster.id}`, cluster, plan.stopped, now);
      organization.apply(decision, now);
      ledgers.set(scopeOf(origin), organization.ledger);
    }
  }
  const clusters = organizations.flatMap((origin) =>
    stepped.filter((each) => each.origin === origin).flatMap((each) => resultOf(each, to, notes)),
  );
  return { from, to, assumptions: assumptionsOf(durations, every), clusters };
}

function scopeOf({ environment, orgId }: { readonly environment: string; readonly orgId: string }): string {
  return `${environment}/${orgId}`;
}

function inOrder(organizations: readonly PlannedOrganization[]): PlannedOrganization[] {
  const sources = organizations.map(({ orgId, spec }): [string, string[]] => [
    orgId,
    spec.inherit.map((each) => each.orgId),
  ]);
  const { ranks } = inheritanceOrder(new Map(sources));
  return organizations.toSorted((a, b) => (ranks.get(a.orgId) ?? 0) - (ranks.get(b.orgId) ?? 0));
}

function inheritedBy(
  { spec, facts }: PlannedOrganization,
  ledgers: ReadonlyMap<string, Ledger | undefined>,
): InheritedLedger[] {
  const stored = new Map(facts.inherited.map(({ scope, ledger }) => [scope, ledger]));
  return spec.inherit.map((source) => {
    const scope = scopeOf(source);
    return { scope, ...defined({ ledger: ledgers.has(scope) ? ledgers.get(scope) : stored.get(scope) }) };
  });
}

/** An entry lasts as long as action, gate and target stay the same; its reason is the last one. */
function note(
  notes: Map<string, Waiting[]>,
  key: string,
  { action, gate, reason: short, to }: ClusterPlan,
  stopped: string | undefined,
  now: Instant,
): void {
  const reason = short === ORGANIZATION_STOPPED ? `${short}: ${stopped}` : short;
  const known = notes.get(key) ?? [];
  notes.set(key, known);
  const last = known.at(-1);
  const isSame = last?.action === action && last.gate === gate && last.to === to;
  const entry = { since: isSame ? last.since : now, action, reason, ...defined({ gate, to }) };
  if (isSame) known[known.length - 1] = entry;
  else known.push(entry);
}

function resultOf(
  { origin, upgrades }: SteppedOrganization,
  to: Instant,
  notes: ReadonlyMap<string, readonly Waiting[]>,
): ClusterForecast[] {
  const { environment, orgId, name: organization, facts } = origin;
  return [...facts.clusters, ...facts.held].map(({ id, uuid, name, version }) => ({
    ...{ id, uuid, name, version, environment, orgId, organization },
    upgrades: upgrades
      .filter(({ clusterId, startsAt }) => clusterId === id && startsAt <= to)
      .sort((a, b) => a.startsAt - b.startsAt),
    waiting: notes.get(`${scopeOf(origin)}/${id}`) ?? [],
  }));
}
