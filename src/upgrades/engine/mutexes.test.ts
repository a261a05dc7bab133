import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { defined } from '../../base/index.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import { type MutexMember, Occupancy, parallelLimit } from './mutexes.ts';

function member(name: string, sector: string | undefined, ...mutexes: string[]): MutexMember {
  const id = `${name}-id` as ClusterId;
  return { id, name, mutexes: [...mutexes, id], ...defined({ sector }) };
}

const LIMITED = [
  { name: 's', dependencies: [], maxParallelUpgrades: '50%' },
  { name: 'free', dependencies: [] },
];
const FOUR = ['a', 'b', 'c', 'd'].map((name) => member(name, 's', 'm'));

function obstacle(running: readonly MutexMember[], asking: MutexMember, acrossSectors = true): string | undefined {
  const occupancy = new Occupancy(LIMITED, FOUR, acrossSectors);
  for (const each of running) occupancy.take(each);
  return occupancy.obstacle(asking)?.reason;
}

describe('what is in the way of an upgrade', () => {
  it.each([
    { given: 'nothing is running', running: [], asking: member('x', undefined, 'm'), reason: undefined },
    {
      given: 'the mutex is held',
      running: [member('y', undefined, 'm')],
      asking: member('x', undefined, 'm'),
      reason: 'mutex m is held by y',
    },
    {
      given: 'another mutex is held',
      running: [member('y', undefined, 'n')],
      asking: member('x', undefined, 'm'),
      reason: undefined,
    },
    {
      given: 'it is held in a sector',
      running: [member('y', 'free', 'm')],
      asking: member('x', 'free', 'm'),
      reason: 'mutex m is held by y',
    },
    {
      given: 'it is running itself',
      running: [member('x', undefined)],
      asking: member('x', undefined),
      reason: 'the cluster itself is being upgraded',
    },
  ])('when $given: $reason', ({ running, asking, reason }) => {
    expect(obstacle(running, asking)).toBe(reason);
  });

  it.each([
    { given: 'less than the limit', running: FOUR.slice(0, 1), reason: undefined },
    {
      given: 'the limit',
      running: FOUR.slice(0, 2),
      reason: 'sector s has 2 upgrades under mutex m (a, b), its limit 50% of 4',
    },
    { given: 'the limit, itself among them,', running: FOUR.slice(2), reason: 'the cluster itself is being upgraded' },
    { given: 'one under no shared mutex', running: [member('e', 's')], reason: undefined },
  ])('in a sector with a limit, with $given running: $reason', ({ running, reason }) => {
    expect(obstacle(running, FOUR[3]!)).toBe(reason);
  });

  it('names some of many that are running', () => {
    const many = [...'abcdefg'].map((name) => member(name, 's', 'm'));
    expect(obstacle(many, member('z', 's', 'm'))).toBe(
      'sector s has 7 upgrades under mutex m (a, b, c, d, e, 2 more), its limit 50% of 4',
    );
  });

  it('is also a cluster outside a sector with a limit, unless limits ignore those', () => {
    const outside = [member('y', 'free', 'm')];
    expect(obstacle(outside, FOUR[0]!)).toBe('mutex m is held by y, which is not in sector s');
    expect(obstacle(outside, FOUR[0]!, false)).toBeUndefined();
    expect(obstacle([...outside, FOUR[1]!], FOUR[0]!)).toBe('mutex m is held by y, which is not in sector s');
  });

  it('is a limit that is none, once something is running', () => {
    const odd = new Occupancy([{ name: 's', dependencies: [], maxParallelUpgrades: 'many' }], FOUR, true);
    expect(odd.obstacle(FOUR[0]!)).toBeUndefined();
    odd.take(FOUR[0]!);
    expect(odd.obstacle(FOUR[1]!)).toEqual({ reason: '"many" is not a valid limit for sector s', fault: true });
  });
});

describe('how many clusters may be upgraded at once', () => {
  it.each([
    { text: '50%', of: 1, limit: 1 },
    { text: '50%', of: 3, limit: 2 },
    { text: '50%', of: 5, limit: 2 },
    { text: '50%', of: 7, limit: 4 },
    { text: '50%', of: 9, limit: 4 },
    { text: '33%', of: 5, limit: 2 },
    { text: '2%', of: 5, limit: 1 },
    { text: '0%', of: 5, limit: 1 },
    { text: '100%', of: 5, limit: 5 },
    { text: '150%', of: 4, limit: 6 },
    { text: '5 %', of: 100, limit: 5 },
    { text: '3', of: 1, limit: 3 },
    { text: '0', of: 5, limit: 1 },
    { text: '-1', of: 5, limit: -1 },
  ])('is $limit with $text of $of', ({ text, of, limit }) => {
    expect(parallelLimit(text, of)).toBe(limit);
  });

  it.each(['', '%', 'abc', '1.5', '50%%', '1e1', '0x1'])('is unknown with %j', (text) => {
    expect(parallelLimit(text, 5)).toBeUndefined();
  });

  it('is at least one, and never more than half a cluster away from the share', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10_000 }), (percent, clusters) => {
        const limit = parallelLimit(`${percent}%`, clusters)!;
        const twice = 2 * limit * 100 - 2 * clusters * percent;
        expect(limit).toBeGreaterThanOrEqual(1);
        if (limit > 1) expect(Math.abs(twice)).toBeLessThanOrEqual(100);
        if (limit > 1 && Math.abs(twice) === 100) expect(limit % 2).toBe(0);
      }),
    );
  });
});
