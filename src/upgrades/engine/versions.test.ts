import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import {
  compareVersions,
  compareVersionTexts,
  isVersion,
  keepLower,
  lowestVersion,
  minorOf,
  sortVersions,
  type Version,
} from './versions.ts';

const versions = (...texts: string[]): Version[] => texts as Version[];

describe('a version', () => {
  it.each(['4.14.3', '4.14.0-rc.2', '4.14.0-0.nightly', '4.13.0+build', '10.0.0'])('is %s', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  it.each([
    '',
    '4.14',
    'v4.14.3',
    '=4.14.3',
    ' 4.14.3',
    '4.14.3 ',
    '4.14.03',
    '4.14.x',
    'openshift-v4.14.3',
    '4.14.3.1',
  ])('is not "%s"', (text) => {
    expect(isVersion(text)).toBe(false);
  });

  it('has a minor', () => {
    expect(minorOf('4.14.0-rc.1' as Version)).toBe('4.14');
  });
});

describe('the order of versions', () => {
  it('is by numbers, with pre-releases first and without build metadata', () => {
    const given = versions('4.14.0', '4.9.30', '4.14.0-rc.10', '4.14.0-rc.2', '4.13.0+b1', '4.13.0');
    expect(sortVersions(given)).toEqual(['4.9.30', '4.13.0+b1', '4.13.0', '4.14.0-rc.2', '4.14.0-rc.10', '4.14.0']);
  });

  it('does not know what is no version', () => {
    expect(() => compareVersions('x' as Version, '4.14.0' as Version)).toThrow('x is not a version');
  });

  it('is that of the numbers, however many are compared', () => {
    const part = fc.integer({ min: 0, max: 40 });
    const triple = fc.tuple(part, part, part);
    holds(
      fc.property(triple, triple, (a, b) => {
        const difference = a.map((value, index) => value - b[index]!).find((each) => each !== 0) ?? 0;
        expect(Math.sign(compareVersions(a.join('.') as Version, b.join('.') as Version))).toBe(Math.sign(difference));
      }),
    );
  });

  it('gives the lowest', () => {
    expect(lowestVersion(versions('4.14.2', '4.14.10', '4.14.1'))).toBe('4.14.1');
    expect(lowestVersion([])).toBeUndefined();
    const lowest = new Map(Object.entries({ a: '4.14.2' as Version }));
    for (const version of versions('4.14.3', '4.14.1')) keepLower(lowest, 'a', version);
    expect(lowest.get('a')).toBe('4.14.1');
  });
});

it('what is no version comes after versions', () => {
  expect(['later', '4.10.0', '4.9.0', 'also'].sort(compareVersionTexts)).toEqual(['4.9.0', '4.10.0', 'also', 'later']);
});
