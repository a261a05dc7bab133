import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { at, soaked } from '../../../test/support/upgrade-facts.ts';
import { later, MICROS, soakedBy, soakOf } from '../../gates/index.ts';
import { DEFAULT_RULES, QONTRACT_RULES } from './rules.ts';
import { EMPTY_LEDGER, inheritSoak, type Ledger, type Minima, type Observation, observe } from './soak.ts';
import type { Version } from './versions.ts';

const START = at('2024-03-01T00:00:00Z');
const CAP = DEFAULT_RULES.maxCreditedInterval;

function seen(name: string, version = '4.14.1', given: Partial<Observation> = {}): Observation {
  const uuid = `${name}-uuid` as Observation['uuid'];
  return { uuid, name, version: version as Version, workloads: ['wl'], healthy: true, ...given };
}

interface Look {
  readonly minutes: number;
  readonly clusters: readonly Observation[];
}

function lookAt(looks: readonly Look[], rules = DEFAULT_RULES, ledger: Ledger = EMPTY_LEDGER): Ledger {
  return looks.reduce(
    (before, { minutes, clusters }) => observe(before, clusters, later(START, minutes * MICROS.minute), rules),
    ledger,
  );
}

const minutesOf = (ledger: Ledger, version = '4.14.1', workload = 'wl'): number =>
  soakOf(ledger, version, workload) / MICROS.minute;

describe('soak that was observed', () => {
  it.each([
    { given: 'one look', looks: [[0, 'a']], minutes: 0 },
    {
      given: 'two looks',
      looks: [
        [0, 'a'],
        [10, 'a'],
      ],
      minutes: 10,
    },
    {
      given: 'the same look twice',
      looks: [
        [0, 'a'],
        [10, 'a'],
        [10, 'a'],
      ],
      minutes: 10,
    },
    {
      given: 'a gap that is longer than an hour',
      looks: [
        [0, 'a'],
        [600, 'a'],
      ],
      minutes: 60,
    },
    {
      given: 'a cluster that was away',
      looks: [
        [0, 'a'],
        [10, ''],
        [20, 'a'],
      ],
      minutes: 0,
    },
    {
      given: 'another cluster between',
      looks: [
        [0, 'a'],
        [10, 'b'],
        [20, 'a'],
      ],
      minutes: 0,
    },
    {
      given: 'a clock that steps back',
      looks: [
        [0, 'a'],
        [30, 'a'],
        [10, 'a'],
        [40, 'a'],
      ],
      minutes: 40,
    },
  ])('with $given is $minutes minutes', ({ looks, minutes }) => {
    const given = looks.map(([when, who]) => ({ minutes: Number(when), clusters: who ? [seen(String(who))] : [] }));
    expect(minutesOf(lookAt(given))).toBe(minutes);
  });

  it.each([
    { given: 'sick at the start', first: seen('a', '4.14.1', { healthy: false }), second: seen('a') },
    { given: 'sick at the end', first: seen('a'), second: seen('a', '4.14.1', { healthy: false }) },
    { given: 'of another version at the start', first: seen('a', '4.14.0'), second: seen('a') },
    { given: 'without the workload at the start', first: seen('a', '4.14.1', { workloads: ['x'] }), second: seen('a') },
    { given: 'of unknown workloads at the start', first: withoutWorkloads(seen('a')), second: seen('a') },
    { given: 'of that name, but another', first: seen('a'), second: { ...seen('b'), name: 'a' } },
  ])('is nothing for a cluster that is $given', ({ first, second }) => {
    const looks = [
      { minutes: 0, clusters: [first] },
      { minutes: 10, clusters: [second] },
    ];
    expect(minutesOf(lookAt(looks))).toBe(0);
  });

  it.each([
    { given: 'was sick at the check-in', at: 10, first: seen('a', '4.14.1', { healthy: false }) },
    { given: 'had another version at the check-in', at: 10, first: seen('a', '4.14.0') },
    { given: 'lacked the workload at the check-in', at: 10, first: seen('a', '4.14.1', { workloads: ['x'] }) },
    { given: 'was sick at the check-in of the same moment', at: 20, first: seen('a', '4.14.1', { healthy: false }) },
  ])('is nothing for a cluster that $given, whatever a look that comes late has seen', ({ at: late, first }) => {
    const looks = [
      { minutes: 20, clusters: [first] },
      { minutes: late, clusters: [seen('a')] },
      { minutes: 50, clusters: [seen('a')] },
    ];
    expect(minutesOf(lookAt(looks))).toBe(0);
    expect(minutesOf(lookAt([...looks, { minutes: 60, clusters: [seen('a')] }]))).toBe(10);
  });

  it('is nothing for a cluster that a look which comes late has seen sick', () => {
    const looks = [
      { minutes: 20, clusters: [seen('a')] },
      { minutes: 10, clusters: [seen('a', '4.14.1', { healthy: false })] },
      { minutes: 50, clusters: [seen('a')] },
    ];
    expect(minutesOf(lookAt(looks))).toBe(0);
  });

  it('counts a cluster that was found twice in one look once', () => {
    const clusters = [seen('a'), seen('a')];
    expect(minutesOf(lookAt([0, 10].map((minutes) => ({ minutes, clusters }))))).toBe(10);
  });

  it('counts a workload that is listed twice once, and clusters one by one', () => {
    const clusters = [seen('a', '4.14.1', { workloads: ['wl', 'wl'] }), seen('b')];
    expect(minutesOf(lookAt([0, 10].map((minutes) => ({ minutes, clusters }))))).toBe(20);
  });

  it('starts anew on a history of the existing scheduler, and keeps what that has', () => {
    const theirs = lookAt(
      [0, 60].map((minutes) => ({ minutes, clusters: [seen('a')] })),
      QONTRACT_RULES,
    );
    const first = lookAt([{ minutes: 70, clusters: [seen('a')] }], DEFAULT_RULES, theirs);
    const second = lookAt([{ minutes: 80, clusters: [seen('a')] }], DEFAULT_RULES, first);
    expect([theirs, first, second].map((ledger) => minutesOf(ledger))).toEqual([60, 60, 70]);
  });

  it('leaves the history that it starts from as it is', () => {
    const before = lookAt([0, 10].map((minutes) => ({ minutes, clusters: [seen('a')] })));
    const copy = structuredClone(before);
    lookAt([{ minutes: 20, clusters: [seen('a'), seen('b', '4.14.2')] }], DEFAULT_RULES, before);
    expect(before).toEqual(copy);
  });
});

