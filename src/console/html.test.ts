import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { instantOf, later, MICROS } from '../gates/index.ts';
import { escaped, html, openingTime, timeWithAge, withTimes } from './html.ts';

describe('html', () => {
  it.each([
    { given: 'a tag', value: '<b>', text: '&lt;b&gt;' },
    { given: 'an entity', value: '&amp;', text: '&amp;amp;' },
    { given: 'quotes', value: `"'`, text: '&quot;&#39;' },
    { given: 'a number', value: 3, text: '3' },
    { given: 'nothing', value: undefined, text: '' },
    { given: 'no', value: false as const, text: '' },
    { given: 'markup', value: html`<b>${'<'}</b>`, text: '<b>&lt;</b>' },
    { given: 'a list', value: ['<', html`<i>`], text: '&lt;<i>' },
    { given: 'what reorders letters', value: 'a\u202eb\u0007', text: 'a\ufffdb\ufffd' },
  ])('$given becomes $text', ({ value, text }) => {
    expect(html`${value}`.text).toBe(text);
  });

  it('no text can end a quoted attribute or begin a tag', () => {
    holds(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>"']/.test(escaped(text))));
  });
});

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
