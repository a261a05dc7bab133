import { describe, expect, it } from 'vitest';
import { imageMoves, wordsOf } from './execute-runs.ts';
import type { WorkloadChange } from './workloads.ts';

const change = (
  integration: string,
  name: string,
  image: WorkloadChange['image'],
  environment = 'e',
): WorkloadChange => ({
  ...{
    environment,
    cluster: 'c',
    namespace: 'n',
    kind: 'Deployment',
    name,
    integration,
    shard: name,
    change: 'changed',
  },
  ...(image === undefined ? {} : { image }),
});
const MOVE = { from: 'r:1', to: 'r:2' };
const chosen = (changes: readonly WorkloadChange[], most = 20) => {
  const { moves, left } = imageMoves(changes, most);
  return { left, moves: moves.map(({ integration, candidate, from }) => `${integration} ${candidate} ${from.size}`) };
};

describe('the shards whose image a change moves', () => {
  it.each([
    { given: 'another image', image: MOVE, moves: ['a r:2 1'] },
    { given: 'no other image', image: undefined, moves: [] },
    { given: 'no image before', image: { to: 'r:2' }, moves: [] },
    { given: 'no image after', image: { from: 'r:1' }, moves: [] },
  ])('with $given are $moves', ({ image, moves }) => {
    expect(chosen([change('a', 'x', image)])).toEqual({ left: 0, moves });
  });

  it('are grouped by integration and image', () => {
    const changes = [
      change('a', 'x', MOVE),
      change('a', 'y', { from: 'r:0', to: 'r:2' }, 'f'),
      change('a', 'z', { from: 'r:1', to: 'r:3' }),
      change('b', 'x', MOVE),
    ];
    expect(chosen(changes)).toEqual({ left: 0, moves: ['a r:2 2', 'a r:3 1', 'b r:2 1'] });
  });

  it('beyond the limit are counted, one of each integration first', () => {
    const changes = [...['1', '2', '3'].map((name) => change('a', name, MOVE)), change('b', '1', MOVE)];
    expect(chosen(changes, 2)).toEqual({ left: 2, moves: ['a r:2 1', 'b r:2 1'] });
    expect(chosen(changes, 3)).toEqual({ left: 1, moves: ['a r:2 2', 'b r:2 1'] });
  });
});

describe('the command of a check', () => {
  const words = (command: string): string[] =>
    wordsOf({ integration: 'i', command, args: [], environment: {}, name: 'i', log: 'i.txt', image: 'x:y' });

  it.each([
    '--no-dry-run',
    '--no-dry-run=true',
    '--dry-run=false',
    '--dry-run=False',
    '--dry-run=0',
    '--dry-run=',
    '--dry-run false',
    '--dry_run=no',
    '-dry-run=off',
    '--nodryrun',
  ])('with %s is refused', (option) => {
    expect(() => words(`run ${option}`)).toThrow('disables dry-run');
  });

  it.each(['--dry-run', '--dry-run=true', '--dry-run --threads 1', '--dry-runner=false'])(
    'with %s is not',
    (option) => {
      expect(words(`run ${option}`)).toEqual(['run', ...option.split(' ')]);
    },
  );
});
