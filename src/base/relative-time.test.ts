import { describe, expect, it } from 'vitest';
import { fromNowText, withTimesFromNow } from './relative-time.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

describe('a time from now', () => {
  it.each([
    { after: 0, text: 'now' },
    { after: 999, text: 'now' },
    { after: -SECOND, text: '1 s ago' },
    { after: 119 * SECOND, text: 'in 119 s' },
    { after: 120 * SECOND, text: 'in 2 min' },
    { after: -119 * MINUTE, text: '119 min ago' },
    { after: 2 * HOUR, text: 'in 2 h' },
    { after: 47 * HOUR, text: 'in 47 h' },
    { after: 48 * HOUR, text: 'in 2 days' },
    { after: -400 * DAY, text: '400 days ago' },
  ])('$text', ({ after, text }) => {
    expect(fromNowText(after)).toBe(text);
  });

  it.each([
    ['2026-03-02T13:00:00Z', '2026-03-02T13:00:00Z (in 3 h)'],
    ['it can start at 2026-03-02T10:07:00Z', 'it can start at 2026-03-02T10:07:00Z (in 7 min)'],
    [
      'frozen from 2026-03-01T10:00:00Z to 2026-03-04T10:00:00.5Z',
      'frozen from 2026-03-01T10:00:00Z (24 h ago) to 2026-03-04T10:00:00.5Z (in 2 days)',
    ],
    ['opens 2026-03-02T13:00:00Z (in 3 h)', 'opens 2026-03-02T13:00:00Z (in 3 h)'],
    ['image x:2026-03-02T13', 'image x:2026-03-02T13'],
    ['2026-13-02T10:00:00Z', '2026-13-02T10:00:00Z'],
    ['x2026-03-02T10:00:00Z', 'x2026-03-02T10:00:00Z'],
    ['no time', 'no time'],
  ])('stands beside every time of a text: %s', (text, shown) => {
    expect(withTimesFromNow(text, NOW)).toBe(shown);
  });
});