/** Looks at one healthy cluster, every hour from one hour to another. */
const hourly = (from: number, to: number): Look[] =>
  Array.from({ length: to - from + 1 }, (_, hour) => ({ minutes: (from + hour) * 60, clusters: [seen('a')] }));

describe('a check-in in the future', () => {
  const AHEAD = 1000 * 60;
  const wrong = [...hourly(0, 2), { minutes: AHEAD, clusters: [seen('a')] }];

  it.each([
    { given: 'an hour less than a day', looks: hourly(3, 26), hours: 3, checkIn: AHEAD },
    { given: 'a day', looks: hourly(3, 27), hours: 3, checkIn: 27 * 60 },
    { given: 'a day and two hours', looks: hourly(3, 29), hours: 5, checkIn: 29 * 60 },
    {
      given: 'a day in two looks, between which anything may have happened',
      looks: [...hourly(3, 3), ...hourly(30, 30)],
      hours: 3,
      checkIn: AHEAD,
    },
    { given: 'a day, but stepped back', looks: [...hourly(3, 20), ...hourly(4, 27)], hours: 3, checkIn: AHEAD },
    { given: 'long enough to reach it', looks: hourly(995, 1002), hours: 5, checkIn: 1002 * 60 },
  ])('of a clock that was then seen right for $given', ({ looks, hours, checkIn }) => {
    const ledger = lookAt([...wrong, ...looks]);
    expect([minutesOf(ledger) / 60, ledger.checkIn]).toEqual([hours, later(START, checkIn * MICROS.minute)]);
  });

  it('credits nothing that was seen while it stood, to any cluster', () => {
    const looks = hourly(3, 27).map((look) => ({ ...look, clusters: [...look.clusters, seen('b')] }));
    const ledger = lookAt([...wrong, ...looks]);
    expect(minutesOf(ledger) / 60).toBe(3);
    expect(minutesOf(lookAt([looks.at(-1)!, ...hourly(28, 28)], DEFAULT_RULES, ledger)) / 60).toBe(4);
    const both = [{ minutes: 28 * 60, clusters: [seen('a'), seen('b')] }];
    expect(minutesOf(lookAt(both, DEFAULT_RULES, ledger)) / 60).toBe(5);
  });
});

