import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byText, count, humanBytes, messageOf, withArticle } from './text.ts';

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
