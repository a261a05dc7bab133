import { describe, expect, it } from 'vitest';
import { defined } from '../../base/index.ts';
import type { ConsoleShard } from '../state.ts';
import { imageText, linkTo, matrixOf, parseShardLink } from './shards.ts';

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

const SHARD = { cluster: 'c', namespace: 'n', name: 'i-s', integration: 'i', shard: 'a&b=#/x', liveTag: 'f929a38' };

describe('links of shards', () => {
  it.each([
    { text: 'Logs=https://l.example/?ns=$namespace&pod=$name', url: 'https://l.example/?ns=n&pod=i-s' },
    { text: 'Logs=https://l.example/$shard', url: 'https://l.example/a%26b%3D%23%2Fx' },
    {
      text: 'Grafana=https://g.example/d/x?var-s=$integration&y=$other',
      url: 'https://g.example/d/x?var-s=i&y=$other',
    },
    { text: 'X=https://g.example/?a=b=$image', url: 'https://g.example/?a=b=f929a38' },
  ])('$text is $url', ({ text, url }) => {
    expect(linkTo(parseShardLink(text), SHARD)).toBe(url);
  });

  it.each(['Logs', 'Logs=', 'Logs=javascript:alert(1)', 'Logs=ftp://x', 'Logs=//x.example', 'Logs=https://$cluster/x'])(
    '%s is refused',
    (text) => {
      expect(() => parseShardLink(text)).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
    },
  );
});
