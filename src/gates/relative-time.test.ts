import { describe, expect, it } from 'vitest';
import { instantOf, later, MICROS } from './instant.ts';
import { relativeText, timeText } from './relative-time.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:00:00Z'));

describe('a relative time', () => {
  it.each([
    { after: 0, text: 'now' },
    { after: 90 * MICROS.second, text: 'in 90 s' },
    { after: -5 * MICROS.minute, text: '5 min ago' },
    { after: 2 * MICROS.day, text: 'in 2 days' },
    { after: -400 * MICROS.day, text: '400 days ago' },
  ])('$text', ({ after, text }) => {
    expect(relativeText(later(NOW, after), NOW)).toBe(text);
  });

  it('stands beside the absolute one', () => {
    expect(timeText(later(NOW, 12 * MICROS.minute), NOW)).toBe('2026-03-02T10:12:00Z (in 12 min)');
  });
});
