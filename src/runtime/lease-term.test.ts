import { describe, expect, it } from 'vitest';
import type { SteadyClock } from './clock.ts';
import type { LeaseRecord } from './lease-api.ts';
import { leaseTerm, momentOf } from './lease-term.ts';

const RECORD: LeaseRecord = {
  ...{ holder: 'me', acquireTime: new Date(0), renewTime: new Date(0), durationSeconds: 30, transitions: 4 },
};

/** A clock whose two faces can be set apart. */
function twoFaces(): SteadyClock & { at(steady: number, wall?: number): void } {
  let [steady, wall] = [0, 0];
  return {
    steady: () => steady,
    now: () => new Date(wall),
    sleep: () => Promise.reject(new Error('not used')),
    at: (newSteady, newWall = newSteady) => {
      [steady, wall] = [newSteady, newWall];
    },
  };
}

describe('a term', () => {
  it.each([
    { given: 'in time', steady: 24_999, wall: 24_999, may: true },
    { given: 'too late', steady: 25_000, wall: 25_000, may: false },
    { given: 'with the time of day set back', steady: 24_999, wall: -3_600_000, may: true },
    { given: 'too late with the time of day set back', steady: 25_000, wall: -3_600_000, may: false },
    { given: 'after the machine slept', steady: 10, wall: 25_000, may: false },
  ])('$given: may write is $may', ({ steady, wall, may }) => {
    const clock = twoFaces();
    const term = leaseTerm(clock, 25_000, momentOf(clock), RECORD);
    clock.at(steady, wall);
    expect([term.mayWrite(), term.signal.aborted, term.transitions]).toEqual([may, !may, 4]);
  });

  it('lasts from the sending of a renewal, not from its answer', () => {
    const clock = twoFaces();
    const term = leaseTerm(clock, 25_000, momentOf(clock), RECORD);
    clock.at(10_000);
    const sent = momentOf(clock);
    clock.at(20_000);
    term.renewed(sent, RECORD);
    expect(term.left()).toBe(15_000);
  });

  it('that is over is not brought back by a late answer', () => {
    const clock = twoFaces();
    const term = leaseTerm(clock, 25_000, momentOf(clock), RECORD);
    clock.at(24_000);
    const sent = momentOf(clock);
    clock.at(25_000);
    term.renewed(sent, RECORD);
    clock.at(24_500);
    expect([term.mayWrite(), term.signal.reason.message]).toEqual([false, 'the lease was not renewed in time']);
  });

  it('ends with its first reason', () => {
    const clock = twoFaces();
    const term = leaseTerm(clock, 25_000, momentOf(clock), RECORD);
    term.end('taken');
    term.end('given back');
    expect([term.mayWrite(), term.signal.reason.message]).toEqual([false, 'taken']);
  });
});
