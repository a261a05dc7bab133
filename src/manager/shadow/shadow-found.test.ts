import { describe, expect, it } from 'vitest';
import type { Instant } from '../../gates/index.ts';
import type { CountedLine } from '../../shadow/index.ts';
import { shadowFound } from './shadow-found.ts';

const OF = { image: 'i:2', baseline: 'i:1', at: 5 as Instant };
const lines = (count: number, length = 5): CountedLine[] =>
  Array.from({ length: count }, (_, at) => ({ text: `${at}`.padEnd(length, 'x'), count: 1 }));
const compared = (onlyInCandidate: readonly CountedLine[], onlyInBaseline: readonly CountedLine[] = []) =>
  shadowFound(
    {
      result: 'different',
      reasons: [],
      actions: { onlyInCandidate, onlyInBaseline, noise: [], common: 0 },
      digest: 'abc',
    },
    OF,
  );

describe('what the record keeps of a comparison', () => {
  it('is the number of differences, their digest and the first of them', () => {
    expect(compared([{ text: 'one\ntwo', count: 2 }], [{ text: 'three', count: 1 }])).toEqual({
      ...{ ...OF, result: 'different', differences: 3, digest: 'sha256:abc' },
      text: '+ one (2 times)\n- three',
    });
  });

  it('is short, however many lines differ and however long they are', () => {
    const { text = '', differences } = compared(lines(1_000, 100_000));
    expect([differences, text.split('\n').length, text.split('\n').at(-1)]).toEqual([1_000, 6, '… and 995 more']);
    expect(text.length).toBeLessThan(1_500);
  });

  it.each(['same', 'noise'] as const)('is no difference for %s', (result) => {
    const actions = { onlyInCandidate: [], onlyInBaseline: [], noise: lines(1), common: 1 };
    expect(shadowFound({ result, reasons: [], actions, digest: 'abc' }, OF)).toEqual({
      ...{ ...OF, result: 'same', differences: 0 },
    });
  });

  it('says why there is no result, and never calls it the same', () => {
    const actions = { onlyInCandidate: [], onlyInBaseline: [], noise: [], common: 1 };
    const found = shadowFound({ result: 'inconclusive', reasons: ['a', 'b'], actions, digest: 'abc' }, OF);
    expect(found).toEqual({ ...OF, result: 'inconclusive', differences: 0, text: 'a; b' });
  });
});
