import { describe, expect, it } from 'vitest';
import { fileOf, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { later, MICROS } from '../../gates/index.ts';
import { needsStoring, usableRecord } from './record-age.ts';

/** Under way, with a failure. */
function failed(): RolloutWorld {
  const world = new RolloutWorld(['a', 'b'], fileOf());
  world.passes(2);
  world.live('a', { restarts: 5 });
  world.pass();
  expect(world.failures).toHaveLength(1);
  return world;
}

describe('A5: the age of a record', () => {
  it.each([
    { days: 7, shards: 2 },
    { days: 7.01, shards: 0 },
  ])('of $days days leaves $shards shards, all failures, and the history', ({ days, shards }) => {
    const { record } = failed();
    const used = usableRecord(record, later(record.checkIn!, days * MICROS.day));
    const [scope] = used.scopes.values();
    expect([scope?.shards.size, scope?.failures.length]).toEqual([shards, 1]);
    expect(scope?.history).toEqual([...record.scopes.values()][0]?.history);
  });
});

describe('A5: a record is stored', () => {
  it('at once when a move is announced or a sighting was unhealthy, every five minutes when only time passed', () => {
    const world = new RolloutWorld(['a', 'b']);
    let stored = world.record;
    const storedAt: number[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      if (minute === 3) world.live('a', { ready: false });
      if (minute === 4) world.live('a', { ready: true });
      world.pass();
      if (!needsStoring(stored, world.record)) continue;
      stored = world.record;
      storedAt.push(minute);
    }
    expect(storedAt).toEqual([0, 1, 3, 4, 9]);
  });

  it('not while nothing happens, but before it is too old', () => {
    const world = new RolloutWorld(['a', 'b'], fileOf());
    world.passes(200);
    expect(world.track.state).toBe('complete');
    const stored = world.record;
    world.passes(30);
    expect(needsStoring(stored, world.record)).toBe(false);
    world.pass(3 * MICROS.day);
    world.pass();
    expect(needsStoring(stored, world.record)).toBe(true);
  });
});
