import { describe, expect, it } from 'vitest';
import { soaked } from '../../../test/support/upgrade-facts.ts';
import { MICROS, soakOf } from '../../gates/index.ts';
import { inheritSoak } from './inherit-soak.ts';
import type { Ledger, Minima } from './ledger.ts';
import type { Version } from './versions.ts';

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
