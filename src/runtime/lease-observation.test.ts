import { describe, expect, it } from 'vitest';
import type { LeaseRecord } from './lease-api.ts';
import { mayTake, type Observation, observe } from './lease-observation.ts';

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
