import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { labelsOf, labelValue, selectorOf } from './ownership-labels.ts';

describe('the value of a label', () => {
  it.each(['a', 'app-sre.prod_1', 'A'.repeat(63)])('is the name itself where a label takes it: %s', (name) => {
    expect(labelValue(name)).toBe(name);
  });

  it.each([
    '',
    'https://github.com/app-sre/app-interface',
    'a b',
    '-a',
    'a-',
    'a\n',
    'ü',
    'a'.repeat(64),
    'a,echelon/instance=b',
  ])('is made of the hash where it does not: %j', (name) => {
    expect(labelValue(name)).toMatch(/^sha256-[0-9a-f]{40}$/);
  });

  it('is always one that Kubernetes takes, and of two names never the same', () => {
    const valid = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
    holds(
      fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), (a, b) => {
        expect(labelValue(a)).toMatch(valid);
        expect(labelValue(a) === labelValue(b)).toBe(a === b);
      }),
    );
  });
});

it.each([
  { ownership: {}, labels: {}, selector: '' },
  {
    ownership: { environment: 'prod' },
    labels: { 'echelon/environment': 'prod' },
    selector: 'echelon/environment=prod',
  },
  { ownership: { instance: 'i' }, labels: { 'echelon/instance': 'i' }, selector: 'echelon/instance=i' },
  {
    ownership: { environment: 'prod', instance: 'i' },
    labels: { 'echelon/environment': 'prod', 'echelon/instance': 'i' },
    selector: 'echelon/environment=prod,echelon/instance=i',
  },
])('$ownership becomes labels and a selector', ({ ownership, labels, selector }) => {
  expect(labelsOf(ownership)).toEqual(labels);
  expect(selectorOf(ownership)).toBe(selector);
});
