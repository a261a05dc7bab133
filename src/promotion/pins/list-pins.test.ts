import { describe, expect, it } from 'vitest';
import { isExpired, noteText, readNote } from './list-pins.ts';

describe('the comment of a pin', () => {
  it.each([
    { note: { reason: 'why' }, text: 'why' },
    { note: { until: '2026-12-01' }, text: 'until 2026-12-01' },
    { note: { until: '2026-12-01', reason: 'a: b # c' }, text: 'until 2026-12-01: a: b # c' },
    { note: {}, text: undefined },
  ])('is $text and reads back', ({ note, text }) => {
    expect(noteText(note)).toBe(text);
    expect(readNote(text ?? '')).toEqual(note);
  });

  it.each([
    {
      comment: 'freeze, until 2026-09-30 at least',
      note: { until: '2026-09-30', reason: 'freeze, until 2026-09-30 at least' },
    },
    { comment: 'until 2026-02-30', note: { reason: 'until 2026-02-30' } },
  ])('by somebody, $comment, is understood', ({ comment, note }) => {
    expect(readNote(comment)).toEqual(note);
  });

  it('is one line', () => {
    expect(noteText({ reason: ' two\r\n  lines ' })).toBe('two lines');
  });

  it.each([
    { note: { until: 'tomorrow' }, says: '--until tomorrow is not a valid date' },
    { note: { until: '2026-02-30' }, says: '--until 2026-02-30 is not a valid date' },
    { note: { reason: 'a\0b' }, says: 'characters that are not allowed in a comment' },
    { note: { reason: 'x'.repeat(201) }, says: '201 characters' },
  ])('is refused: $says', ({ note, says }) => {
    expect(() => noteText(note)).toThrow(says);
  });

  it.each([
    { now: '2026-11-30T23:59:59Z', expired: false },
    { now: '2026-12-01T23:59:59Z', expired: false },
    { now: '2026-12-02T00:00:00Z', expired: true },
  ])('at $now the day 2026-12-01 is over: $expired', ({ now, expired }) => {
    expect(isExpired({ until: '2026-12-01' }, new Date(now))).toBe(expired);
    expect(isExpired({}, new Date(now))).toBe(false);
  });
});
