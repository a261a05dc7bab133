import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createVitest } from 'vitest/node';
import { orderSeed } from './seeded-order.ts';
import { REPO } from './shared.ts';

describe('the seed of the order of tests', () => {
  it('is the one given', () => {
    expect(orderSeed('42', REPO)).toBe(42);
  });

  it.each(['x', '1.5'])('is not %s', (given) => {
    expect(() => orderSeed(given, REPO)).toThrow(`SEED is ${given}, which is not a whole number`);
  });

  it('is made of the commit, the same for the same one', () => {
    expect(orderSeed(undefined, REPO)).toBe(orderSeed('', REPO));
    expect(orderSeed(undefined, tmpdir())).toBe(0);
  });

  it('gives two orders of files for two seeds, and one order for one', async () => {
    const [first, second, again] = [await fileOrder(1), await fileOrder(2), await fileOrder(1)];
    expect(second).not.toEqual(first);
    expect(again).toEqual(first);
    expect(second.toSorted()).toEqual(first.toSorted());
  });

  it('orders the tests of a file, too', async () => {
    const vitest = await createVitest('test', { watch: false, root: REPO });
    await vitest.close();
    expect(vitest.config.sequence.shuffle).toBe(true);
  });
});

/** Files in the order in which the project's own configuration runs them. */
async function fileOrder(seed: number): Promise<string[]> {
  const vitest = await createVitest('test', { watch: false, root: REPO, sequence: { seed } });
  try {
    const Sequencer = vitest.config.sequence.sequencer;
    const sorted = await new Sequencer(vitest).sort(await vitest.globTestSpecifications());
    return sorted.map(({ moduleId }) => moduleId);
  } finally {
    await vitest.close();
  }
}
