import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/support/property.ts';
import {
  type Instant,
  instantOf,
  instantText,
  millisecondsOf,
  parseInstant,
  secondText,
  secondTextAfter,
} from './instant.ts';

describe('a time', () => {
  it.each([
    { text: '2024-03-01T10:00:00Z', iso: '2024-03-01T10:00:00.000Z' },
    { text: '2024-03-01T10:00:00.123456Z', iso: '2024-03-01T10:00:00.123Z' },
    { text: '2024-03-01T10:00:00+00:00', iso: '2024-03-01T10:00:00.000Z' },
    { text: '2024-03-01T12:30:00+02:30', iso: '2024-03-01T10:00:00.000Z' },
    { text: '2021-08-29 18:00:00', iso: '2021-08-29T18:00:00.000Z' },
    { text: '2024-02-29T00:00:00', iso: '2024-02-29T00:00:00.000Z' },
  ])('is read from "$text"', ({ text, iso }) => {
    expect(new Date(millisecondsOf(parseInstant(text)!)).toISOString()).toBe(iso);
  });

  it.each([
    '',
    'now',
    '2024-03-01',
    '2023-02-29T00:00:00Z',
    '2024-03-01T25:00:00Z',
    '9999-01-01T00:00:00Z',
    '1709287200',
  ])('is not "%s"', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('keeps microseconds', () => {
    const earlier = parseInstant('2024-03-02T12:00:00Z')!;
    expect(parseInstant('2024-03-02T12:10:00.123456Z')! - earlier).toBe(600_123_456);
  });

  it.each([
    { micros: 0, full: '1970-01-01T00:00:00Z', cut: '1970-01-01T00:00:00Z' },
    { micros: 1, full: '1970-01-01T00:00:00.000001Z', cut: '1970-01-01T00:00:00Z' },
    { micros: 1_999_999, full: '1970-01-01T00:00:01.999999Z', cut: '1970-01-01T00:00:01Z' },
    { micros: -1, full: '1969-12-31T23:59:59.999999Z', cut: '1969-12-31T23:59:59Z' },
  ])('of $micros microseconds is written $full', ({ micros, full, cut }) => {
    expect([instantText(micros as Instant), secondText(micros as Instant)]).toEqual([full, cut]);
  });

  it.each([
    { micros: 2_000_000, text: '1970-01-01T00:00:02Z' },
    { micros: 2_000_001, text: '1970-01-01T00:00:03Z' },
  ])('of $micros microseconds has come at $text', ({ micros, text }) => {
    expect(secondTextAfter(micros as Instant)).toBe(text);
  });

  it('reads what it writes', () => {
    holds(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (micros) => {
        expect(parseInstant(instantText(micros as Instant))).toBe(micros);
      }),
    );
    expect(millisecondsOf(instantOf(1_709_287_200_123))).toBe(1_709_287_200_123);
  });
});
