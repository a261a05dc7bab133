import { describe, expect, it } from 'vitest';
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
  it('R1 to R6, R8: every decision keeps the promises', () => {
    const counts = new Map<string, number>();
    for (const seed of seeds(5)) {
      const found = checkRollouts(seed);
      expect(found.violations.slice(0, 3), `seed ${seed}`).toEqual([]);
      for (const [what, count] of found.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    }
    for (const fault of FAULTS) expect(counts.get(`fault ${fault}`) ?? 0, fault).toBeGreaterThan(0);
    for (const what of ['moves forward', 'moves back', 'returns', 'passes halted', 'passes complete', 'shadows'])
      expect(counts.get(what) ?? 0, what).toBeGreaterThan(0);
  });

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
    const found = seeds(8).map((seed) => ({ seed, ...stopped(seed, action) }));
    expect(found.filter(({ isStopped }) => isStopped).length).toBeGreaterThan(4);
    expect(found.filter(({ violations }) => violations.length > 0)).toEqual([]);
    // With an old record the rollout goes on from there; everything else stops it.
    const went = action === 'stale record' ? [] : found.filter(({ isStopped, moved }) => isStopped && moved > 0);
    expect(went.map(({ seed, moved }) => `seed ${seed}: ${moved}`)).toEqual([]);
  });
});
