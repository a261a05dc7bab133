import { describe, expect, it } from 'vitest';
import { foreseenAndHappened } from '../../../test/support/forecast-fleet.ts';

const SEEDS = 100;
const QUARTERS = [0, 1, 2, 3];

describe('promise: what is foreseen on day 0 happens, to the second, if nobody interferes', () => {
  it.each(QUARTERS)('for a quarter of a hundred small fleets (%i)', async (quarter) => {
    let upgrades = 0;
    for (let seed = quarter + 1; seed <= SEEDS; seed += QUARTERS.length) {
      const { foreseen, happened } = await foreseenAndHappened(seed, { days: 7, every: seed % 5 === 0 ? 60 : 120 });
      expect({ seed, upgrades: foreseen }).toEqual({ seed, upgrades: happened });
      upgrades += happened.length;
    }
    expect(upgrades).toBeGreaterThan(100);
  });

  it('with changes of channels, and a gate that nobody agrees to', async () => {
    const { foreseen, happened, world } = await foreseenAndHappened(3, { days: 10, every: 120, minors: true });
    expect([...world.state.clusters.all()].some(({ channel }) => channel === 'stable-4.15')).toBe(true);
    expect(foreseen).toEqual(happened);
  });
});
