import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantityValue } from './quantity.ts';

describe('the value of a quantity', () => {
  it.each([
    { text: '0', value: 0 },
    { text: '2', value: 2 },
    { text: '0.5', value: 0.5 },
    { text: '.5', value: 0.5 },
    { text: '5.', value: 5 },
    { text: '+5', value: 5 },
    { text: '-5', value: -5 },
    { text: '-1.5Gi', value: -1610612736 },
    { text: '100n', value: 1e-7 },
    { text: '100u', value: 1e-4 },
    { text: '1200m', value: 1.2 },
    { text: '1k', value: 1e3 },
    { text: '1M', value: 1e6 },
    { text: '1G', value: 1e9 },
    { text: '1T', value: 1e12 },
    { text: '1P', value: 1e15 },
    { text: '1E', value: 1e18 },
    { text: '1Ki', value: 1024 },
    { text: '500Mi', value: 524288000 },
    { text: '1.5Gi', value: 1610612736 },
    { text: '1Ti', value: 2 ** 40 },
    { text: '1Pi', value: 2 ** 50 },
    { text: '1Ei', value: 2 ** 60 },
    { text: '1e3', value: 1000 },
    { text: '1E3', value: 1000 },
    { text: '1e+3', value: 1000 },
    { text: '15e-1', value: 1.5 },
    { text: '007', value: 7 },
  ])('$text is $value', ({ text, value }) => {
    expect(quantityValue(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '.',
    '+',
    'm',
    'Mi',
    '1K',
    '1ki',
    '1mi',
    '1KI',
    '1Zi',
    '1B',
    '500MB',
    '500Mib',
    '5 Mi',
    ' 5Mi',
    '5Mi ',
    '5Mi\n',
    '--5',
    '1e',
    '1e3Mi',
    '1m5',
    '1.2.3',
    '1,5',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '５',
    '1/2',
    'half',
  ])('%j is none', (text) => {
    expect(quantityValue(text)).toBeUndefined();
  });

  it('is the same however the decimal is written', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000 }), (milli) => {
        expect(quantityValue(`${milli}m`)).toBe(quantityValue(`${milli / 1000}`));
        expect(quantityValue(`${milli * 1000}u`)).toBe(quantityValue(`${milli}m`));
        expect(quantityValue(`${milli}k`)).toBe(quantityValue(`${milli}000`));
        expect(quantityValue(`${milli}e3`)).toBe(quantityValue(`${milli}000`));
      }),
    );
  });

  it('grows with its number and with its unit', () => {
    const units = ['n', 'u', 'm', '', 'k', 'Ki', 'M', 'Mi', 'G', 'Gi', 'T', 'Ti', 'P', 'Pi', 'E', 'Ei'];
    const values = units.map((unit) => quantityValue(`7${unit}`) ?? Number.NaN);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.constantFrom(...units), (a, b, unit) => {
        const [one, other] = [quantityValue(`${a}${unit}`) ?? Number.NaN, quantityValue(`${b}${unit}`) ?? Number.NaN];
        expect(Math.sign(one - other)).toBe(Math.sign(a - b));
      }),
    );
  });
});
