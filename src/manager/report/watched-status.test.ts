import { describe, expect, it } from 'vitest';
import { EchelonError } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import type { ShardStatus } from '../status/status.ts';
import { awaitedShards, watchedStatus } from './watched-status.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:28:00Z'));
const shard = (name: string, state: ShardStatus['state'], reason?: string): ShardStatus => ({
  ...{
    cluster: 'c',
    namespace: 'n',
    kind: 'Deployment',
    name,
    integration: 'i',
    shard: name,
    state,
    ready: 0,
    wanted: 1,
  },
  ...(reason === undefined ? {} : { reason }),
});
const failure = {
  cluster: 'c',
  namespace: 'n',
  error: new EchelonError({ code: 'AWAY', message: 'no route to host', hint: 'wait' }),
};

describe('what a watched status waits for', () => {
  it.each([
    { given: 'all are settled', shards: [shard('a', 'converged'), shard('b', 'disabled')], awaited: undefined },
    {
      given: 'what a pin or a rollout holds is named, and not waited for',
      shards: [
        shard('a', 'lagging', 'it is set to another image'),
        shard('b', 'pinned'),
        shard('c', 'held', 'wave rest: wave canary: …; opens 2026-03-02T10:40:00Z'),
      ],
      awaited: {
        what: '1 of 3 shards',
        causes: [{ number: 1, text: 'lagging', detail: 'it is set to another image' }],
        aside: [
          { number: 1, text: 'pinned' },
          { number: 1, text: 'held', detail: 'wave rest: wave canary: …; opens 2026-03-02T10:40:00Z (in 12 min)' },
        ],
      },
    },
    { given: 'only held ones are left', shards: [shard('a', 'held', 'x'), shard('b', 'pinned')], awaited: undefined },
    {
      given: 'of several reasons the most frequent is named',
      shards: [
        shard('a', 'lagging', 'x'),
        shard('b', 'lagging', 'y'),
        shard('c', 'lagging', 'y'),
        shard('d', 'missing'),
      ],
      awaited: {
        what: '4 of 4 shards',
        causes: [
          { number: 3, text: 'lagging', detail: 'y, and 1 other reason' },
          { number: 1, text: 'missing' },
        ],
      },
    },
  ])('$given', ({ shards, awaited }) => {
    expect(awaitedShards({ shards, failures: [] }, NOW)).toEqual(awaited);
  });

  it('is a namespace without shards that cannot be observed, too', () => {
    expect(awaitedShards({ shards: [shard('a', 'converged')], failures: [failure] }, NOW)).toEqual({
      what: '1 namespace',
      causes: [{ number: 1, text: 'cannot be observed', detail: 'c/n: no route to host' }],
    });
  });

  it('sees nothing when no shard could be observed, and something when one could', () => {
    const blind = (...shards: ShardStatus[]) => watchedStatus({ shards, failures: [failure] }, 'usual', NOW).blind;
    expect(blind(shard('a', 'unknown'))).toBe('c/n: no route to host [AWAY]');
    expect(blind(shard('a', 'unknown'), shard('b', 'converged'))).toBeUndefined();
  });

  it('has a key for each row of its table', () => {
    const shards = [shard('b', 'lagging'), { ...shard('a', 'converged'), cluster: 'z' }, shard('a', 'missing')];
    const { table, rows } = watchedStatus({ shards, failures: [] }, 'usual', NOW);
    expect(rows.map(({ key, isAwaited }) => [key, isAwaited])).toEqual([
      ['c/n/Deployment/a', true],
      ['c/n/Deployment/b', true],
      ['z/n/Deployment/a', false],
    ]);
    expect(table.rows.map(([state]) => state)).toEqual(['missing', 'lagging', 'converged']);
  });
});
