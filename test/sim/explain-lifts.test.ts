import { afterAll, describe, expect, it } from 'vitest';
import { UPGRADE_GATES } from '../../src/upgrades/engine/decide.ts';
import { type Lifts, liftAll } from '../support/explain-lifts.ts';
import { numberOf } from '../support/upgrade-simulation-check.ts';
import { Tally } from '../support/upgrade-simulation-tally.ts';

/** The same fleets in every run; `ECHELON_SEED` tries others, `make soak` a thousand or as many as wished. */
const FIRST_SEED = 1;
const FLEETS = 24;
const BATCH = 12;
const EXPLAINED = [...UPGRADE_GATES.keys(), 'policy', 'organization'];

describe('a cluster moves when what explain names is lifted, and not before', { timeout: 300_000 }, () => {
  const seed = numberOf('ECHELON_SEED', FIRST_SEED);
  const tally = new Tally();
  const batches = Array.from({ length: FLEETS / BATCH }, (_, index) => seed + index * BATCH);

  const count = (all: readonly Lifts[]): void => {
    tally.count('clusters', all.length);
    tally.count('clusters with several gates', all.filter((lifts) => new Set(lifts).size > 1).length);
    for (const gate of all.flat()) tally.count(gate);
  };

  it.each(batches)('in twelve fleets from seed %i on', async (first) => {
    for (let fleet = first; fleet < first + BATCH; fleet += 1) count(await liftAll(fleet));
  });

  /** Every gate was tried. */
  afterAll(() => {
    expect(EXPLAINED.filter((gate) => tally.of(gate) === 0)).toEqual([]);
    expect(tally.of('clusters with several gates')).toBeGreaterThan(FLEETS);
  });
});
