import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byText,
  count,
  escapeControls,
  escapeControlsInText,
  fromNowText,
  humanBytes,
  messageOf,
  withArticle,
  withTimesFromNow,
} from './text.ts';

describe('count', () => {
  it.each([
    { n: 0, told: '0 files' },
    { n: 1, told: '1 file' },
    { n: 2, told: '2 files' },
  ])('of $n is "$told"', ({ n, told }) => {
    expect(count(n, 'file')).toBe(told);
  });

  it('takes an irregular plural', () => {
    expect([count(1, 'entry', 'entries'), count(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries']);
  });
});

describe('the article of a noun', () => {
  it.each(['an AWS account', 'an OCM organization', 'an integration', 'an environment', 'a cluster', 'a saas file'])(
    'is that of "%s"',
    (told) => {
      expect(withArticle(told.replace(/^an? /, ''))).toBe(told);
    },
  );
});

describe('bytes for people', () => {
  it.each([
    { bytes: 0, told: '0 bytes' },
    { bytes: 1023, told: '1023 bytes' },
    { bytes: 1024, told: '1.0 KiB' },
    { bytes: 1536, told: '1.5 KiB' },
    { bytes: 16 * 1024 * 1024, told: '16.0 MiB' },
    { bytes: 3 * 1024 ** 3, told: '3.0 GiB' },
    { bytes: 5000 * 1024 ** 3, told: '5000.0 GiB' },
  ])('are $told for $bytes', ({ bytes, told }) => {
    expect(humanBytes(bytes)).toBe(told);
  });
});

describe('order by code unit', () => {
  it('puts upper case before lower case and ASCII before the rest, whatever the locale', () => {
    expect(['é', 'b', 'a', 'B', '_', 'Z', '1', 'ä'].toSorted(byText)).toEqual(['1', 'B', 'Z', '_', 'a', 'b', 'ä', 'é']);
  });

  it('is a total order', () => {
    const text = fc.string({ unit: 'binary', maxLength: 4 });
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(byText(a, b) + byText(b, a)).toBe(0);
        expect(byText(a, b) === 0).toBe(a === b);
        if (byText(a, b) < 0 && byText(b, c) < 0) expect(byText(a, c)).toBe(-1);
      }),
    );
  });
});

describe('the message of what was thrown', () => {
  it.each([
    { given: 'an error', thrown: new TypeError('no such thing'), told: 'no such thing' },
    { given: 'a text', thrown: 'no such thing', told: 'no such thing' },
    { given: 'a number', thrown: 7, told: '7' },
    { given: 'nothing', thrown: undefined, told: 'undefined' },
    { given: 'null', thrown: null, told: 'null' },
    { given: 'a symbol', thrown: Symbol('s'), told: 'Symbol(s)' },
  ])('is "$told" for $given', ({ thrown, told }) => {
    expect(messageOf(thrown)).toBe(told);
  });
});

describe('control characters', () => {
  it.each([
    { given: 'plain text', text: 'ü 日本 العربية 👍', line: 'ü 日本 العربية 👍', whole: 'ü 日本 العربية 👍' },
    { given: 'an escape sequence', text: 'a\u001b[2Jb', line: 'a\\u001b[2Jb', whole: 'a\\u001b[2Jb' },
    { given: 'line ends and tabs', text: 'a\n\tb\r\n', line: 'a\\n\\u0009b\\u000d\\n', whole: 'a\n\tb\r\n' },
    { given: 'a carriage return', text: 'a\rb', line: 'a\\u000db', whole: 'a\\u000db' },
    { given: 'DEL and C1', text: '\u007f\u009b31m', line: '\\u007f\\u009b31m', whole: '\\u007f\\u009b31m' },
    { given: 'line separators', text: '\u2028\u2029', line: '\\u2028\\u2029', whole: '\\u2028\\u2029' },
    { given: 'bidi overrides', text: 'a\u202eb\u2066', line: 'a\\u202eb\\u2066', whole: 'a\u202eb\u2066' },
  ])('of $given are escaped', ({ text, line, whole }) => {
    expect([escapeControls(text), escapeControlsInText(text)]).toEqual([line, whole]);
  });
});

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
