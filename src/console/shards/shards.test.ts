import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import type { ConsoleShard } from '../state.ts';
import { imageText, matrixOf } from './shards.ts';

function shard(integration: string | undefined, name: string, liveTag?: string, expectedTag?: string): ConsoleShard {
  return {
    ...{ cluster: 'c', namespace: 'n', kind: 'Deployment', name, shard: name, state: 'converged', ready: 1, wanted: 1 },
    ...defined({ integration, liveTag, expectedTag }),
  };
}

describe('the matrix', () => {
  it('counts shards by integration and image, the most frequent image first', () => {
    const { of, images, rows } = matrixOf([
      shard('b', '1', 'new'),
      shard('a', '1', 'old'),
      shard('a', '2', 'old'),
      shard(undefined, 'stray', 'old'),
    ]);
    expect({ of, images }).toEqual({ of: 'integration', images: ['old', 'new'] });
    expect(rows.map(({ name, cells }) => [name, ...cells.map(({ length }) => length)])).toEqual([
      ['a', 2, 0],
      ['b', 0, 1],
      ['no integration', 1, 0],
    ]);
  });

  it('shows the shards where only one integration is left', () => {
    const { of, rows } = matrixOf([shard('a', 'y', 'old'), shard('a', 'x', undefined, 'new')]);
    expect(of).toBe('shard');
    expect(rows.map(({ name }) => name)).toEqual(['x', 'y']);
  });
});

describe('the image of a shard', () => {
  it.each([
    { live: 'a', expected: 'a', text: 'a' },
    { live: 'a', expected: 'b', text: 'a → b' },
    { live: undefined, expected: 'b', text: 'b' },
    { live: 'a', expected: undefined, text: 'a' },
    { live: undefined, expected: undefined, text: '' },
  ])('$live that should be $expected is $text', ({ live, expected, text }) => {
    expect(imageText(shard('i', 's', live, expected))).toBe(text);
  });
});
