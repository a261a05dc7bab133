import { afterAll, describe, expect, it } from 'vitest';
import { checkFleet, EXPECTED_EVENTS, firstSeed, numberOf } from '../support/upgrade-simulation-check.ts';
import { DAYS } from '../support/upgrade-simulation-draw.ts';
import { Tally } from '../support/upgrade-simulation-tally.ts';

/** Everything happens in the first two from the first seed on; `make soak` tries many more. */
const ENOUGH_FLEETS = 4;
const count = numberOf('ECHELON_FLEETS', ENOUGH_FLEETS);
const seed = firstSeed();
const seeds = Array.from({ length: count }, (_, index) => seed + index);

describe(`U1 to U5, X2 and liveness in ${count} fleets of ${DAYS} days`, { timeout: 300_000 }, () => {
  const tally = new Tally();

  it.each(seeds)('hold, whatever goes wrong (ECHELON_SEED=%i ECHELON_FLEETS=1)', async (each) => {
    await checkFleet(each, tally);
  });

  /** Everything that can go wrong did. */
  afterAll(() => {
    if (count >= ENOUGH_FLEETS) expect(EXPECTED_EVENTS.filter((what) => tally.of(what) === 0)).toEqual([]);
  });
});
