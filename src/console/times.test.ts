import { describe, expect, it } from 'vitest';
import { instantOf, later, MICROS } from '../gates/index.ts';
import { openingTime, timeWithAge, withTimes } from './times.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:00:00Z'));

describe('times', () => {
  it.each([
    ['the window opens at 2026-03-02T13:00:00Z', 'the window opens at 2026-03-02 13:00 UTC'],
    ['2026-03-02T13:00:00.5Z to 2026-03-03T13:00Z', '2026-03-02 13:00 UTC to 2026-03-03 13:00 UTC'],
    ['until 2026-03-02: no time', 'until 2026-03-02: no time'],
    ['image x:2026-03-02T13', 'image x:2026-03-02T13'],
  ])('in a sentence are written as everywhere: %s', (sentence, shown) => {
    expect(withTimes(sentence)).toBe(shown);
  });

  it('are shown with their age, and openings with what has to happen too', () => {
    expect(timeWithAge(later(NOW, 2 * MICROS.day), NOW).text).toBe(
      '<time datetime="2026-03-04T10:00:00Z">2026-03-04 10:00 UTC</time> <small data-age>(in 2 days)</small>',
    );
    const opening = openingTime({ at: '2026-03-02T13:00:00Z', after: 'canary <has> passed' }, NOW).text;
    expect(opening).toContain('(in 3 h)</small>, and after canary &lt;has&gt; passed');
    expect(openingTime({ after: 'it is enabled' }, NOW).text).toBe('after it is enabled');
  });
});