describe('the lowest versions', () => {
  const clusters = [seen('a', '4.14.10'), seen('b', '4.14.9', { healthy: false, workloads: ['wl', 'x'] })];

  it('count sick clusters, and those whose workloads nobody knows', () => {
    expect(lookAt([{ minutes: 0, clusters: [...clusters, withoutWorkloads(seen('c', '4.13.1'))] }]).minima).toEqual({
      all: '4.13.1',
      perWorkload: new Map([
        ['wl', '4.14.9'],
        ['x', '4.14.9'],
      ]),
    });
  });

  it('stay when there is no cluster', () => {
    const before = lookAt([{ minutes: 0, clusters }]);
    expect(lookAt([{ minutes: 1, clusters: [] }], DEFAULT_RULES, before).minima).toEqual(before.minima);
  });
});

describe('soak as the existing scheduler counts it', () => {
  it('credits gaps, returns and steps of the clock', () => {
    const looks = [
      { minutes: 0, clusters: [seen('a')] },
      { minutes: 60, clusters: [seen('a', '4.14.2')] },
      { minutes: 600, clusters: [seen('a')] },
      { minutes: 590, clusters: [seen('a')] },
    ];
    expect(minutesOf(lookAt(looks, QONTRACT_RULES))).toBe(530);
  });
});

/** Looks at up to three clusters, at times that may go back. */
const VERSIONS = ['4.14.1', '4.14.2'] as Version[];
const LOOKS = fc.array(
  fc.record({
    minutes: fc.integer({ min: 0, max: 300 }),
    clusters: fc.subarray(['a', 'b', 'c']).chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc.record({
            uuid: fc.constant(`${name}-uuid` as Observation['uuid']),
            name: fc.constant(name),
            version: fc.constantFrom(...VERSIONS),
            workloads: fc.array(fc.constantFrom('wl', 'x'), { minLength: 1, maxLength: 3 }),
            healthy: fc.boolean(),
          }),
        ),
      ),
    ),
  }),
  { maxLength: 12 },
);

/** Passes of a clock that is right, except for a jump by days now and then, which lasts for some passes. */
const JUMPS = fc.array(
  fc.record({
    passes: fc.integer({ min: 1, max: 60 }),
    every: fc.integer({ min: 1, max: 90 }),
    jump: fc.oneof(fc.constant(0), fc.integer({ min: -60 * 24 * 60, max: 60 * 24 * 60 })),
  }),
  { minLength: 1, maxLength: 8 },
);

