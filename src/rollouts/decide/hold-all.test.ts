import { describe, expect, it } from 'vitest';
import { fileOf, NEW, OLD, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { EchelonError } from '../../base/index.ts';
import { NO_ROLLOUTS } from '../file/read-rollouts.ts';
import { EMPTY_RECORD } from '../record/record.ts';
import { fileForPass, holdAll, holdAllFault } from './hold-all.ts';

const HELD = new RolloutWorld(['a', 'b']).pass().record;
const BAD = new EchelonError({ code: 'ROLLOUTS_INVALID', message: 'x', hint: 'y' });

describe('F3: a file', () => {
  it.each([
    { given: 'that is absent, with nothing held', read: undefined, record: EMPTY_RECORD, found: NO_ROLLOUTS },
    { given: 'that was read', read: fileOf(), record: HELD, found: fileOf() },
    { given: 'that cannot be read', read: BAD, record: EMPTY_RECORD, found: BAD },
  ])('$given', ({ read, record, found }) => {
    expect(fileForPass(read, record, 'rollouts.yml')).toEqual(found);
  });

  it('that is gone while shards are held is an error', () => {
    expect(fileForPass(undefined, HELD, 'resources/echelon/rollouts.yml')).toMatchObject({
      code: 'ROLLOUTS_MISSING',
      message: expect.stringContaining('such as terraform-x/b'),
    });
  });

  it('that is needed holds everything but pins', () => {
    const world = new RolloutWorld(['a', 'b', 'c', 'd']);
    world.set('b', { pinned: 'x' });
    world.live('c', { image: NEW });
    const held = { environment: 'prod', upstream: 'u', target: NEW, image: OLD };
    expect(holdAll([world.facts()])).toEqual([
      { ...held, id: 'terraform-x/a' },
      { ...held, id: 'terraform-x/d' },
    ]);
  });

  const kept = (id: string) => ({ id, image: OLD, target: NEW });
  it.each([
    { holds: [], says: 'x; no shard has to move now' },
    { holds: [kept('t/a')], says: 'x; held are 1 shard on another image than declared (t/a)' },
    {
      holds: [kept('t/a'), { id: 't/b', target: NEW }, ...['c', 'd', 'e'].map((name) => kept(`t/${name}`))],
      says: 'x; held are 4 shards on another image than declared (t/a, t/c, t/d and 1 more) and 1 shard not created yet (t/b)',
    },
  ])('that is needed is an error that says what is held: $says', ({ holds, says }) => {
    expect(holdAllFault(BAD, holds)).toMatchObject({ code: BAD.code, message: says, hint: BAD.hint, cause: BAD });
  });
});
