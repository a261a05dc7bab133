import { describe, expect, it } from 'vitest';
import { memoize } from '../../src/base/index.ts';
import {
  beforeForecast,
  checkRollouts,
  forecastAndHappened,
  liftedGates,
  stopped,
  unevenHistory,
} from '../support/rollout-check.ts';
import { BRAKES, FAULTS } from '../support/rollout-simulation.ts';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, at) => 1_000 + at);

describe('rollouts with everything that can go wrong', () => {
  const lived = memoize(1, () => seeds(5).map((seed) => ({ seed, ...checkRollouts(seed) })));

  it.each([
    { number: 'R1', tried: ['moves forward', 'fault expedite', 'fault shard added', 'fault target changes'] },
    { number: 'R2', tried: ['passes complete', 'fault clock jump', 'fault unseen', 'fault metrics down'] },
    { number: 'R3', tried: ['returns', 'passes halted', 'fault reject', 'fault resume', 'fault stale record'] },
    { number: 'R4', tried: ['moves forward', 'moves back'] },
    { number: 'R5', tried: ['fault pin', 'fault unpin', 'fault edit by hand', 'fault delete the track'] },
    { number: 'R6', tried: ['fault crash', 'fault lost answer', 'fault two managers', 'fault lost record'] },
    { number: 'R7', tried: ['passes of kept facts', 'fault pause', 'fault two managers'] },
    { number: 'R8', tried: ['shadows', 'fault shadow removed', 'fault accept the shadow'] },
  ])('$number: every decision keeps the promise, with $tried', ({ number, tried }) => {
    const isOf = (violation: string): boolean => number === 'R6' || violation.includes(`: ${number}: `);
    const broken = lived('').flatMap(({ seed, violations }) => violations.filter(isOf).map((one) => `${seed}: ${one}`));
    expect(broken.slice(0, 3)).toEqual([]);
    for (const what of tried) expect(countOf(what), what).toBeGreaterThan(0);
  });

  it('R6: everything that can happen did', () => {
    for (const fault of FAULTS) expect(countOf(`fault ${fault}`), fault).toBeGreaterThan(0);
  });

  function countOf(what: string): number {
    return lived('').reduce((sum, { counts }) => sum + (counts.get(what) ?? 0), 0);
  }

  it('R7: what is forecast at the start happens when nothing goes wrong', () => {
    for (const seed of seeds(6)) {
      const { forecast, happened } = forecastAndHappened(seed);
      expect(happened, `seed ${seed}`).toEqual(forecast);
      expect(Object.keys(happened), `seed ${seed}`).toContain('complete');
    }
  });

  it('R7: with accidents nothing begins before its forecast', () => {
    for (const seed of seeds(3)) expect(beforeForecast(seed), `seed ${seed}`).toEqual([]);
  });

  it('with accidents every step is in the history once', () => {
    for (const seed of seeds(4)) expect(unevenHistory(seed), `seed ${seed}`).toEqual([]);
  });

  it('explain names what holds a shard: once it is lifted, the shard moves', () => {
    const gates = new Set<string>();
    for (const seed of seeds(5)) {
      const found = liftedGates(seed);
      expect(found.stuck, `seed ${seed}`).toEqual([]);
      for (const gate of found.gates) gates.add(gate);
    }
    expect([...gates].sort()).toEqual(
      expect.arrayContaining(['halted', 'parallel', 'paused', 'pinned', 'rejected', 'shadow', 'wave']),
    );
  });

  it.each(BRAKES)('D2: %s in mid-rollout opens no gate', (action) => {
    const found = seeds(5).map((seed) => ({ seed, ...stopped(seed, action) }));
    expect(found.filter(({ isStopped }) => isStopped).length).toBeGreaterThan(2);
    expect(found.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(found.filter(({ went }) => went > 0)).toEqual([]);
  });
});
