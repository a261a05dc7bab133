import { describe, expect, it } from 'vitest';
import { pauseAfter, pauseBefore, type RetryPolicy, retryAfterMs, systemHttpClock, type Tried } from './retry.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const ALL: RetryPolicy = { attempts: 4, when: 'any-failure' };
const UNTOUCHED: RetryPolicy = { attempts: 4, when: 'not-processed' };
const NONE: RetryPolicy = { attempts: 4, when: 'never' };
const clock = { ...systemHttpClock, now: () => NOW };

const answered = (status: number, retryAfter: string | null = null): Tried => ({ status, retryAfter, text: '' });
const broken = (mayHaveArrived: boolean): Tried => ({ fault: 'hung up', code: 'ECONNRESET', mayHaveArrived });

describe('what a server asks to wait', () => {
  it.each([
    { header: '7', ms: 7_000 },
    { header: ' 7 ', ms: 7_000 },
    { header: '0', ms: 0 },
    { header: 'Sun, 01 Mar 2026 12:00:30 GMT', ms: 30_000 },
    { header: 'Sunday, 01-Mar-26 12:00:30 GMT', ms: 30_000 },
    { header: 'Sun, 01 Mar 2026 11:00:00 GMT', ms: 0 },
    { header: '86400', ms: 60_000 },
    { header: 'Mon, 02 Mar 2026 12:00:00 GMT', ms: 60_000 },
    { header: '9'.repeat(400), ms: 60_000 },
    { header: '-3', ms: undefined },
    { header: '1.5', ms: undefined },
    { header: 'soon', ms: undefined },
    { header: 'Sun, whenever', ms: undefined },
    { header: '', ms: undefined },
    { header: null, ms: undefined },
  ])('is $ms ms for $header', ({ header, ms }) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });
});

describe('the pause before another try', () => {
  it.each([
    { attempt: 1, longest: 500 },
    { attempt: 2, longest: 1_000 },
    { attempt: 3, longest: 2_000 },
    { attempt: 30, longest: 20_000 },
    { attempt: 3_000, longest: 20_000 },
  ])('is anything up to $longest ms after $attempt tries', ({ attempt, longest }) => {
    expect([0, 0.5, 1].map((chance) => pauseBefore(attempt, () => chance))).toEqual([0, longest / 2, longest]);
  });

  it.each([
    { asked: undefined, chance: 0, pause: 100 },
    { asked: undefined, chance: 1, pause: 200 },
    { asked: 0, chance: 0, pause: 50 },
    { asked: 7_000, chance: 0, pause: 7_000 },
    { asked: 7_000, chance: 1, pause: 7_050 },
  ])('is $pause ms of which half is fixed, with $asked asked for and a chance of $chance', (given) => {
    const half = { firstMs: 100, longestMs: 1_000, fixed: 0.5, longestRetryAfterMs: 60_000 };
    expect(pauseBefore(2, () => given.chance, half, given.asked)).toBe(given.pause);
  });

  it.each([
    { given: '429', tried: answered(429), policy: ALL, pause: 1_000 },
    { given: '429 that was not processed', tried: answered(429), policy: UNTOUCHED, pause: 1_000 },
    { given: '500', tried: answered(500), policy: ALL, pause: 1_000 },
    { given: '503 of what may not be asked twice', tried: answered(503), policy: UNTOUCHED, pause: undefined },
    { given: '501', tried: answered(501), policy: ALL, pause: undefined },
    { given: '404', tried: answered(404), policy: ALL, pause: undefined },
    { given: '200', tried: answered(200), policy: ALL, pause: undefined },
    { given: 'a broken connection', tried: broken(true), policy: ALL, pause: 1_000 },
    { given: 'a broken connection of what may not be asked twice', tried: broken(true), policy: UNTOUCHED },
    { given: 'no connection', tried: broken(false), policy: UNTOUCHED, pause: 1_000 },
    { given: 'anything without leave', tried: answered(429), policy: NONE, pause: undefined },
    { given: 'what the server asks, and a little more', tried: answered(429, '7'), policy: ALL, pause: 7_500 },
    { given: 'what the caller says', tried: answered(412), policy: { attempts: 4, when: () => true }, pause: 1_000 },
    { given: 'what the caller denies', tried: answered(429), policy: { attempts: 4, when: () => false } },
    { given: 'the last try', tried: answered(429), policy: { ...ALL, attempts: 2 }, pause: undefined },
  ])('is $pause ms after $given', ({ tried, policy, pause }) => {
    expect(pauseAfter(tried, 2, policy, { clock, random: () => 1 })).toBe(pause);
  });
});

describe('the clock of the system', () => {
  it('wakes with the reason of an abort', async () => {
    const reason = new Error('enough');
    await expect(systemHttpClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
