import { memoize } from '../../base/index.ts';
import type { CronDialect, Instant, SoakReadings } from '../../gates/index.ts';
import { GATE_LABELS, KNOWN_VERSION_GATES } from '../policies/fields.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import {
  membersOf,
  type OrgFacts,
  type ScheduledUpgrade,
  type ServedCluster,
  sectorMembers,
  type VersionGate,
} from './facts.ts';
import { Occupancy } from './mutexes.ts';
import type { Rules } from './rules.ts';
import { type SectorFloor, sectorFloors } from './sectors.ts';
import type { Ledger } from './soak.ts';
import { minorOf, type Version } from './versions.ts';

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
type GateFacts = Pick<OrgFacts, 'blockedVersions' | 'freezes' | 'agreements'>;

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

/** By the minor that they guard. */
export function gatesByMinor(gates: readonly VersionGate[]): ReadonlyMap<string, readonly VersionGate[]> {
  return Map.groupBy(gates, ({ prefix }) => prefix);
}

/** A minor's gates that need an agreement before the cluster may move to it. */
export function applicableGates(
  cluster: Pick<ServedCluster, 'version' | 'sts'>,
  minor: string,
  gates: ReadonlyMap<string, readonly VersionGate[]>,
): readonly VersionGate[] {
  const ofMinor = gates.get(minor);
  if (ofMinor === undefined || !isBelow(cluster.version, minor)) return [];
  return ofMinor.filter(({ label }) => KNOWN_VERSION_GATES.has(label) && (label !== GATE_LABELS.sts || cluster.sts));
}

function isBelow(version: Version, minor: string): boolean {
  const [major = 0, own = 0] = numbersOf(minorOf(version));
  const [wantedMajor = 0, wanted = 0] = numbersOf(minor);
  return major < wantedMajor || (major === wantedMajor && own < wanted);
}

const numbersOf = memoize(1_000, (minor): readonly number[] => minor.split('.').map(Number));
