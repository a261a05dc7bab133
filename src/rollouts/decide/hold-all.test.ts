import { describe, expect, it } from 'vitest';
import { fileOf, NEW, OLD, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { EchelonError } from '../../base/index.ts';
import { NO_ROLLOUTS } from '../file/read-rollouts.ts';
import { EMPTY_RECORD } from '../record/record.ts';
import { fileForPass, holdAll } from './hold-all.ts';

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
});
