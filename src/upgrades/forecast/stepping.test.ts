import { describe, expect, it } from 'vitest';
import { differenceToStepping } from '../../../test/support/odd-fleet.ts';
import { numberOf } from '../../../test/support/upgrade-simulation-check.ts';

/** The same fleets in every run; `ECHELON_SEED` tries others, `make soak` a thousand. */
const FIRST_SEED = 1;
const FLEETS = 15;
const PASSES = 140;

describe('promise: a forecast is the same as one that goes pass by pass and decides about everything', () => {
  it(`for ${FLEETS} odd fleets`, () => {
    const first = numberOf('ECHELON_SEED', FIRST_SEED);
    for (let seed = first; seed < first + FLEETS; seed += 1) {
      const difference = differenceToStepping(seed, PASSES);
      expect({ seed, forecast: difference?.given }).toEqual({ seed, forecast: difference?.expected });
    }
  });
});