describe('U4: soak counts only observed healthy time, and none of it twice', () => {
  it('never falls, and never grows by more than the time that passed or an hour for each cluster', () => {
    holds(
      fc.property(LOOKS, (looks) => {
        let before: Ledger = EMPTY_LEDGER;
        for (const look of looks) {
          const after = lookAt([look], DEFAULT_RULES, before);
          const passed = (after.checkIn ?? START) - (before.checkIn ?? after.checkIn ?? START);
          for (const version of VERSIONS) {
            const grown = soakOf(after, version, 'wl') - soakOf(before, version, 'wl');
            expect(grown).toBeGreaterThanOrEqual(0);
            expect(grown).toBeLessThanOrEqual(Math.min(passed, CAP) * look.clusters.length);
          }
          before = after;
        }
      }),
    );
  });

  it('is for one cluster, over all versions, never more than the time between the first look and the last', () => {
    holds(
      fc.property(LOOKS, (looks) => {
        const alone = looks.map((look) => ({
          ...look,
          clusters: look.clusters.slice(0, 1).map((one) => ({ ...one, uuid: 'u' as Observation['uuid'] })),
        }));
        const ledger = lookAt(alone);
        const minutes = looks.map((look) => look.minutes);
        const total = VERSIONS.reduce((sum, version) => sum + minutesOf(ledger, version), 0);
        expect(total).toBeLessThanOrEqual(Math.max(0, Math.max(...minutes, 0) - (minutes[0] ?? 0)));
      }),
    );
  });

  it('is the sum over pairs of looks that both saw a cluster healthy on the version, and none between did not', () => {
    holds(
      fc.property(LOOKS, (looks) => {
        const ledger = lookAt(looks);
        for (const version of VERSIONS) expect(minutesOf(ledger, version)).toBe(sumOfPairs(looks, version));
      }),
    );
  });

  it('is, with a clock that jumps by days, never more than the time that truly passed and an hour for each jump', () => {
    holds(
      fc.property(JUMPS, (phases) => {
        let truly = 0;
        let ledger: Ledger = EMPTY_LEDGER;
        let [jumps, last] = [0, phases[0]?.jump];
        for (const { passes, every, jump } of phases) {
          if (jump !== last) jumps += 1;
          last = jump;
          for (let pass = 0; pass < passes; pass += 1) {
            truly += every;
            ledger = lookAt([{ minutes: truly + jump, clusters: [seen('a')] }], DEFAULT_RULES, ledger);
          }
        }
        expect(minutesOf(ledger)).toBeLessThanOrEqual(truly + jumps * 60);
      }),
    );
  });

  it('does not depend on the order in which clusters are seen', () => {
    holds(
      fc.property(LOOKS, (looks) => {
        const turned = looks.map((look) => ({ ...look, clusters: look.clusters.toReversed() }));
        expect(comparable(lookAt(turned))).toEqual(comparable(lookAt(looks)));
      }),
    );
  });
});

/** The definition, written without a history: seen at the last check-in, at what came late since, and now. */
function sumOfPairs(looks: readonly Look[], version: Version): number {
  let [sum, checkIn] = [0, 0];
  const isOn = ({ healthy, workloads, ...one }: Observation): boolean =>
    healthy && one.version === version && workloads?.includes('wl') === true;
  for (const [index, look] of looks.entries()) {
    const passed = look.minutes - (looks[checkIn]?.minutes ?? 0);
    if (passed <= 0) continue;
    const since = looks.slice(checkIn, index);
    const all = look.clusters.filter(
      (one) =>
        isOn(one) && since.every(({ clusters }) => clusters.some((other) => other.uuid === one.uuid && isOn(other))),
    );
    sum += Math.min(passed, CAP / MICROS.minute) * all.length;
    checkIn = index;
  }
  return sum;
}

/** Who reports is a set; who joined first is not of interest. */
function comparable(ledger: Ledger): unknown {
  const versions = [...ledger.versions].map(([version, workloads]) => [
    version,
    [...workloads].map(([workload, { micros, reporting }]) => [workload, micros, [...reporting].sort()]).sort(),
  ]);
  return { ...ledger, versions: versions.sort(), sightings: [...ledger.sightings].sort() };
}

function withoutWorkloads({ workloads: _, ...rest }: Observation): Observation {
  return rest;
}

describe('the arithmetic of soak, by the rules of the existing scheduler', () => {
  it.each([
    { intervals: 144, days: 1, theirs: 0.9999999999999974 },
    { intervals: 432, days: 3, theirs: 3.000000000000022 },
  ])('makes $intervals intervals of ten minutes $days days, there $theirs', ({ intervals, days, theirs }) => {
    const looks = Array.from({ length: intervals + 1 }, (_, nth) => ({ minutes: nth * 10, clusters: [seen('a')] }));
    expect(minutesOf(lookAt(looks, QONTRACT_RULES))).toBe(days * 24 * 60);
    let sum = 0;
    for (let nth = 0; nth < intervals; nth += 1) sum += 600 / 86_400;
    expect(sum).toBe(theirs);
  });
});

