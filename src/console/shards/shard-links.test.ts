import { describe, expect, it } from 'vitest';
import { linkTo, parseShardLink } from './shard-links.ts';

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
