import { describe, expect, it } from 'vitest';
import { fileOf, NEW, OLD, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { type Instant, MICROS } from '../../gates/index.ts';
import { paceOf } from './pace.ts';

/** A rollout whose first wave has just moved. */
function moved(track: object = {}): { readonly fleet: RolloutWorld; readonly at: Instant } {
  const fleet = new RolloutWorld(['a', 'b', 'c'], fileOf(track));
  fleet.target = OLD;
  fleet.passes(25);
  fleet.target = NEW;
  fleet.passes(2);
  return { fleet, at: (fleet.now - 2 * MICROS.minute) as Instant };
}
const pace = ({ track, record }: RolloutWorld) => paceOf(track, record);
const wait = (until: string) => ({ from: '2026-11-16T10:00:00Z', until, name: 'x', match: {}, reason: 'x' });

describe('the pace of a track', () => {
  it.each([
    { soak: '10m', due: MICROS.day, given: 'a short soak is due after a day' },
    { soak: '3d', due: 3 * MICROS.day + MICROS.hour, given: 'a long soak is due an hour after it' },
  ])('with $given', ({ soak, due }) => {
    const { fleet, at } = moved({ waves: [{ name: 'canary', shards: ['a'], soak }, { name: 'rest' }] });
    expect(pace(fleet)).toEqual({ lastProgress: at, dueAt: at + due });
  });

  it('does not get later by an unhealthy shard whose soak never ends', () => {
    const { fleet } = moved();
    const before = pace(fleet);
    for (let minute = 0; minute < 30; minute += 1) {
      fleet.live('a', { ready: minute % 2 === 0 });
      fleet.pass();
    }
    expect(fleet.track.state).toBe('under-way');
    expect(pace(fleet)).toEqual(before);
  });

  it('gets later by every move', () => {
    const { fleet, at } = moved();
    fleet.passes(12);
    expect(pace(fleet)?.lastProgress).toBeGreaterThan(at + 9 * MICROS.minute);
  });

  it('waits for the end of a freeze', () => {
    const { fleet } = moved();
    fleet.file = fileOf({}, { freezes: [wait('2026-12-24T00:00:00Z')] });
    fleet.passes(20);
    expect(pace(fleet)?.dueAt).toBe(Date.parse('2026-12-24T00:00:00Z') * MICROS.millisecond);
  });

  it('is never due while a human has to decide', () => {
    const { fleet, at } = moved();
    fleet.live('a', { restarts: 9 });
    fleet.passes(2);
    expect(fleet.track.state).toBe('halted');
    expect(pace(fleet)).toEqual({ lastProgress: at });
  });

  it('has none once it completed', () => {
    const { fleet } = moved();
    fleet.passes(80);
    expect([fleet.track.state, pace(fleet)]).toEqual(['complete', undefined]);
  });
});