const minima = (all: string, perWorkload: Readonly<Record<string, string>>): Minima => ({
  all: all as Version,
  perWorkload: new Map(Object.entries(perWorkload as Readonly<Record<string, Version>>)),
});

describe('an inherited history', () => {
  const own: Ledger = { ...soaked({ '4.14.1': { wl: 1.5 } }), minima: minima('4.14.1', { wl: '4.14.1' }) };
  const other: Ledger = {
    ...soaked({ '4.14.1': { wl: 2.25, zz: 9 }, '4.14.2': { wl: 4 } }),
    minima: minima('4.13.9', { wl: '4.14.1', zz: '4.13.9' }),
  };
  const third: Ledger = { ...soaked({ '4.14.2': { wl: 0.5 } }), minima: minima('4.14.0', { wl: '4.14.0' }) };
  const merged = inheritSoak(own, [
    { scope: 'prod/o2', ledger: other },
    { scope: 'stage/o3', ledger: third },
  ]);
  const days = (ledger: Ledger, version: string, workload: string): number =>
    soakOf(ledger, version, workload) / MICROS.day;

  it('adds soak of workloads that the own history knows, and of no others', () => {
    expect(days(merged, '4.14.1', 'wl')).toBe(3.75);
    expect(days(merged, '4.14.2', 'wl')).toBe(4.5);
    expect(days(merged, '4.14.1', 'zz')).toBe(0);
  });

  it('has the lowest of the lowest versions', () => {
    expect(merged.inheritedMinima).toEqual(minima('4.13.9', { wl: '4.14.0', zz: '4.13.9' }));
    expect(merged.minima).toEqual(own.minima);
  });

  it('says where its reporters are', () => {
    const reporting = new Map([['wl', { micros: 0, reporting: new Set(['d1']) }]]);
    const source: Ledger = { ...other, versions: new Map([['4.14.1', reporting]]) };
    const { versions } = inheritSoak(own, [{ scope: 'prod/o2', ledger: source }]);
    expect([...(versions.get('4.14.1')?.get('wl')?.reporting ?? [])]).toEqual(['prod/o2/d1']);
  });

  it('has no floor before both sides have been observed', () => {
    const unobserved = soaked({ '4.14.1': { wl: 1 } });
    expect(inheritSoak(unobserved, [{ scope: 's', ledger: other }]).inheritedMinima).toBeUndefined();
    expect(inheritSoak(own, [{ scope: 's', ledger: unobserved }]).inheritedMinima).toBeUndefined();
  });

  it.each([{ scope: 's' }, { scope: 's', ledger: soaked({ '4.14.1': { wl: 1 } }) }])(
    'names a source that was never observed: %o',
    (source) => {
      const { unobservedSources, inheritedMinima } = inheritSoak(own, [source, { scope: 't', ledger: other }]);
      expect([unobservedSources, inheritedMinima]).toEqual([['s'], other.minima]);
      expect(inheritSoak(own, [{ scope: 't', ledger: other }]).unobservedSources).toBeUndefined();
    },
  );

  it('leaves the own history as it is', () => {
    expect(days(own, '4.14.1', 'wl')).toBe(1.5);
    expect(inheritSoak(own, [])).toBe(own);
  });
});

describe('when a version has soaked', () => {
  const soak = soaked({ '4.14.1': { done: 2, left: 0.5 } });

  it.each([
    { given: 'no reporter is left of what has soaked', workloads: ['done'], reporters: {}, after: 0 },
    { given: 'only one still has to soak', workloads: ['done', 'left'], reporters: { left: 1 }, after: 0.5 },
    { given: 'two clusters report it', workloads: ['left'], reporters: { left: 2 }, after: 0.25 },
    { given: 'nobody reports what has to soak', workloads: ['done', 'left'], reporters: { done: 3 }, after: undefined },
  ])('with a day required, and $given: after $after days', ({ workloads, reporters, after }) => {
    const soaking = (_: string, workload: string): number => (reporters as Record<string, number>)[workload] ?? 0;
    const at = soakedBy('4.14.1', workloads, MICROS.day, { soak, soaking, now: START });
    expect(at).toBe(after === undefined ? undefined : later(START, after * MICROS.day));
  });
});
