import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { limitedBody, limitedTitle, withoutQuickActions } from './limited-text.ts';

describe('a text with a limit', () => {
  it('is never longer, ends well and keeps its beginning', () => {
    const line = fc.oneof(fc.constant('```diff'), fc.constant('```'), fc.string({ unit: 'grapheme', maxLength: 40 }));
    const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'));
    holds(
      fc.property(text, fc.integer({ min: 100, max: 500 }), (given, limit) => {
        const cut = limitedBody(given, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        if (given.length <= limit) expect(cut).toBe(given);
        else expect(cut).toContain('more characters omitted');
      }),
    );
  });

  it.each([
    { text: 'a  b\nc', title: 'a b c' },
    { text: '123456789', title: '12345678…', limit: 9 - 0 },
    { text: '1234567😀9', title: '1234567…', limit: 9 },
  ])('is one line as a title: $text', ({ text, title, limit = 8 }) => {
    expect(limitedTitle(`${text}${limit === 9 ? 'xxx' : ''}`, limit)).toBe(title);
  });
});

describe('lines that GitLab would obey', () => {
  it.each([
    { text: '/merge', shown: '\\/merge' },
    { text: 'a\n/close\nb', shown: 'a\n\\/close\nb' },
    { text: '\t/assign @x', shown: '\t\\/assign @x' },
    { text: '/Merge', shown: '\\/Merge' },
    { text: '/remove_source_branch', shown: '\\/remove_source_branch' },
    { text: '/data/x.yml', shown: '/data/x.yml' },
    { text: 'and/or', shown: 'and/or' },
    { text: '/ x', shown: '/ x' },
  ])('are shown and not obeyed: $text', ({ text, shown }) => {
    expect(withoutQuickActions(text)).toBe(shown);
  });
});
