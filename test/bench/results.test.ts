import { describe, expect, it } from 'vitest';
import { type Machine, mergedResults, type PartResult, type Results } from './results.ts';

const MACHINE: Machine = { cpu: 'a', cores: 2, memoryGib: 8, node: 'v24', kernel: '6' };
const part = (seconds: number): PartResult => ({ date: '2026-11-16', seconds, rows: [] });
const results = (parts: Results['parts'], machine = MACHINE): Results => ({ machine, parts });

describe('results of two runs', () => {
  it.each([
    { when: 'there is no earlier run', earlier: undefined, later: { a: part(1) }, parts: { a: part(1) } },
    {
      when: 'parts differ',
      earlier: results({ a: part(1) }),
      later: { b: part(2) },
      parts: { a: part(1), b: part(2) },
    },
    { when: 'a part ran again', earlier: results({ a: part(1) }), later: { a: part(2) }, parts: { a: part(2) } },
    {
      when: 'the earlier is of another machine',
      earlier: results({ a: part(1) }, { ...MACHINE, cores: 8 }),
      later: { b: part(2) },
      parts: { b: part(2) },
    },
  ])('keep what still holds when $when', ({ earlier, later, parts }) => {
    expect(mergedResults(earlier, results(later))).toEqual(results(parts));
  });
});
