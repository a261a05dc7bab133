import type { CronDialect, Instant, SoakReadings } from '../../gates/index.ts';
import type { ClusterId } from '../policies/cluster-key.ts';
import type { OrgFacts, ScheduledUpgrade, VersionGate } from './facts.ts';
import type { Ledger } from './ledger.ts';
import { membersOf, sectorMembers } from './members.ts';
import { Occupancy } from './occupancy.ts';
import type { Rules } from './rules.ts';
import { type SectorFloor, sectorFloors } from './sector-floors.ts';
import { gatesByMinor } from './version-gates.ts';

/** What gates read; indexed once per pass, so that a gate costs the same in a fleet of any size. */
export interface Context {
  readonly facts: GateFacts;
  readonly now: Instant;
  readonly rules: Rules;
  readonly dialect: CronDialect;
  /** This organization's history plus the inherited ones. */
  readonly soak: SoakView;
  readonly policies: Pick<ReadonlyMap<ClusterId, readonly ScheduledUpgrade[]>, 'get'>;
  readonly gates: ReadonlyMap<string, readonly VersionGate[]>;
  readonly sectorFloor: SectorFloor;
  /** How many healthy clusters run a version under a workload now, inherited ones included: how fast it soaks. */
  readonly soaking: (version: string, workload: string) => number;
  readonly occupancy: Occupancy;
}

/** What gates read of a history. */
export interface SoakView extends Omit<Ledger, 'versions' | 'sightings' | 'minima'> {
  readonly versions: SoakReadings;
}

/** What gates read of the facts directly; everything else is indexed. */
export type GateFacts = Pick<OrgFacts, 'blockedVersions' | 'freezes' | 'agreements'>;

/** The context of a whole pass. */
export type FullContext = Context & { readonly facts: OrgFacts };

/** What stays the same during a pass, whichever cluster has its turn. */
export type PassContext = Omit<Context, 'occupancy'>;

export function contextOf(facts: OrgFacts, soak: Ledger, now: Instant, rules: Rules): FullContext {
  const members = membersOf(facts, rules);
  const inSectors = sectorMembers(members, rules);
  const policies = Map.groupBy(facts.policies, ({ clusterId }) => clusterId);
  const occupancy = new Occupancy(facts.sectors, inSectors, rules.mutexAcrossSectors);
  for (const member of members) if (policies.has(member.id)) occupancy.take(member);
  return {
    facts,
    now,
    rules,
    dialect: dialectOf(rules),
    soak,
    policies,
    gates: gatesByMinor(facts.gates),
    sectorFloor: sectorFloors(facts.sectors, inSectors),
    soaking: soakingClusters(facts, soak),
    occupancy,
  };
}

/** How schedules are read. */
export function dialectOf(rules: Rules): CronDialect {
  return rules.strictPolicies ? 'five-fields' : 'croniter';
}

/** Soak is inherited only for workloads that this organization's own history knows. */
function soakingClusters({ clusters, inherited }: OrgFacts, soak: Ledger): Context['soaking'] {
  const counts = new Map<string, Map<string, number>>();
  const healthy = clusters.filter(({ healthFault }) => healthFault === undefined);
  const own = healthy.map(({ version, policy: { workloads } }) => ({ version, workloads }));
  const known = inherited.length === 0 ? new Set<string>() : workloadsIn(soak);
  const seen = inherited.flatMap(({ ledger }) =>
    [...(ledger?.sightings.values() ?? [])].map(({ version, workloads }) => ({
      version,
      workloads: workloads.filter((workload) => known.has(workload)),
    })),
  );
  for (const { version, workloads } of [...own, ...seen]) {
    const perWorkload = counts.get(version) ?? new Map<string, number>();
    counts.set(version, perWorkload);
    for (const workload of new Set(workloads)) perWorkload.set(workload, (perWorkload.get(workload) ?? 0) + 1);
  }
  return (version, workload) => counts.get(version)?.get(workload) ?? 0;
}

function workloadsIn({ versions }: Ledger): ReadonlySet<string> {
  return new Set([...versions.values()].flatMap((workloads) => [...workloads.keys()]));
}
