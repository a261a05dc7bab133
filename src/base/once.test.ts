import { describe, expect, it } from 'vitest';
import { changedOnly, memoize } from './once.ts';

describe('a memo', () => {
  it('computes once, and again only after more keys than it keeps', () => {
    const computed: string[] = [];
    const length = memoize(2, (key) => {
      computed.push(key);
      return key.length;
    });
    expect(['a', 'a', 'bb', 'a', 'ccc', 'a'].map(length)).toEqual([1, 1, 2, 1, 3, 1]);
    expect(computed).toEqual(['a', 'bb', 'ccc', 'a']);
  });
});

/** Gives the troubles of each pass, and what was reported of them. */
function passes(...all: readonly (readonly object[])[]): { reported: object[][]; wrong: boolean[] } {
  const troubles = changedOnly();
  const reported: object[][] = [];
  const wrong = all.map((found) => {
    const now: object[] = [];
    reported.push(now);
    return troubles(found, (trouble) => now.push(trouble));
  });
  return { reported, wrong };
}

const A = { message: 'a', cluster: 'c' };
const B = { message: 'b' };

it('reports what stays wrong once', () => {
  expect(passes([A], [A], [{ ...A }])).toEqual({ reported: [[A], [], []], wrong: [true, true, true] });
});

it('reports again what was right in between', () => {
  expect(passes([A], [], [A])).toEqual({ reported: [[A], [], [A]], wrong: [true, false, true] });
});

it('reports what comes besides', () => {
  expect(passes([A], [A, B], [B], [A, B]).reported).toEqual([[A], [B], [], [A]]);
});

it('reports what changed, and two of the same once', () => {
  const changed = { ...A, cluster: 'd' };
  expect(passes([A, A], [changed]).reported).toEqual([[A], [changed]]);
});

it('reports nothing where nothing is wrong', () => {
  expect(passes([], [])).toEqual({ reported: [[], []], wrong: [false, false] });
});
