import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { decidePass, pollDelay, retryDelay } from './pass-schedule.ts';

const NEVER = Number.POSITIVE_INFINITY;
const full = (reason: string) => ({ reason, full: true });

describe('whether a pass is due', () => {
  it.each([
    { given: 'nothing has run', memory: { failures: 0 }, revision: 'a', is: full('first') },
    { given: 'the first failed', memory: { failures: 1 }, revision: 'a', is: full('retry') },
    { given: 'nothing changed', memory: { failures: 0, revision: 'a', lastFull: 0 }, revision: 'a', is: 'skip' },
    {
      given: 'something changed',
      memory: { failures: 0, revision: 'a', lastFull: 0 },
      revision: 'b',
      is: { reason: 'changed', full: false },
    },
    { given: 'a failure since', memory: { failures: 2, revision: 'a', lastFull: 0 }, revision: 'a', is: full('retry') },
    {
      given: 'no one can tell',
      memory: { failures: 0, revision: 'a', lastFull: 0 },
      revision: undefined,
      is: { reason: 'poll', full: false },
    },
    {
      given: 'the last was of no revision',
      memory: { failures: 0, lastFull: 0 },
      revision: 'a',
      is: { reason: 'poll', full: false },
    },
    {
      given: 'a long time',
      memory: { failures: 0, revision: 'a', lastFull: -50_000 },
      revision: 'a',
      is: full('resync'),
    },
    {
      given: 'a long time and news',
      memory: { failures: 0, revision: 'a', lastFull: -50_000 },
      revision: 'b',
      is: full('resync'),
    },
  ])('when $given: $is', ({ memory, revision, is }) => {
    expect(decidePass(memory, revision, 50_000, { resyncSeconds: 100, secondAt: NEVER })).toEqual(is);
  });

  it.each([
    { given: 'not yet', secondAt: 50_001, lastFull: 0, is: 'skip' },
    { given: 'now', secondAt: 50_000, lastFull: 0, is: full('second') },
    {
      given: 'now, as the last full one began a moment too early',
      secondAt: 40_000,
      lastFull: 39_999,
      is: full('second'),
    },
    { given: 'done', secondAt: 40_000, lastFull: 40_000, is: 'skip' },
  ])('the second of a leader is due $given: $is', ({ secondAt, lastFull, is }) => {
    const memory = { failures: 0, revision: 'a', lastFull };
    expect(decidePass(memory, 'a', 50_000, { resyncSeconds: 100, secondAt })).toEqual(is);
  });
});

const times = (pollSeconds: number, errorSeconds = 10, secondAt = NEVER) => ({ pollSeconds, errorSeconds, secondAt });

describe('the time until the next pass', () => {
  it.each([
    [0, 54_000],
    [0.5, 60_000],
    [1, 66_000],
  ])('with %d drawn is %d ms', (drawn, ms) => {
    expect(pollDelay(times(60), { failures: 0, lastFull: 0 }, 1_000, () => drawn)).toBe(ms);
  });

  it.each([
    { given: 'the second pass', secondAt: 30_000, lastFull: 0, ms: 20_000 },
    { given: 'the poll', secondAt: 300_000, lastFull: 0, ms: 60_000 },
    { given: 'the poll, once that pass has run', secondAt: 5_000, lastFull: 6_000, ms: 60_000 },
    { given: 'no time, when that pass is overdue', secondAt: 5_000, lastFull: 4_000, ms: 0 },
  ])('lasts until $given', ({ secondAt, lastFull, ms }) => {
    expect(pollDelay(times(60, 10, secondAt), { failures: 0, lastFull }, 10_000, () => 0.5)).toBe(ms);
  });

  it.each([
    { failures: 1, drawn: 1, ms: 10_000 },
    { failures: 1, drawn: 0.5, ms: 5_000 },
    { failures: 2, drawn: 1, ms: 20_000 },
    { failures: 3, drawn: 1, ms: 40_000 },
    { failures: 4, drawn: 1, ms: 60_000 },
    { failures: 2000, drawn: 1, ms: 60_000 },
    { failures: 1, drawn: 0, ms: 1_000 },
  ])('after $failures failures, with $drawn drawn, is $ms ms', ({ failures, drawn, ms }) => {
    expect(retryDelay(times(60), failures, () => drawn)).toBe(ms);
  });

  it('after failures is never above five minutes, nor above the poll', () => {
    expect(retryDelay(times(3600), 50, () => 1)).toBe(300_000);
    const number = fc.double({ min: 0.1, max: 1e5, noNaN: true });
    const drawn = fc.double({ min: 0, max: 1, noNaN: true });
    holds(
      fc.property(number, number, fc.integer({ min: 1, max: 1e4 }), drawn, (poll, error, failures, random) => {
        const delay = retryDelay(times(poll, error), failures, () => random);
        expect(delay).toBeGreaterThan(0);
        expect(delay).toBeLessThanOrEqual(Math.round(Math.min(poll, 300) * 1000));
      }),
    );
  });
});
