import { type Instant, MICROS, parseInstant } from '../../src/gates/index.ts';
import type { HeldCluster, OrgFacts, ScheduledUpgrade, ServedCluster } from '../../src/upgrades/engine/facts.ts';
import { EMPTY_LEDGER } from '../../src/upgrades/engine/soak.ts';
import type { Ledger, Version } from '../../src/upgrades/index.ts';
import type { UpgradePolicy } from '../../src/upgrades/policies/org-spec.ts';

export interface GivenCluster extends Partial<Omit<ServedCluster, 'policy' | 'version' | 'nodePools'>> {
  readonly version?: string;
  readonly nodePools?: readonly string[];
  readonly policy?: Partial<UpgradePolicy>;
}

/** A cluster on 4.14.1 that may be upgraded at any time, without soak. */
export function cluster(name: string, given: GivenCluster = {}): ServedCluster {
  const { version = '4.14.1', nodePools = [], policy = {}, ...rest } = given;
  return {
    id: `${name}-id` as ServedCluster['id'],
    uuid: `${name}-uuid` as ServedCluster['uuid'],
    name,
    version: version as Version,
    availableUpgrades: ['4.14.2'],
    channel: 'stable',
    availableChannels: [],
    hosted: nodePools.length > 0,
    sts: false,
    nodePools: nodePools.map((each, index) => ({ id: `np${index + 1}`, version: each as Version })),
    state: 'ready',
    policy: { soakDays: 0, workloads: ['wl'], schedule: '* * * * *', ...policy },
    ...rest,
  };
}

export function held(name: string, given: GivenCluster & { readonly known?: HeldCluster['known'] } = {}): HeldCluster {
  const { known, ...rest } = given;
  const { policy, ...state } = cluster(name, rest);
  return { ...state, known: known ?? policy, held: 'its labels are wrong' };
}

/** An organization without sectors, gates, history or upgrades under way. */
export function organization(given: Partial<OrgFacts> = {}): OrgFacts {
  return {
    blockedVersions: [],
    freezes: [],
    sectors: [],
    clusters: [],
    held: [],
    problems: [],
    policies: [],
    gates: [],
    agreements: new Map(),
    ledger: EMPTY_LEDGER,
    inherited: [],
    ...given,
  };
}

export function policyOn(name: string, given: Partial<ScheduledUpgrade> = {}): ScheduledUpgrade {
  return {
    kind: 'cluster',
    clusterId: `${name}-id` as ServedCluster['id'],
    id: `${name}-policy`,
    version: '4.14.2',
    state: 'scheduled',
    nextRun: at('2024-03-01T11:00:00Z'),
    ours: false,
    ...given,
  };
}

export function at(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`${text} is no time`);
  return instant;
}

/** A history of days by version and workload, without reporters. */
export function soaked(days: Readonly<Record<string, Readonly<Record<string, number>>>>): Ledger {
  return {
    ...EMPTY_LEDGER,
    versions: new Map(
      Object.entries(days).map(([version, workloads]) => [
        version,
        new Map(
          Object.entries(workloads).map(([workload, each]) => [
            workload,
            { micros: each * MICROS.day, reporting: new Set<string>() },
          ]),
        ),
      ]),
    ),
  };
}
