import { describe, expect, it } from 'vitest';
import { fileOf, liveOf, NEW, OLD, RolloutWorld, START } from '../../../test/support/rollout-world.ts';
import { rolloutBoard } from './board.ts';

/** Past adoption, with a new target, after some passes of a minute. */
function world(passes: number, track: object = {}): RolloutWorld {
  const made = new RolloutWorld(['a', 'b', 'c', 'd', 'e'], fileOf(track));
  made.target = OLD;
  made.passes(25);
  made.target = NEW;
  made.passes(passes);
  return made;
}

function boardOf(fleet: RolloutWorld) {
  const board = rolloutBoard(fleet.decide(), { file: fleet.file, now: fleet.now });
  const [track] = board.tracks;
  const shards = (track?.waves ?? []).flatMap((wave) => wave.shards);
  return {
    board,
    track,
    states: Object.fromEntries(shards.map(({ id, state }) => [id.slice(-1), state])),
    reasonOf: (name: string) => shards.find(({ id }) => id.endsWith(`/${name}`))?.reason,
  };
}

describe('the board of a rollout', () => {
  it.each([
    {
      when: 'the first pass decides',
      passes: 0,
      change: () => undefined,
      states: { a: 'moving', b: 'held', e: 'held' },
    },
    { when: 'the canary soaks', passes: 5, change: () => undefined, states: { a: 'soaking', b: 'held', e: 'held' } },
    { when: 'the canary has soaked', passes: 11, change: () => undefined, states: { a: 'soaked', e: 'held' } },
    { when: 'all have soaked', passes: 90, change: () => undefined, states: { a: 'soaked', b: 'soaked', e: 'soaked' } },
    {
      when: 'a cluster cannot be observed',
      passes: 5,
      change: (fleet: RolloutWorld) => fleet.set('a', { seen: false, live: undefined as never }),
      states: { a: 'unknown', b: 'held' },
    },
    {
      when: 'a cluster of a completed rollout cannot be observed',
      passes: 90,
      change: (fleet: RolloutWorld) => fleet.set('a', { seen: false, live: undefined as never }),
      states: { a: 'unknown', b: 'soaked' },
    },
    {
      when: 'a shard is pinned to the target itself',
      passes: 90,
      change: (fleet: RolloutWorld) => fleet.set('e', { pinned: NEW }),
      states: { a: 'soaked', e: 'uncounted' },
    },
    {
      when: 'somebody puts on the brake',
      passes: 5,
      change: (fleet: RolloutWorld) => fleet.set('a', { live: liveOf(OLD) }),
      states: { a: 'failed', b: 'held' },
    },
    {
      when: 'somebody stops it',
      passes: 5,
      change: (fleet: RolloutWorld) => fleet.live('a', { stopped: 'scaled to 0' }),
      states: { a: 'failed', b: 'held' },
    },
  ])('when $when', ({ passes, change, states }) => {
    const fleet = world(passes);
    change(fleet);
    expect(boardOf(fleet).states).toMatchObject(states);
  });

  it('says when the next wave opens, and nothing of a wave that needs no opening', () => {
    const { track, reasonOf } = boardOf(world(5));
    expect(track?.waves.map(({ opening }) => opening !== undefined)).toEqual([false, true, true]);
    expect(track?.waves[1]?.opening).toEqual({ at: '2026-11-16T10:36:00Z' });
    expect(reasonOf('a')).toBe('healthy on the target for 4m of 10m');
    expect(reasonOf('b')).toMatch(/^wave canary: 0 of 1 shard soaked 10m/);
  });

  it('says that a shard which was stopped before its move does not soak', () => {
    const fleet = world(0);
    fleet.live('a', { stopped: 'suspended' });
    fleet.pass();
    fleet.live('a', { stopped: 'suspended' });
    const { states, reasonOf } = boardOf(fleet);
    expect([states['a'], reasonOf('a')]).toEqual(['soaking', 'it does not soak: it is stopped (suspended)']);
    expect(reasonOf('b')).toContain('terraform-x/a is stopped: suspended');
  });

  it('counts every shard of the track exactly once, those of no wave too', () => {
    const { track } = boardOf(world(5, { waves: [{ name: 'canary', shards: ['a'], soak: '10m' }] }));
    expect(track?.waves.map(({ name, shards }) => [name, shards.length])).toEqual([
      ['canary', 1],
      [undefined, 4],
    ]);
  });

  it('puts what is halted before what is under way, and that before what is complete', () => {
    const decided = [world(5), world(90), world(5)].map((fleet, at) => {
      if (at === 2) fleet.set('a', { live: liveOf(OLD) });
      return fleet.decide();
    });
    const [first] = decided;
    const tracks = decided.flatMap((one) => one.tracks);
    const board = rolloutBoard({ ...(first as NonNullable<typeof first>), tracks }, { file: fileOf(), now: START });
    expect(board.tracks.map(({ state }) => state)).toEqual(['halted', 'under-way', 'complete']);
  });
});
