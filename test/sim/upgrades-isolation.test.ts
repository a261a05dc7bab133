import { describe, expect, it } from 'vitest';
import { firstSeed, numberOf } from '../support/upgrade-simulation-check.ts';
import { ISOLATION_DAYS, influenceOfBadLabels } from '../support/upgrade-simulation-isolation.ts';

/** `make soak` tries many more. */
const FLEETS = numberOf('ECHELON_FLEETS', 2);
const seeds = Array.from({ length: FLEETS }, (_, index) => firstSeed() + index);

describe(`U6 in ${FLEETS} fleets of ${ISOLATION_DAYS} days: bad labels`, () => {
  it.each(seeds)('change nothing for others (ECHELON_SEED=%i ECHELON_FLEETS=1)', async (seed) => {
    expect(await influenceOfBadLabels(seed)).toEqual([]);
  });
});
