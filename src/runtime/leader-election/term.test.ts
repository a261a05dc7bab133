import { describe, expect, it } from 'vitest';
import type { SteadyClock } from '../clock.ts';
import { type LeaseRecord, leaseTerm, mayTake, momentOf, type Observation, observe } from './term.ts';

const NOON = new Date('2026-01-01T12:00:00Z');

function record(given: Partial<LeaseRecord> = {}): LeaseRecord {
  const times = { acquireTime: NOON, renewTime: NOON };
  return { holder: 'a', ...times, durationSeconds: 30, transitions: 1, resourceVersion: '7', ...given };
}

/** What was read, second by second. */
function seen(...reads: readonly (readonly [second: number, record: LeaseRecord | undefined])[]): Observation {
  const start: Observation | undefined = undefined;
  return reads.reduce<Observation | undefined>((before, [at, read]) => observe(before, read, at * 1000, 30), start)!;
}

describe('whether a lease may be taken', () => {
  it.each([
    { given: 'there never was one', saw: seen([0, undefined]), at: 0, may: true },
    { given: 'nobody holds it', saw: seen([0, record({ holder: '' })]), at: 0, may: true },
    { given: 'it is our own', saw: seen([0, record({ holder: 'me' })]), at: 0, may: true },
    { given: 'another holds it', saw: seen([0, record()]), at: 30, may: false },
    { given: 'the other was silent', saw: seen([0, record()], [20, record()]), at: 30.001, may: true },
    {
      given: 'the other renewed',
      saw: seen([0, record()], [20, record({ resourceVersion: '8' })]),
      at: 40,
      may: false,
    },
    {
      given: 'the other moved its clock',
      saw: seen([0, record()], [20, record({ renewTime: new Date(0) })]),
      at: 40,
      may: false,
    },
    { given: 'its times are long past', saw: seen([0, record({ renewTime: new Date(0) })]), at: 30, may: false },
    { given: 'it lasts longer', saw: seen([0, record({ durationSeconds: 60 })]), at: 60, may: false },
    { given: 'it lasts for no time', saw: seen([0, record({ durationSeconds: 0 })]), at: 30, may: false },
    { given: 'it vanished just now', saw: seen([0, record()], [20, undefined]), at: 50, may: false },
    {
      given: 'it vanished long ago',
      saw: seen([0, record()], [20, undefined], [40, undefined]),
      at: 50.001,
      may: true,
    },
    { given: 'it was free and vanished', saw: seen([0, record({ holder: '' })], [20, undefined]), at: 20, may: true },
  ])('when $given: $may', ({ saw, at, may }) => {
    expect(mayTake(saw, 'me', at * 1000)).toBe(may);
  });
});

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
