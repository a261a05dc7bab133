import { describe, expect, it } from 'vitest';
import { cluster } from '../../../test/support/upgrade-facts.ts';
import { laggingPool, versionsAhead } from './node-pools.ts';

const VERSION = '4.14.2';

describe('a node pool that is behind', () => {
  it.each([
    { given: 'none is', nodePools: ['4.14.2', '4.14.3'], pool: undefined },
    { given: 'two are', nodePools: ['4.14.2', '4.14.1', '4.14.0'], pool: 'np2' },
    { given: 'there are none', nodePools: [], pool: undefined },
  ])('is $pool when $given', ({ nodePools, pool }) => {
    expect(laggingPool(cluster('h', { version: VERSION, nodePools, hosted: true }))?.id).toBe(pool);
  });

  it('is nothing to a cluster that has its control plane itself', () => {
    expect(laggingPool(cluster('c', { version: VERSION, nodePools: ['4.14.1'], hosted: false }))).toBeUndefined();
  });

  it.each([
    { nodePools: ['4.14.1'], offered: ['4.14.3'], ahead: ['4.14.2', '4.14.3'] },
    { nodePools: ['4.14.1'], offered: ['4.14.3', '4.14.2'], ahead: ['4.14.3', '4.14.2'] },
    { nodePools: ['4.14.2'], offered: ['4.14.3'], ahead: ['4.14.3'] },
  ])('with $nodePools and $offered offered has $ahead ahead', ({ nodePools, offered, ahead }) => {
    expect(versionsAhead(cluster('h', { version: VERSION, nodePools, availableUpgrades: offered }))).toEqual(ahead);
  });
});
