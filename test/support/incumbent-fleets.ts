import * as fc from 'fast-check';

const VERSIONS = ['4.14.1', '4.14.2', '4.14.10', '4.15.0', '4.15.3', '4.16.0', '4.16.1'];
const WORKLOADS = ['a', 'b', 'c'];
const SECTORS = [
  { name: 'early', dependencies: [] },
  { name: 'middle', dependencies: ['early'] },
  { name: 'late', dependencies: ['middle', 'early'] },
];
const GATES = ['4.15', '4.16'].flatMap((version_raw_id_prefix) =>
  ['ocp', 'sts', 'ingress', 'of-tomorrow'].map((kind) => ({
    id: `${kind}-${version_raw_id_prefix}`,
    version_raw_id_prefix,
    label: `api.openshift.com/gate-${kind}`,
  })),
);
const GATE_IDS = GATES.map(({ id }) => id);
const START = Date.UTC(2026, 2, 2, 10);

const version = fc.nat(VERSIONS.length - 1);
const often = (): fc.Arbitrary<boolean> => fc.nat(4).map((n) => n > 0);
const rarely = (): fc.Arbitrary<boolean> => fc.nat(4).map((n) => n === 0);

/** What does not change while it is watched. */
const someMember = fc.record({
  hosted: fc.boolean(),
  sts: fc.boolean(),
  first: fc.nat(4),
  policy: fc.record({
    workloads: fc.subarray(WORKLOADS, { minLength: 1 }),
    schedule: fc.constantFrom<string>(
      '* * * * *',
      '* * * * *',
      '0 12 * * *',
      '30 10,11 * * 1-5',
      '*/20 * 2 * *',
      '0 20 * * *',
    ),
    soakDays: fc.constantFrom<number>(0, 0, 1, 2, 3, 7),
    mutexes: fc.subarray(['m', 'n'], { maxLength: 1 }),
    sector: fc.option(fc.constantFrom<string>('early', 'middle', 'late')),
    blocked: fc.subarray(['^4\\.15\\.3$', '10', '^4\\.16\\.']).map((all) => all.slice(0, 1)),
  }),
});

/** A cluster in one pass. */
const someMoment = fc.record({
  step: fc.constantFrom(0, 0, 0, 1),
  pool: fc.option(version, { freq: 3 }),
  healthy: often(),
  agreed: fc.oneof(fc.constant(GATE_IDS), fc.subarray(GATE_IDS)),
  current: fc.record({ version, hours: fc.constantFrom(-1, 3), ofPool: fc.boolean() }),
  isBusy: rarely(),
});

const someHistory = fc.array(fc.constantFrom(0, 0.4, 1.3, 3.7, 9.9), { minLength: 21, maxLength: 21 });
const someSource = fc.record({
  days: someHistory,
  lowest: fc.option(fc.record({ all: version, workloads: fc.subarray(WORKLOADS), each: version })),
});

const someFleet = fc.record({
  minute: fc.nat(179),
  /** Of the second, so that no sum of intervals is a whole number of days. */
  seconds: fc.integer({ min: 1, max: 59 }),
  gaps: fc.array(fc.constantFrom(7, 61, 613, 1471, 4327), { minLength: 5, maxLength: 5 }),
  blocked: fc.subarray(['^4\\.14\\.2$']),
  gates: fc.oneof(fc.constant<typeof GATES>([]), fc.subarray(GATES)),
  days: someHistory,
  sources: fc.array(someSource, { maxLength: 2 }),
  members: fc.array(fc.tuple(someMember, fc.array(someMoment, { minLength: 6, maxLength: 6 })), {
    minLength: 3,
    maxLength: 12,
  }),
});
type Drawn = typeof someFleet extends fc.Arbitrary<infer T> ? T : never;

export type IncumbentFleet = ReturnType<typeof spoken>;

/** Fleets of a seed, each watched for six passes, in the words of both schedulers. */
export function incumbentFleets(seed: number, count: number): IncumbentFleet[] {
  return fc.sample(someFleet, { seed, numRuns: count }).map(spoken);
}

function spoken(drawn: Drawn) {
  const times = [0, ...drawn.gaps].map((_, pass) => {
    const minutes = drawn.minute + drawn.gaps.slice(0, pass).reduce((sum, gap) => sum + gap, 0);
    return new Date(START + minutes * 60_000 + pass * drawn.seconds * 1000);
  });
  const check_in = textOf(new Date(START - 3_600_000));
  return {
    ...{ sectors: SECTORS, blocked: drawn.blocked, gates: drawn.gates },
    history: { check_in, versions: versionsOf(drawn.days, reportersOf(drawn)) },
    sources: drawn.sources.map(({ days, lowest }) => ({
      ...{ check_in, versions: versionsOf(days, ['x']) },
      ...(lowest === null
        ? {}
        : {
            stats: {
              min_version: VERSIONS[lowest.all],
              min_version_per_workload: Object.fromEntries(lowest.workloads.map((w) => [w, VERSIONS[lowest.each]])),
            },
          }),
    })),
    passes: times.map((time, pass) => ({
      now: textOf(time),
      clusters: drawn.members.map((member, number) => clusterAt(member, number, pass, time)),
    })),
  };
}

function textOf(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z');
}

function reportersOf({ members }: Drawn): string[] {
  return members.flatMap((_, number) => (number % 2 === 0 ? [`c${number}`] : []));
}

function versionsOf(days: readonly number[], reporting: readonly string[]) {
  return Object.fromEntries(
    VERSIONS.map((each, v) => [
      each,
      {
        workloads: Object.fromEntries(
          WORKLOADS.map((w, i) => [w, { soak_days: days[v * WORKLOADS.length + i] ?? 0, reporting: [...reporting] }]),
        ),
      },
    ]),
  );
}

function clusterAt([member, moments]: Drawn['members'][number], number: number, pass: number, time: Date) {
  const { hosted, sts, first, policy } = member;
  const steps = moments.slice(0, pass + 1).reduce((sum, { step }) => sum + step, 0);
  const index = Math.min(first + steps, VERSIONS.length - 1);
  const moment = moments[pass] as (typeof moments)[number];
  const { pool, healthy, agreed } = moment;
  const pools = hosted && pool !== null ? [{ id: 'np', version: VERSIONS[Math.min(pool, index)] ?? '' }] : [];
  const current = moment.isBusy ? moment.current : null;
  return {
    ...{
      id: `c${number}-id`,
      uuid: `c${number}-uuid`,
      name: `c${number}`,
      hosted,
      sts,
      healthy,
      agreed,
      policy,
      pools,
    },
    version: VERSIONS[index] ?? '',
    upgrades: VERSIONS.slice(index + 1),
    current:
      current === null
        ? null
        : {
            version: VERSIONS[current.version] ?? '',
            nextRun: textOf(new Date(time.getTime() + current.hours * 3_600_000)),
            pool: current.ofPool && pools.length > 0 ? 'np' : null,
          },
  };
}
