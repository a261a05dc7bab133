import { describe, expect, it } from 'vitest';
import { handMadeSnapshot } from '../../../test/support/hand-made-snapshot.ts';
import { locateFindings } from '../snapshot.ts';
import { unquotedDates } from './unquoted-dates.ts';

function found(text: string): string[] {
  const snapshot = handMadeSnapshot({ '/a.yml': text });
  return locateFindings(snapshot, unquotedDates(snapshot)).map(({ line, column, at }) => `${line}:${column} ${at}`);
}

describe('a date or time without quotes is reported where it is written', () => {
  it.each([
    { given: 'a date', text: 'a:\n  since: 2024-01-31\n', at: ['2:10 a.since'] },
    { given: 'a date that does not exist', text: 'a: 2024-13-45\n', at: ['1:4 a'] },
    { given: 'a time', text: 'a: 2024-1-3T10:00:00Z\n', at: ['1:4 a'] },
    { given: 'a time with blanks and a zone', text: 'a: 2024-01-03 1:00:00.5 +01:30\n', at: ['1:4 a'] },
    { given: 'a time on two lines', text: 'a: 2024-01-03\n  10:00:00\n', at: ['1:4 a'] },
    { given: 'a key', text: 'a:\n  2024-01-31: x\n', at: ['2:3 a.2024-01-31'] },
    { given: 'a list in brackets', text: 'a: [ x, 2024-01-31 ]\n', at: ['1:9 a[1]'] },
    { given: 'an anchor, once', text: 'a: &d 2024-01-31\nb: *d\n', at: ['1:7 a'] },
    { given: 'a merged mapping, once', text: 'a: &m { d: 2024-01-31 }\nb: { <<: *m }\n', at: ['1:12 a.d'] },
  ])('$given', ({ text, at }) => {
    expect(found(text)).toEqual(at);
  });
});

describe('what every loader reads as text is not', () => {
  it.each([
    "a: '2024-01-31'",
    'a: "2024-01-31"',
    'a: !!str 2024-01-31',
    'a: |\n  2024-01-31',
    "'2024-01-31': x",
    'a: 2024-1-3',
    'a: 2024-01',
    'a: 2024-01-31x',
    'a: 2024-01-03 10:00',
    'a: 10:00:00',
    'a: x # 2024-01-31',
  ])('%s', (text) => {
    expect(found(`${text}\n`)).toEqual([]);
  });

  it('a text that the source does not keep', () => {
    expect(unquotedDates(handMadeSnapshot({ '/a.yml': { a: '2024-01-31' } }))).toEqual([]);
  });
});
