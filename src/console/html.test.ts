import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import { escaped, html } from './html.ts';

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
