import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { at } from '../../../test/support/upgrade-facts.ts';
import { type Instant, instantOf, MICROS, soakOf } from '../../gates/index.ts';
import { EMPTY_LEDGER, type Ledger } from '../engine/soak.ts';
import type { Version } from '../engine/versions.ts';
import type { ClusterId, ClusterUuid } from '../policies/org-spec.ts';
import { EMPTY_PAST } from './past.ts';
import type { Reservation } from './reservations.ts';
import { formatState, ledgerOf, type OrganizationState, parseState, stateOf, stateShape } from './state.ts';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const textOf = (state: OrganizationState): string => new TextDecoder().decode(formatState(state));

const instants: fc.Arbitrary<Instant> = fc.integer({ min: 0, max: 2_000_000_000 }).map((s) => instantOf(s * 1000));
const names = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__');
const versions = fc.constantFrom('4.18.1', '4.18.2', '4.19.0-rc.1').map((version) => version as Version);

const ledgers: fc.Arbitrary<Ledger> = fc.record(
  {
    behind: fc.record({ at: instants, micros: fc.integer({ min: 0, max: 86_400_000_000 }) }),
    checkIn: instants,
    versions: fc
      .array(fc.tuple(versions, fc.array(fc.tuple(names, fc.integer({ min: 0, max: 10 ** 12 }), fc.array(names)))))
      .map(
        (given) =>
          new Map(
            given.map(([version, workloads]) => [
              version,
              new Map(workloads.map(([name, micros, who]) => [name, { micros, reporting: new Set(who) }])),
            ]),
          ),
      ),
    sightings: fc
      .array(fc.tuple(names, fc.record({ version: versions, workloads: fc.array(names) })))
      .map((given) => new Map(given.map(([uuid, sighting]) => [uuid as ClusterUuid, sighting]))),
  },
  { requiredKeys: ['checkIn', 'versions', 'sightings'] },
);

const reservations: fc.Arbitrary<Reservation> = fc.record(
  {
    kind: fc.constantFrom('cluster', 'control_plane', 'node_pool'),
    clusterId: names.map((name) => name as ClusterId),
    nodePool: names,
    version: versions,
    nextRun: instants,
    at: instants,
    policyId: names,
  },
  { requiredKeys: ['kind', 'clusterId', 'version', 'nextRun', 'at'] },
);

const states: fc.Arbitrary<OrganizationState> = fc.record({
  ledger: ledgers,
  reservations: fc.uniqueArray(reservations, { selector: (each) => JSON.stringify(each) }),
  past: fc.record({
    clusters: fc
      .array(
        fc.tuple(names, fc.record({ name: names, versions: fc.array(fc.record({ version: names, since: instants })) })),
      )
      .map((given) => new Map(given.map(([uuid, past]) => [uuid as ClusterUuid, past]))),
    scheduled: fc.array(
      fc.record(
        {
          ...{ uuid: names.map((name) => name as ClusterUuid), name: names, version: versions, nodePool: names },
          ...{ at: instants, startsAt: instants },
        },
        { requiredKeys: ['uuid', 'name', 'version', 'at', 'startsAt'] },
      ),
    ),
  }),
});

