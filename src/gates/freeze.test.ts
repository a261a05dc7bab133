import { describe, expect, it } from 'vitest';
import { type Freeze, freezeBetween, freezeText, parseFreeze } from './freeze.ts';
import { type Instant, parseInstant } from './instant.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;
const day = (n: number): Instant => at(`2026-12-${String(n).padStart(2, '0')}T00:00:00Z`);
const days = (from: number, until: number, reason?: string): Freeze => ({
  from: day(from),
  until: day(until),
  ...(reason === undefined ? {} : { reason }),
});

describe('a freeze as text', () => {
  it.each([
    { text: '2026-12-20T00:00:00Z/2026-12-24T00:00:00Z', freeze: days(20, 24) },
    { text: ' 2026-12-20T00:00:00Z / 2026-12-24T00:00:00Z = quarter end ', freeze: days(20, 24, 'quarter end') },
    { text: '2026-12-20T01:00:00+01:00/2026-12-24T00:00:00=a=b', freeze: days(20, 24, 'a=b') },
    { text: '2026-12-20T00:00:00Z/2026-12-24T00:00:00Z=', freeze: days(20, 24) },
  ])('$text', ({ text, freeze }) => {
    expect(parseFreeze(text)).toEqual(freeze);
  });

  it.each([
    { text: '', fault: 'it is not FROM/UNTIL' },
    { text: '2026-12-20T00:00:00Z', fault: 'it is not FROM/UNTIL' },
    { text: '2026-12-20T00:00:00Z/2026-12-24T00:00:00Z/x', fault: 'it is not FROM/UNTIL' },
    { text: '2026-12-20/2026-12-24T00:00:00Z', fault: '"2026-12-20" is not a time in ISO 8601' },
    { text: '2026-12-20T00:00:00Z/never', fault: '"never" is not a time in ISO 8601' },
    { text: '2026-02-30T00:00:00Z/2026-12-24T00:00:00Z', fault: '"2026-02-30T00:00:00Z" is not a time in ISO 8601' },
    { text: '2026-12-24T00:00:00Z/2026-12-24T00:00:00Z', fault: 'it ends before it begins' },
  ])('is refused: $text', ({ text, fault }) => {
    expect(parseFreeze(text)).toEqual({ fault });
  });
});

describe('freezes in a span of time', () => {
  it.each([
    { given: 'none', freezes: [], span: [1, 2], until: undefined },
    { given: 'one that is over at the start', freezes: [days(1, 5)], span: [5, 6], until: undefined },
    { given: 'one that begins after the end', freezes: [days(7, 9)], span: [5, 6], until: undefined },
    { given: 'one that begins at the end', freezes: [days(6, 9)], span: [5, 6], until: 9 },
    { given: 'one around it', freezes: [days(1, 9)], span: [5, 6], until: 9 },
    { given: 'one inside it', freezes: [days(5, 6)], span: [4, 8], until: 6 },
    { given: 'two that join', freezes: [days(9, 12), days(1, 9)], span: [5, 5], until: 12 },
    { given: 'two that do not join', freezes: [days(10, 12), days(1, 9)], span: [5, 5], until: 9 },
    { given: 'a short one inside a long one', freezes: [days(2, 3), days(1, 9)], span: [2, 2], until: 9 },
  ])('with $given', ({ freezes, span: [start = 0, end = 0], until }) => {
    expect(freezeBetween(freezes, day(start), day(end))?.until).toBe(until === undefined ? undefined : day(until));
  });

  it('are told with their reason', () => {
    expect([freezeText(days(1, 2, 'quarter end'), day(2)), freezeText({}, day(2))]).toEqual([
      'quarter end, until 2026-12-02T00:00:00Z',
      'until 2026-12-02T00:00:00Z',
    ]);
  });
});
