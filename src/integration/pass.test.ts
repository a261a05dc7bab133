import { describe, expect, it } from 'vitest';
import { inputsDigest } from './pass.ts';

const of = (value: unknown, version = '') => inputsDigest(version, new Map([['k', value]]), new Map());
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe('the digest of inputs', () => {
  it('does not depend on the order of keys and fields', () => {
    const one = inputsDigest(
      '',
      new Map([
        ['a', { x: 1, y: 2 }],
        ['b', {}],
      ]),
      new Map(),
    );
    const other = inputsDigest(
      '',
      new Map([
        ['b', {}],
        ['a', { y: 2, x: 1 }],
      ]),
      new Map(),
    );
    expect(one).toBe(other);
    expect(
      of(
        new Map([
          [1, 2],
          [3, 4],
        ]),
      ),
    ).toBe(
      of(
        new Map([
          [3, 4],
          [1, 2],
        ]),
      ),
    );
    expect(of(new Set([1, 2]))).toBe(of(new Set([2, 1])));
  });

  it.each([
    ['1', 1],
    [null, undefined],
    ['undefined', undefined],
    ['null', null],
    [{ a: undefined }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [['a,b'], ['a', 'b']],
    [{ 'a=1,b': 1 }, { a: 1, b: 1 }],
    [new Map([['a', 1]]), { a: 1 }],
    [new Set([1]), [1]],
    [1n, 1],
    [new Date(0), 0],
    [-0, 'number:0'],
    [Number.NaN, null],
    [[[]], []],
  ])('of %o is not that of %o', (one, other) => {
    expect([of(one), of(other)]).not.toContain(undefined);
    expect(of(one)).not.toBe(of(other));
  });

  it('distinguishes what is declared from what exists, and versions', () => {
    const value = new Map([['a', 1]]);
    expect(inputsDigest('', value, new Map())).not.toBe(inputsDigest('', new Map(), value));
    expect(of(1, 'v1')).not.toBe(of(1, 'v2'));
  });

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['an instance of a class', new (class {})()],
    ['a cycle', cycle],
    ['something too deep', deep(200)],
    ['a function within', { a: [() => 1] }],
    ['a function in a map', new Map([[1, () => 1]])],
  ])('of %s does not exist', (_, value) => {
    expect(of(value)).toBeUndefined();
  });

  it('of what occurs twice without a cycle does', () => {
    const shared = { a: 1 };
    expect(of([shared, shared])).toBe(of([{ a: 1 }, { a: 1 }]));
  });
});
