import { describe, expect, it } from 'vitest';
import { MICROS, parseInstant } from './instant.ts';
import { turnAt } from './soak-ledger.ts';
import { continued, type Streak, type StreakSighting } from './streak.ts';

const AT = parseInstant('2026-11-16T10:00:00Z')!;
const MOST = 2 * MICROS.minute;

/** The streak in minutes after sightings at minutes after the first. */
function after(...sightings: readonly (readonly [minute: number, sighted: StreakSighting])[]): number | undefined {
  let times: Parameters<typeof turnAt>[0] = {};
  let streak: Streak | undefined;
  for (const [minute, sighted] of sightings) {
    const turn = turnAt(times, (AT + minute * MICROS.minute) as typeof AT, MOST);
    streak = continued(streak, sighted, turn);
    times = turn;
  }
  return streak === undefined ? undefined : streak.micros / MICROS.minute;
}

describe('a streak', () => {
  it.each<{ given: string; sightings: [number, StreakSighting][]; minutes: number | undefined }>([
    { given: 'one sighting', sightings: [[0, 'yes']], minutes: 0 },
    {
      given: 'two sightings',
      sightings: [
        [0, 'yes'],
        [1, 'yes'],
      ],
      minutes: 1,
    },
    {
      given: 'a gap longer than counts',
      sightings: [
        [0, 'yes'],
        [60, 'yes'],
      ],
      minutes: 2,
    },
    {
      given: 'the contrary in between',
      sightings: [
        [0, 'yes'],
        [1, 'yes'],
        [2, 'no'],
        [3, 'yes'],
        [4, 'yes'],
      ],
      minutes: 1,
    },
    {
      given: 'the contrary at the end',
      sightings: [
        [0, 'yes'],
        [1, 'yes'],
        [2, 'no'],
      ],
      minutes: undefined,
    },
    {
      given: 'nothing known in between',
      sightings: [
        [0, 'yes'],
        [1, 'yes'],
        [2, 'unknown'],
        [3, 'yes'],
        [4, 'yes'],
      ],
      minutes: 2,
    },
    {
      given: 'a clock that steps back',
      sightings: [
        [0, 'yes'],
        [1, 'yes'],
        [0, 'yes'],
        [1, 'yes'],
        [2, 'yes'],
      ],
      minutes: 2,
    },
    {
      given: 'a first sighting by a clock that is behind',
      sightings: [
        [5, 'no'],
        [0, 'yes'],
        [6, 'yes'],
      ],
      minutes: 0,
    },
  ])('with $given is $minutes minutes', ({ sightings, minutes }) => {
    expect(after(...sightings)).toBe(minutes);
  });
});
