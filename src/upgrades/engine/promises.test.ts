import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import {
  type Fleet,
  type FleetCluster,
  type FleetOrganization,
  factsOf,
  fleets,
  knownClusters,
  NOW,
  SCHEDULES,
} from '../../../test/support/upgrade-fleet.ts';
import { type Instant, instantText, MICROS, millisecondsOf, soakOf } from '../../gates/index.ts';
import { clusterKey, PREFIX } from '../policies/label-keys.ts';
import type { KnownPolicy } from '../policies/org-spec.ts';
import type { Upgrade } from './choose.ts';
import { decide } from './decide.ts';
import type { HeldCluster, OrgFacts, ServedCluster } from './facts.ts';
import { DEFAULT_RULES, RULE_NAMES, type Rules, rulesWith } from './rules.ts';
import { compareVersions, type Version } from './versions.ts';

type Any = ServedCluster | HeldCluster;

const policyOf = (one: Any): KnownPolicy => ('policy' in one ? one.policy : one.known);

interface Scheduled {
  readonly facts: OrgFacts;
  readonly upgrades: readonly (Upgrade & { readonly cluster: ServedCluster })[];
}

/** What is decided for the first organization of a fleet. */
function schedule(fleet: Fleet, rules: Rules = DEFAULT_RULES): Scheduled {
  const facts = factsOf(fleet, fleet.organizations[0]!.id);
  const upgrades = decide(facts, NOW, rules).plan.flatMap((item) =>
    item.action === 'upgrade' ? [{ ...item, cluster: facts.clusters.find(({ id }) => id === item.clusterId)! }] : [],
  );
  return { facts, upgrades };
}

const RUNS = { numRuns: 300 };

describe('U1: a blocked version is never scheduled', () => {
  it('neither for a cluster nor for a node pool, and one of ours that waits is cancelled', () => {
    holds(
      fc.property(fleets(), (fleet) => {
        const { facts, upgrades } = schedule(fleet);
        const isBlocked = (one: Any, version: string): boolean =>
          [...facts.blockedVersions, ...(policyOf(one).blockedVersions ?? [])].some((p) => new RegExp(p).test(version));
        for (const { cluster, version } of upgrades) expect(isBlocked(cluster, version)).toBe(false);
        const waiting = facts.policies.filter(({ ours, state, nextRun, clusterId, version }) => {
          const one = knownClusters(facts).find(({ id }) => id === clusterId)!;
          return ours && ['pending', 'scheduled'].includes(state) && nextRun! > NOW && isBlocked(one, version);
        });
        const cancelled = decide(facts, NOW, DEFAULT_RULES).plan.flatMap((item) =>
          item.action === 'cancel' ? [item.policyId] : [],
        );
        expect(cancelled).toEqual(waiting.map(({ id }) => id));
      }),
      RUNS,
    );
  });
});

describe('U2: never more upgrades at once than declared', () => {
  it('per mutex, or per sector and mutex', () => {
    holds(
      fc.property(fleets(), (fleet) => {
        const { facts, upgrades } = schedule(fleet);
        const started = new Set<string>(upgrades.map(({ clusterId }) => clusterId));
        const busy = new Set<string>(facts.policies.map(({ clusterId }) => clusterId));
        for (const mutex of ['m1', 'm2']) {
          const sharing = knownClusters(facts).filter((one) => policyOf(one).mutexes?.includes(mutex));
          const running = sharing.filter(({ id }) => started.has(id) || busy.has(id));
          if (!running.some(({ id }) => started.has(id)) || running.length === 1) continue;
          const [sector, ...others] = new Set(running.map((one) => policyOf(one).sector));
          const limit = facts.sectors.find(({ name }) => name === sector)?.maxParallelUpgrades;
          expect(others, `${mutex} is held within one sector`).toEqual([]);
          expect(limit, `${mutex} is shared only where a limit allows it`).toBeDefined();
          const size = sharing.filter((one) => policyOf(one).sector === sector).length;
          expect(running.length).toBeLessThanOrEqual(mostOf(limit!, size));
        }
      }),
      RUNS,
    );
  });

  /** Half of an odd number goes to the even neighbour. */
  function mostOf(limit: string, size: number): number {
    if (limit !== '50%') return Number(limit);
    const half = Math.floor(size / 2);
    return Math.max(1, size % 2 === 1 && half % 2 === 1 ? half + 1 : half);
  }
});

