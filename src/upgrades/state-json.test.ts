import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { at } from '../../test/support/upgrade-facts.ts';
import { MICROS, soakOf } from '../gates/index.ts';
import { EMPTY_LEDGER, type Ledger } from './engine/soak.ts';
import type { Version } from './engine/versions.ts';
import type { ClusterUuid } from './policies/org-spec.ts';
import { ledgerOf, stateOf, stateShape } from './state-json.ts';

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
