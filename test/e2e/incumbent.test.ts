import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { secondText } from '../../src/gates/index.ts';
import { decide } from '../../src/upgrades/engine/decide.ts';
import { QONTRACT_RULES } from '../../src/upgrades/engine/rules.ts';
import { decideLikeIncumbent, incumbentMissing, incumbentPython } from '../support/incumbent.ts';
import { at, cluster, organization, policyOn, soaked } from '../support/upgrade-facts.ts';

const FLEETS = 200;
const SEED = 14;
const VERSIONS = ['4.14.1', '4.14.2', '4.14.10', '4.15.0', '4.15.3'];
const WORKLOADS = ['a', 'b'];
const SECTORS = [
  { name: 'early', dependencies: [] },
  { name: 'middle', dependencies: ['early'] },
  { name: 'late', dependencies: ['middle'] },
];
const GATE = { id: 'g', version_raw_id_prefix: '4.15', label: 'api.openshift.com/gate-ocp' };

const version = fc.nat(VERSIONS.length - 1);
const someCluster = fc.record({
  at: version,
  pool: fc.option(version),
  hosted: fc.boolean(),
  healthy: fc.boolean(),
  agreed: fc.boolean(),
  current: fc.boolean(),
  policy: fc.record({
    workloads: fc.subarray(WORKLOADS, { minLength: 1 }),
    schedule: fc.constantFrom('* * * * *', '0 12 * * *', '30 10,11 * * 1-5', '*/20 * 2 * *', '0 20 * * *'),
    soakDays: fc.nat(4),
    mutexes: fc.subarray(['m', 'n']),
    sector: fc.option(fc.constantFrom('early', 'middle', 'late')),
    blocked: fc.subarray(['^4\\.15\\.3$', '10']),
  }),
});
const someFleet = fc.record({
  minute: fc.nat(179),
  blocked: fc.subarray(['^4\\.14\\.2$']),
  gated: fc.boolean(),
  days: fc.array(fc.constantFrom(0, 0.5, 1.5, 3.5, 9.5), { minLength: 10, maxLength: 10 }),
  clusters: fc.array(someCluster, { minLength: 1, maxLength: 8 }),
});
type Drawn = typeof someFleet extends fc.Arbitrary<infer T> ? T : never;

/** The fleet in the words of both. A policy of a version that is blocked is left out: see docs/differences.md. */
function spoken(drawn: Drawn) {
  const now = new Date(Date.UTC(2026, 2, 2, 10, drawn.minute)).toISOString().replace('.000Z', 'Z');
  const days = Object.fromEntries(
    VERSIONS.map((each, v) => [each, Object.fromEntries(WORKLOADS.map((w, i) => [w, drawn.days[v * 2 + i] ?? 0]))]),
  );
  const clusters = drawn.clusters.map(({ at: index, pool, hosted, ...rest }, number) => ({
    ...{ id: `c${number}-id`, uuid: `c${number}-uuid`, name: `c${number}`, hosted, ...rest },
    version: VERSIONS[index] ?? '',
    upgrades: VERSIONS.slice(index + 1),
    pools: hosted && pool !== null ? [{ id: 'np', version: VERSIONS[Math.min(pool, index)] ?? '' }] : [],
    current: rest.current && !hosted ? { version: '4.16.0', nextRun: '2026-03-02T14:00:00Z' } : null,
  }));
  return { now, days, clusters, blocked: drawn.blocked, gates: drawn.gated ? [GATE] : [] };
}

type Fleet = ReturnType<typeof spoken>;

function forIncumbent({ days, ...fleet }: Fleet) {
  const versions = Object.entries(days).map(([each, workloads]) => [
    each,
    { workloads: Object.fromEntries(Object.entries(workloads).map(([w, soak_days]) => [w, { soak_days }])) },
  ]);
  const agreements = Object.fromEntries(fleet.clusters.map(({ id, agreed }) => [id, agreed ? ['g'] : []]));
  return { ...fleet, sectors: SECTORS, agreements, history: { versions: Object.fromEntries(versions) } };
}

function byEchelon({ now, days, clusters, blocked, gates }: Fleet) {
  const facts = organization({
    blockedVersions: blocked,
    sectors: SECTORS,
    clusters: clusters.map(({ name, version: each, upgrades, hosted, pools, healthy, policy }) => {
      const { sector, mutexes, blocked: own, ...rest } = policy;
      const served = cluster(name, {
        version: each,
        availableUpgrades: upgrades,
        policy: { ...rest, mutexes, blockedVersions: own, ...(sector === null ? {} : { sector }) },
        ...(healthy ? {} : { healthFault: 'e' }),
      });
      return {
        ...served,
        hosted,
        nodePools: pools.map((pool) => ({ id: pool.id, version: pool.version as typeof served.version })),
      };
    }),
    policies: clusters.flatMap(({ name, current }) =>
      current === null ? [] : [policyOn(name, { version: current.version, nextRun: at(current.nextRun) })],
    ),
    gates: gates.map(({ id, label, version_raw_id_prefix: prefix }) => ({ id, label, prefix })),
    agreements: new Map(clusters.map(({ name, agreed }) => [cluster(name).id, new Set(agreed ? ['g'] : [])])),
    ledger: soaked(days),
  });
  return decide(facts, at(now), QONTRACT_RULES).plan.map((item) =>
    item.action === 'upgrade'
      ? {
          ...{ action: 'create', cluster: item.clusterId, pool: item.nodePool ?? null },
          ...{ version: item.version, nextRun: secondText(item.nextRun) },
        }
      : item,
  );
}

const missing = incumbentMissing();

describe.skipIf(missing !== undefined)(`the published scheduler${missing === undefined ? '' : `: ${missing}`}`, () => {
  let python = '';
  beforeAll(async () => {
    python = await incumbentPython();
  });

  it(`decides the same as --rules qontract on ${FLEETS} fleets`, () => {
    const fleets = fc.sample(someFleet, { seed: SEED, numRuns: FLEETS }).map(spoken);
    const theirs = decideLikeIncumbent(python, fleets.map(forIncumbent));
    const different = fleets.flatMap((fleet, number) => {
      const ours = byEchelon(fleet);
      return JSON.stringify(ours) === JSON.stringify(theirs[number])
        ? []
        : [{ number, fleet, ours, theirs: theirs[number] }];
    });
    expect(different.slice(0, 2)).toEqual([]);
    const decisions = theirs.flat() as { pool: string | null; version: string }[];
    expect(decisions.length).toBeGreaterThan(FLEETS / 2);
    expect(decisions.some(({ pool }) => pool !== null)).toBe(true);
  });
});