describe('U3: no cluster overtakes a dependency', () => {
  it('with the workload, as far as dependencies reach', () => {
    holds(
      fc.property(fleets(), (fleet) => {
        const { facts, upgrades } = schedule(fleet);
        for (const { cluster, version } of upgrades.filter(({ kind }) => kind !== 'node_pool')) {
          const { sector, workloads } = cluster.policy;
          const before = workloads.flatMap((workload) => checkpoints(facts, sector, workload));
          expect(before.filter((each) => compareVersions(each, version) < 0)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  function checkpoints(facts: OrgFacts, name: string | undefined, workload: string): Version[] {
    const sector = facts.sectors.find((each) => each.name === name);
    return (sector?.dependencies ?? []).flatMap((dependency) => {
      const there = knownClusters(facts).filter(
        (one) => policyOf(one).sector === dependency && policyOf(one).workloads?.includes(workload),
      );
      return there.length > 0 ? there.map(({ version }) => version) : checkpoints(facts, dependency, workload);
    });
  }
});

describe('U4: soak is at least what is declared', () => {
  it('under every workload of the cluster', () => {
    holds(
      fc.property(fleets(), (fleet) => {
        const { facts, upgrades } = schedule(fleet);
        const { ledger } = decide(facts, NOW, DEFAULT_RULES);
        for (const { cluster, version, kind } of upgrades) {
          if (kind === 'node_pool') continue;
          for (const workload of cluster.policy.workloads)
            expect(soakOf(ledger, version, workload)).toBeGreaterThanOrEqual(cluster.policy.soakDays * MICROS.day);
        }
      }),
      RUNS,
    );
  });
});

describe('U7: no upgrade is scheduled in a freeze, or starts in one', () => {
  const hours = fc.integer({ min: -180, max: 180 }).map((minutes) => minutes * MICROS.minute);
  const spans = fc
    .array(fc.tuple(hours, hours), { maxLength: 3 })
    .map((pairs) =>
      pairs.filter(([a, b]) => a !== b).map(([a, b]) => [NOW + Math.min(a, b), NOW + Math.max(a, b)] as const),
    );
  const texts = (all: readonly (readonly [number, number])[]): string[] =>
    all.map(([from, until]) => `${instantText(from as Instant)}/${instantText(until as Instant)}=quarter end`);

  function frozen(fleet: Fleet, ofAll: Parameters<typeof texts>[0], ofOne: Parameters<typeof texts>[0]) {
    const free = factsOf(fleet, fleet.organizations[0]!.id);
    const [first, ...others] = free.clusters;
    const frozenOne = first && { ...first, policy: { ...first.policy, freezes: texts(ofOne) } };
    const clusters = frozenOne === undefined ? [] : [frozenOne, ...others];
    return { free, facts: { ...free, clusters, freezes: texts(ofAll) }, first: first?.id };
  }

  it('of the organization or of the cluster; the existing rules know none', () => {
    let stopped = 0;
    holds(
      fc.property(fleets(), spans, spans, (fleet, ofAll, ofOne) => {
        const { free, facts, first } = frozen(fleet, ofAll, ofOne);
        const [plan, before] = [facts, free].map((each) => decide(each, NOW, DEFAULT_RULES).plan);
        const upgrades = plan!.filter((item) => item.action === 'upgrade');
        const spansOf = (id: string) => (id === first ? [...ofAll, ...ofOne] : ofAll);
        const forbidden = upgrades.filter(({ clusterId, nextRun }) =>
          spansOf(clusterId).some(([from, until]) => from <= nextRun && until > NOW),
        );
        expect(forbidden).toEqual([]);
        stopped += plan!.length < before!.length ? 1 : 0;
        expect(decide(facts, NOW, rulesWith([])).plan).toEqual(decide(free, NOW, rulesWith([])).plan);
      }),
      RUNS,
    );
    expect(stopped).toBeGreaterThan(0);
  });
});

describe('U5: no upgrade outside its schedule', () => {
  it('and none sooner than OCM accepts', () => {
    holds(
      fc.property(fleets(), (fleet) => {
        for (const { cluster, nextRun } of schedule(fleet).upgrades) {
          const said = SCHEDULES.find(({ text }) => text === cluster.policy.schedule);
          expect(said?.matches(new Date(millisecondsOf(nextRun)))).toBe(true);
          expect(nextRun - NOW).toBeGreaterThanOrEqual(5 * MICROS.minute);
          expect(nextRun - NOW).toBeLessThanOrEqual(2 * MICROS.hour);
        }
      }),
      RUNS,
    );
  });
});

/** Labels that are wrong, while workloads, sector and mutexes can still be read. */
const BAD_LABELS: readonly (readonly [key: string, value: string])[] = [
  [clusterKey('soakDays'), '-1'],
  [clusterKey('soakDays'), 'many'],
  [clusterKey('schedule'), 'H H * * *'],
  [clusterKey('schedule'), '0 0 30 2 *'],
  [clusterKey('blockedVersions'), '['],
  [clusterKey('blockedVersions'), 'a,'],
];

describe('U6: what is wrong with one never changes what is decided for another', () => {
  const changed = (fleet: Fleet, index: number, change: (one: FleetCluster) => FleetCluster): Fleet => {
    const [first, ...rest] = fleet.organizations;
    const clusters = first!.clusters.map((one, at) => (at === index % first!.clusters.length ? change(one) : one));
    return { ...fleet, organizations: [{ ...first!, clusters }, ...rest] };
  };

  it('cluster: the others are decided as if it had good labels, but were not ready', () => {
    holds(
      fc.property(fleets(), fc.nat(), fc.constantFrom(...BAD_LABELS), (fleet, index, [key, value]) => {
        const bad = changed(fleet, index, (one) => ({ ...one, labels: { ...one.labels, [key]: value } }));
        const away = changed(fleet, index, (one) => ({ ...one, state: 'hibernating' }));
        const spoilt = bad.organizations[0]!.clusters.find(({ labels }) => labels[key] === value)!;
        const [one, other] = [bad, away].map((each) => {
          const { plan, ...rest } = decide(factsOf(each, each.organizations[0]!.id), NOW, DEFAULT_RULES);
          return { ...rest, plan: plan.filter(({ clusterId }) => clusterId !== spoilt.id) };
        });
        expect(one).toEqual(other);
      }),
      RUNS,
    );
  });

  it('cluster: one whose workloads cannot be read lets nobody pass that it held back before', () => {
    holds(
      fc.property(fleets(), fc.nat(), (fleet, index) => {
        const bad = changed(fleet, index, (one) => ({
          ...one,
          labels: { ...one.labels, [clusterKey('workloads')]: '' },
        }));
        const away = changed(fleet, index, (one) => ({ ...one, state: 'hibernating' }));
        const [held, before] = [bad, away].map((each) => openSectors(each));
        for (const each of held!) expect(before).toContain(each);
      }),
      RUNS,
    );
  });

  /** Candidates that the gate of sectors lets pass. */
  function openSectors(fleet: Fleet): string[] {
    return decide(factsOf(fleet, fleet.organizations[0]!.id), NOW, DEFAULT_RULES).verdicts.flatMap(
      ({ clusterId, candidates }) =>
        candidates
          .filter(({ verdicts }) => verdicts.some(({ gate, ok }) => gate === 'sector' && ok))
          .map(({ version }) => `${clusterId} ${version}`),
    );
  }

  it('organization: others are decided the same', () => {
    const garbage = fc.dictionary(
      fc.constantFrom('blocked-versions', 'sector-deps.dev', 'sector-max-parallel-upgrades.dev', 'soak-days', 'x'),
      fc.constantFrom('', ',', '[', 'dev', 'abc', '-1', '%'),
    );
    holds(
      fc.property(fleets({ maxOrganizations: 3, maxClusters: 4 }), garbage, (fleet, wrong) => {
        const labels = Object.fromEntries(Object.entries(wrong).map(([key, value]) => [PREFIX + key, value]));
        const spoil = (one: FleetOrganization): FleetOrganization => ({
          ...one,
          labels: { ...one.labels, ...labels },
          clusters: one.clusters.map((cluster) => ({ ...cluster, labels: { ...cluster.labels, ...labels } })),
        });
        const [first, ...others] = fleet.organizations;
        const spoilt = { ...fleet, organizations: [spoil(first!), ...others] };
        for (const { id } of others)
          expect(decide(factsOf(spoilt, id), NOW, DEFAULT_RULES)).toEqual(
            decide(factsOf(fleet, id), NOW, DEFAULT_RULES),
          );
        expect(() => decide(factsOf(spoilt, first!.id), NOW, DEFAULT_RULES)).not.toThrow();
      }),
    );
  });

  it('organization: a circle of sectors stops only its own', () => {
    holds(
      fc.property(fleets(), (fleet) => {
        const [first, ...rest] = fleet.organizations;
        const labels = { ...first!.labels, [`${PREFIX}sector-deps.dev`]: 'dev' };
        const { plan, fault } = decide(
          factsOf({ ...fleet, organizations: [{ ...first!, labels }, ...rest] }, first!.id),
          NOW,
          DEFAULT_RULES,
        );
        expect(plan).toEqual([]);
        expect(fault).toContain('dependency cycle between sectors: dev → dev');
      }),
      { numRuns: 20 },
    );
  });
});

describe('X2: the same facts give the same decision and the same explanation', () => {
  const RULES = fc.subarray([...RULE_NAMES]).map(rulesWith);

  it('whatever was decided before, and whatever the rules', () => {
    holds(
      fc.property(fleets(), fleets(), RULES, (fleet, other, rules) => {
        const facts = factsOf(fleet, fleet.organizations[0]!.id);
        const before = decide(facts, NOW, rules);
        schedule(other);
        expect(decide(structuredClone(facts), NOW, rules)).toEqual(before);
      }),
    );
  });

  it('in whatever order labels come', () => {
    const turned = <Value>(labels: Readonly<Record<string, Value>>): Record<string, Value> =>
      Object.fromEntries(Object.entries(labels).reverse());
    holds(
      fc.property(fleets(), (fleet) => {
        const [first] = fleet.organizations;
        const clusters = first!.clusters.map((one) => ({ ...one, labels: turned(one.labels) }));
        const other = { ...fleet, organizations: [{ ...first!, labels: turned(first!.labels), clusters }] };
        const [one, two] = [fleet, other].map((each) => decide(factsOf(each, first!.id), NOW, DEFAULT_RULES));
        expect(one).toEqual(two);
      }),
    );
  });
});

describe('the fleets of these tests', () => {
  it('have upgrades of every kind, cancellations, and clusters that wait for every gate', () => {
    const found = fc.sample(fleets(), { seed: 1, numRuns: 400 }).flatMap((fleet) => {
      const { plan, verdicts } = decide(factsOf(fleet, fleet.organizations[0]!.id), NOW, DEFAULT_RULES);
      const done = plan.map((item) => (item.action === 'upgrade' ? item.kind : item.action));
      return [...done, ...verdicts.flatMap(({ waitsFor }) => waitsFor ?? [])];
    });
    expect([...new Set<string>(found)].sort()).toEqual([
      ...['available', 'blocked', 'busy', 'cancel', 'cluster', 'control_plane', 'health', 'mutex', 'node_pool'],
      ...['schedule', 'sector', 'soak', 'switch-channel', 'version-gate'],
    ]);
  });
});
