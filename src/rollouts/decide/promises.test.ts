import { describe, expect, it } from 'vitest';
import { fileOf, liveOf, NEW, NEWER, OLD, PERIOD, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { instantText, later, MICROS } from '../../gates/index.ts';
import { explainShards } from '../forecast/explain.ts';
import { forecastRollouts } from '../forecast/forecast.ts';
import { formatRecord, parseRecord } from '../record/record-bytes.ts';

/** Two shards in the first wave, which soaks for ten minutes, and two behind it. */
const WAVES = {
  waves: [
    { name: 'canary', shards: ['a', 'x'], soak: '10m' },
    { name: 'rest', soak: '5m' },
  ],
};
const FILE = fileOf(WAVES);

function world(file = FILE): RolloutWorld {
  return new RolloutWorld(['a', 'x', 'b', 'c'], file);
}

/** The next pass is the one that sees the first wave soaked. */
function aboutToOpen(file = FILE): RolloutWorld {
  const fleet = world(file);
  fleet.passes(11);
  return fleet;
}

const movedIn = (fleet: RolloutWorld): string[] => fleet.track.moves.map(({ id }) => id.split('/')[1] ?? '').sort();

describe('R1: an image that is no way back moves to a shard', () => {
  const unseen = { seen: false, live: undefined as never };
  it.each([
    { given: 'the wave before has soaked', change: () => undefined, moved: ['b', 'c'] },
    {
      given: 'a microsecond of soak is missing',
      change: (fleet: RolloutWorld) => {
        fleet.now = later(fleet.now, -1);
      },
      moved: [],
    },
    {
      given: 'a shard that soaked is not ready now',
      change: (f: RolloutWorld) => f.live('a', { ready: false }),
      moved: [],
    },
    {
      given: 'a shard that soaked is stopped now',
      change: (f: RolloutWorld) => f.live('a', { stopped: 'scaled to 0' }),
      moved: [],
    },
    { given: 'a shard that soaked is not seen now', change: (f: RolloutWorld) => f.set('a', unseen), moved: [] },
    {
      given: 'a shard was added to the wave before',
      change: (fleet: RolloutWorld) => {
        fleet.file = fileOf({ waves: [{ ...WAVES.waves[0], shards: ['a', 'x', 'b'] }, WAVES.waves[1]] });
      },
      moved: ['b'],
    },
    {
      given: 'the wave before has no shard any more',
      change: (fleet: RolloutWorld) => {
        for (const name of ['a', 'x']) fleet.shards.delete(name);
      },
      moved: [],
    },
  ])('when $given: $moved', ({ change, moved }) => {
    const fleet = aboutToOpen();
    change(fleet);
    fleet.pass();
    expect(movedIn(fleet)).toEqual(moved);
  });

  it('when an overrule names it, and not when it names another image', () => {
    for (const [image, moved] of [
      ['0000002', ['a', 'b', 'c', 'x']],
      ['0000003', ['a', 'x']],
    ] as const) {
      const at = { at: '2026-11-16T09:00:00Z', until: '2026-11-16T12:00:00Z' };
      const fleet = world(
        fileOf(WAVES, { overrules: [{ track: 't', image, action: 'expedite', reason: 'r', ...at }] }),
      );
      fleet.pass();
      expect(movedIn(fleet)).toEqual(moved);
    }
  });
});

describe('R2: soak is credited only for time seen healthy at both ends, on this target', () => {
  const soaked = (fleet: RolloutWorld): number => (fleet.recordOf('a')?.soak?.micros ?? 0) / MICROS.minute;
  it.each([
    { given: 'healthy sightings', during: () => undefined, minutes: 5 },
    { given: 'one that is not ready', during: (f: RolloutWorld) => f.live('a', { ready: false }), minutes: 2 },
    {
      given: 'one that is stopped',
      during: (fleet: RolloutWorld) => {
        for (const name of ['a', 'x']) fleet.live(name, { stopped: 'scaled to 0' });
      },
      minutes: 2,
    },
    { given: 'one that is not seen', during: (f: RolloutWorld) => f.set('a', { seen: false }), minutes: 3 },
    {
      given: 'another target',
      during: (fleet: RolloutWorld) => {
        fleet.target = NEWER;
      },
      minutes: 2,
    },
    {
      given: 'a clock that went back',
      during: (fleet: RolloutWorld) => {
        fleet.now = later(fleet.now, -60 * PERIOD);
      },
      minutes: 1,
    },
  ])('with $given in between: $minutes min', ({ during, minutes }) => {
    const fleet = world();
    fleet.passes(3);
    expect(soaked(fleet)).toBe(1);
    during(fleet);
    fleet.pass();
    if (fleet.target === NEW) fleet.set('a', { seen: true, live: liveOf(NEW) });
    fleet.passes(3);
    expect(soaked(fleet)).toBe(minutes);
  });
});

describe('R4: a forward write', () => {
  const freeze = (from: number, until: number, { now }: RolloutWorld) =>
    fileOf(WAVES, {
      freezes: [{ name: 'f', reason: 'r', from: instantText(later(now, from)), until: instantText(later(now, until)) }],
    });
  it.each([
    { given: 'when a freeze begins at this moment', from: 0, until: MICROS.hour, moves: false },
    { given: 'in the last microsecond of a freeze', from: -MICROS.hour, until: 1, moves: false },
    { given: 'when a freeze ends at this moment', from: -MICROS.hour, until: 0, moves: true },
    { given: 'a microsecond before a freeze', from: 1, until: MICROS.hour, moves: true },
  ])('$given begins: $moves', ({ from, until, moves }) => {
    const fleet = world();
    fleet.file = freeze(from, until, fleet);
    fleet.pass();
    expect(movedIn(fleet)).toEqual(moves ? ['a', 'x'] : []);
  });

  it.each([
    { at: '09:59:59.999999', moves: false },
    { at: '10:00:00', moves: true },
    { at: '10:59:59.999999', moves: true },
    { at: '11:00:00', moves: false },
  ])('in the window of 10 o’clock, at $at, begins: $moves', ({ at, moves }) => {
    const fleet = world(fileOf({ ...WAVES, window: '* 10 * * *' }));
    const [time = '', fraction = '0'] = at.split('.');
    fleet.now = later(fleet.now, (Date.parse(`2026-11-16T${time}Z`) - Date.parse('2026-11-16T10:00:00Z')) * 1_000);
    fleet.now = later(fleet.now, Number(fraction));
    fleet.pass();
    expect(movedIn(fleet)).toEqual(moves ? ['a', 'x'] : []);
  });

  it('does not wait on the way back', () => {
    const fleet = aboutToOpen();
    fleet.passes(8);
    expect(fleet.track.state).toBe('complete');
    fleet.target = NEWER;
    fleet.pass();
    fleet.target = NEW;
    fleet.file = freeze(0, MICROS.hour, fleet);
    fleet.pass();
    expect(fleet.track.moves).toContainEqual({ id: 'terraform-x/a', image: NEW, isBack: true });
  });
});

describe('R5: a pin', () => {
  it.each([
    { given: 'before the rollout', after: 0 },
    { given: 'between two waves', after: 11 },
    { given: 'after completion', after: 20 },
  ])('$given wins: its shard is neither moved, returned nor held', ({ after }) => {
    const fleet = world(fileOf({ ...WAVES, onFailure: 'rollback' }));
    fleet.passes(after);
    for (const name of ['a', 'c']) fleet.set(name, { pinned: 'quay.io/o/reconcile:pinned' });
    for (let pass = 0; pass < 20; pass += 1) {
      fleet.pass();
      const { moves, returns, holds } = fleet.track;
      expect([...moves, ...returns, ...holds].filter(({ id }) => /\/[ac]$/.test(id))).toEqual([]);
    }
  });

  it('leaves every other shard either moved or held on its live image', () => {
    const fleet = world();
    fleet.live('c', { image: 'quay.io/o/reconcile:hand' });
    fleet.pass();
    expect(movedIn(fleet)).toEqual(['a', 'x']);
    expect(fleet.track.holds.map(({ id, image }) => [id, image])).toEqual(
      expect.arrayContaining([
        ['terraform-x/b', OLD],
        ['terraform-x/c', 'quay.io/o/reconcile:hand'],
      ]),
    );
  });
});

function restore(fleet: RolloutWorld, shards: RolloutWorld['shards']): void {
  for (const [name, facts] of shards) fleet.shards.set(name, facts);
}

function onTarget({ shards }: RolloutWorld): string[] {
  return [...shards].flatMap(([name, { live }]) => (live?.image === NEW ? [name] : []));
}

describe('R6: after a crash', () => {
  it.each([
    { at: 'before the record is stored', keepsRecord: false, keepsWrites: false },
    { at: 'after the record is stored, before its writes', keepsRecord: true, keepsWrites: false },
    { at: 'after its writes', keepsRecord: true, keepsWrites: true },
  ])('$at in every second pass waves open in the same order, and nothing fails', ({ keepsRecord, keepsWrites }) => {
    const fleet = world();
    const order = new Set<string>();
    for (let pass = 0; pass < 60; pass += 1) {
      const before = { shards: new Map(fleet.shards), record: fleet.record };
      fleet.pass(PERIOD / 2);
      if (!keepsWrites) restore(fleet, before.shards);
      fleet.record = keepsRecord ? parseRecord(formatRecord(fleet.record), 'x') : before.record;
      fleet.pass(PERIOD / 2);
      for (const name of onTarget(fleet)) order.add(name);
    }
    expect(fleet.track.state).toBe('complete');
    expect([...order].slice(0, 2).sort()).toEqual(['a', 'x']);
    expect(fleet.failures).toEqual([]);
  });
});

describe('R7: a forecast', () => {
  it('does not start what somebody stopped: it gives no time for what waits for it, and names it', () => {
    const fleet = world();
    fleet.live('a', { stopped: 'suspended' });
    fleet.pass();
    fleet.live('a', { stopped: 'suspended' });
    const [track] = forecastRollouts(fleet.file, [fleet.facts()], fleet.record, { now: fleet.now, period: PERIOD });
    expect(track?.waves.map(({ startsAt, passedAt }) => [startsAt, passedAt])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(track?.blocked?.verdict.reason).toContain('terraform-x/a is stopped: suspended');
  });
});

describe('R7: the same facts, record and time', () => {
  it('give the same decision and explanation, also with a record that was stored and read', () => {
    const fleet = aboutToOpen();
    fleet.live('x', { restarts: 5 });
    fleet.pass();
    const first = fleet.decide();
    fleet.record = parseRecord(formatRecord(fleet.record), 'x');
    const second = fleet.decide();
    expect(second).toEqual(first);
    expect(explainShards(second)).toEqual(explainShards(first));
    expect(Buffer.from(formatRecord(second.record))).toEqual(Buffer.from(formatRecord(first.record)));
  });
});