describe('the stored form', () => {
  it('gives back what was stored, and the same bytes when it is stored again', () => {
    holds(
      fc.property(states, (state) => {
        const read = parseState(formatState(state), 'it');
        expect(read.ledger).toEqual(state.ledger);
        expect(read.past).toEqual(state.past);
        expect(new Set(read.reservations.map((each) => JSON.stringify(each)))).toEqual(
          new Set(parseState(formatState(state), 'it').reservations.map((each) => JSON.stringify(each))),
        );
        expect(read.reservations).toHaveLength(state.reservations.length);
        expect(textOf(read)).toBe(textOf(state));
      }),
    );
  });

  it('is read by the existing scheduler, and what that one writes is read', () => {
    const existing = {
      check_in: '2024-03-02T12:00:00Z',
      stats: { min_version: '4.13.1', min_version_per_workload: { wl: '4.13.1' } },
      versions: { '4.13.1': { workloads: { wl: { reporting: ['c1', 'c2'], soak_days: 2.5 } } } },
    };
    const read = parseState(bytes(existing), 'it');
    expect(read.ledger.checkIn).toBe(at('2024-03-02T12:00:00Z'));
    expect(read.reservations).toEqual([]);
    const { echelon: _, ...rest } = JSON.parse(textOf(read));
    expect(rest).toEqual(existing);
  });

  it('finds out every change of a single byte', () => {
    const state: OrganizationState = {
      ledger: {
        checkIn: at('2026-03-02T10:00:00Z'),
        versions: new Map([['4.18.3', new Map([['wl', { micros: 86_400_000_000, reporting: new Set(['u1']) }]])]]),
        sightings: new Map([['u1' as ClusterUuid, { version: '4.18.3' as Version, workloads: ['wl'] }]]),
      },
      reservations: [
        {
          kind: 'cluster',
          clusterId: 'c1' as ClusterId,
          version: '4.18.3',
          nextRun: at('2026-03-02T12:00:00Z'),
          at: at('2026-03-02T10:00:00Z'),
        },
      ],
      past: {
        clusters: new Map([
          ['u1' as ClusterUuid, { name: 'c', versions: [{ version: '4.18.3', since: at('2026-03-02T10:00:00Z') }] }],
        ]),
        scheduled: [],
      },
    };
    const whole = formatState(state);
    for (let place = 0; place < whole.length; place += 1) {
      const damaged = Uint8Array.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      expect(() => parseState(damaged, 'it'), `at ${place}`).toThrow(
        expect.objectContaining({ code: 'STATE_CORRUPT' }),
      );
    }
  });

  it.each([
    { given: 'nothing', text: '' },
    { given: 'half of it', text: '{"check_in":"2024-' },
    { given: 'a list', text: '[]' },
    { given: 'an empty text in JSON', text: '""' },
    { given: 'a time that is none', text: '{"check_in":"yesterday"}' },
    { given: 'a version that is none', text: '{"stats":{"min_version":"new","min_version_per_workload":{}}}' },
    {
      given: 'soak that is no number',
      text: '{"versions":{"4.1.1":{"workloads":{"w":{"soak_days":"1","reporting":[]}}}}}',
    },
    { given: 'an empty document', text: '{}' },
    { given: 'only versions', text: '{"versions":{}}' },
    {
      given: 'a format before the first',
      text: '{"versions":{},"echelon":{"format":0,"scheduled":[],"checksum":"x"}}',
    },
    { given: 'no checksum', text: '{"versions":{},"echelon":{"format":1,"scheduled":[]}}' },
  ])('refuses $given, and says where', ({ text }) => {
    const parse = (): unknown => parseState(new TextEncoder().encode(text), 'a/b in /state');
    expect(parse).toThrow(expect.objectContaining({ code: 'STATE_CORRUPT' }));
    expect(parse).toThrow('a/b in /state');
  });

  it.each([
    {
      given: 'that differs only in its number',
      text: '{"versions":{},"echelon":{"format":2,"scheduled":[],"checksum":"x"}}',
    },
    { given: 'of which nothing else is known', text: '{"echelon":{"format":7},"versions":[]}' },
  ])('of a later format, $given, asks for an update, and never for a deletion', ({ text }) => {
    const parse = (): unknown => parseState(new TextEncoder().encode(text), 'a/b in /state');
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'STATE_NEWER',
        message: expect.stringContaining('a/b in /state is from a newer Echelon'),
        hint: expect.stringMatching(/^update Echelon;(?!.*delete)/),
      }),
    );
  });

  it('is read without a check-in where Echelon itself has stored none', () => {
    const empty: OrganizationState = {
      ledger: { versions: new Map(), sightings: new Map() },
      reservations: [],
      past: EMPTY_PAST,
    };
    expect(parseState(formatState(empty), 'it')).toEqual(empty);
  });
});

const read = (state: unknown): Ledger => ledgerOf(stateShape.parse(state));

describe('a stored history', () => {
  it('is that of the existing scheduler', () => {
    const state = {
      check_in: '2024-03-02T12:00:00Z',
      stats: { min_version: '4.13.1', min_version_per_workload: { wl: '4.13.1' } },
      versions: { '4.13.1': { workloads: { wl: { reporting: ['c1', 'c2'], soak_days: 2.5 } } } },
    };
    const ledger = read(state);
    expect(soakOf(ledger, '4.13.1', 'wl')).toBe(2.5 * MICROS.day);
    expect(stateOf(ledger)).toEqual(state);
  });

  it('is empty where there is none', () => {
    expect(read({})).toEqual(EMPTY_LEDGER);
    expect(stateOf(EMPTY_LEDGER)).toEqual({ versions: {} });
  });

  it('keeps who was seen healthy, and not what is inherited', () => {
    const sighting = { version: '4.14.1' as Version, workloads: ['wl'] };
    const minima = { all: '4.13.0' as Version, perWorkload: new Map<string, Version>() };
    const ledger: Ledger = {
      ...EMPTY_LEDGER,
      checkIn: at('2024-03-01T00:00:00.000001Z'),
      sightings: new Map([['u1' as ClusterUuid, sighting]]),
      inheritedMinima: minima,
    };
    const state = stateOf(ledger);
    expect(state).toEqual({ check_in: '2024-03-01T00:00:00.000001Z', healthy: { u1: sighting }, versions: {} });
    expect(read(state).sightings).toEqual(ledger.sightings);
  });

  it('is written with its keys in order, whatever order they came in', () => {
    const versions = { b: { workloads: {} }, a: { workloads: {} } };
    expect(Object.keys(stateOf(read({ versions })).versions)).toEqual(['a', 'b']);
  });

  it('keeps every microsecond of a thousand clusters in twenty days', () => {
    holds(
      fc.property(fc.integer({ min: 0, max: 1_000 * 20 * MICROS.day }), (micros) => {
        const versions = new Map([['4.14.1', new Map([['wl', { micros, reporting: new Set<string>() }]])]]);
        const again = read(JSON.parse(JSON.stringify(stateOf({ ...EMPTY_LEDGER, versions }))));
        expect(soakOf(again, '4.14.1', 'wl')).toBe(micros);
      }),
    );
  });

  it.each([
    { check_in: 'yesterday' },
    { versions: { '4.14.1': {} } },
    { versions: { '4.14.1': { workloads: { wl: { reporting: [], soak_days: '1' } } } } },
    { stats: { min_version: 'x', min_version_per_workload: {} } },
    null,
    'null',
  ])('is not %j', (state) => {
    expect(stateShape.safeParse(state).success).toBe(false);
  });
});
