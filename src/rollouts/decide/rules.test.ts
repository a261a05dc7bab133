import { describe, expect, it } from 'vitest';
import { fileOf, liveOf, NEW, NEWER, OLD, RolloutWorld, START } from '../../../test/support/rollout-world.ts';
import { later, MICROS, secondText } from '../../gates/index.ts';
import { EMPTY_RECORD, type ScopeRecord } from '../record/record.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const at = (minutes: number): string => secondText(later(START, minutes * MICROS.minute));

/** Past adoption: every shard has a good image. */
function world(track: object = {}, more: object = {}): RolloutWorld {
  const made = new RolloutWorld(NAMES, fileOf(track, more));
  made.target = OLD;
  made.passes(25);
  expect(made.track.state).toBe('complete');
  made.target = NEW;
  return made;
}

describe('a rollout without faults', () => {
  it('takes wave by wave, and completes', () => {
    const fleet = world();
    fleet.pass();
    expect(fleet.images()).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
    fleet.passes(10);
    expect(fleet.images()).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
    fleet.pass();
    expect(Object.values(fleet.images()).filter((tag) => tag === '2')).toHaveLength(2);
    fleet.passes(60);
    expect(fleet.images()).toEqual({ a: '2', b: '2', c: '2', d: '2', e: '2' });
    expect(fleet.track).toMatchObject({ state: 'complete', moves: [], holds: [], returns: [] });
    expect(fleet.recordOf('e')).toEqual({ integration: 'terraform-x', shard: 'e', image: NEW, good: NEW });
  });

  it('is the same for the same facts, record and time', () => {
    const fleet = world();
    fleet.passes(5);
    expect(fleet.decide()).toEqual(fleet.decide());
  });
});

describe('D1: waves', () => {
  it('are read again in each pass', () => {
    const fleet = world();
    fleet.passes(8);
    fleet.file = fileOf({ waves: [{ name: 'canary', shards: ['a'], soak: '5m' }, { name: 'rest' }] });
    fleet.pass();
    expect(fleet.images()).toEqual({ a: '2', b: '2', c: '2', d: '2', e: '2' });
  });

  it('do not count pinned and disabled shards, and without one that counts they stay closed and say so', () => {
    const fleet = world();
    fleet.set('a', { pinned: OLD });
    fleet.passes(40);
    expect(fleet.images()).toMatchObject({ b: '1', d: '1' });
    expect(fleet.track.waves[0]).toMatchObject({
      state: 'open',
      counting: 0,
      reason: expect.stringContaining('pinned'),
    });
    expect(fleet.closed('b')).toEqual(['wave']);
  });

  it('close again when a shard that soaked is not healthy any more', () => {
    const fleet = world();
    fleet.passes(12);
    fleet.live('a', { ready: false });
    fleet.passes(3);
    expect(fleet.closed('d')).toContain('wave');
    expect(fleet.track.waves[0]?.state).toBe('open');
  });
});

const STOPS = ['scaled to 0', 'suspended', 'paused'] as const;

describe('D2: what is done to stop an image', () => {
  it.each([
    { brake: 'a pin to another image', facts: { pinned: OLD } },
    { brake: 'disabling it', facts: { disabled: true } },
    { brake: 'the old image set by hand', facts: { live: liveOf(OLD) } },
    { brake: 'another image set by hand', facts: { live: liveOf('quay.io/o/reconcile:hand') } },
    ...STOPS.map((stopped) => ({ brake: stopped, facts: { live: liveOf(NEW, { stopped }) } })),
    { brake: 'deleting it', facts: { live: undefined as never } },
  ])('fails it: $brake', ({ facts }) => {
    const fleet = world();
    fleet.passes(14);
    const under = fleet.images()['b'] === '2' ? 'b' : 'c';
    fleet.set(under, facts);
    fleet.pass();
    expect(fleet.track.moves.filter(({ image }) => image === NEW)).toEqual([]);
    fleet.passes(60);
    expect(fleet.failures).toEqual([expect.objectContaining({ shard: `terraform-x/${under}`, image: NEW })]);
    expect(fleet.track.state).toBe('halted');
    expect(fleet.images()).toMatchObject({ d: '1', e: '1' });
    expect(fleet.closed('d')).toEqual(['halted', 'wave']);
  });

  const HAND = 'quay.io/o/reconcile:hand';
  const unseen = { seen: false, live: undefined as never };
  it.each([
    { done: 'another image set by hand', facts: [{ live: liveOf(HAND) }], fails: true },
    { done: 'a pin that somebody else wrote', facts: [{ pinned: HAND, live: liveOf(HAND) }], fails: true },
    { done: 'a pin before it was written', facts: [{ pinned: HAND }], fails: true },
    { done: 'disabling it', facts: [{ disabled: true }], fails: true },
    ...STOPS.map((stopped) => ({ done: stopped, facts: [{ live: liveOf(NEW, { stopped }) }], fails: true })),
    { done: 'deleting it', facts: [{ live: undefined as never }], fails: true },
    {
      done: 'stopping it while it was out of sight',
      facts: [unseen, { seen: true, live: liveOf(NEW, { stopped: 'scaled to 0' as const }) }],
      fails: true,
    },
    { done: 'deleting it while it was out of sight', facts: [unseen, { ...unseen, seen: true }], fails: true },
    {
      done: 'stopping it where the write never happened',
      facts: [
        { live: liveOf(OLD, { stopped: 'suspended' as const }) },
        { live: liveOf(NEW, { stopped: 'suspended' }) },
      ],
      fails: false,
    },
    {
      done: 'another image set by hand while it was out of sight',
      facts: [unseen, { seen: true, live: liveOf(HAND) }],
      fails: true,
    },
    {
      done: 'a pin while it was out of sight',
      facts: [
        { ...unseen, pinned: OLD },
        { seen: true, live: liveOf(NEW) },
      ],
      fails: true,
    },
    { done: 'a write that never happened', facts: [{ live: liveOf(OLD) }], fails: false },
    { done: 'a pin where the write never happened', facts: [{ pinned: OLD, live: liveOf(OLD) }], fails: false },
    { done: 'a pin to the image itself', facts: [{ pinned: NEW }], fails: false },
  ])('between its move and the next pass fails it: $done: $fails', ({ facts, fails }) => {
    const fleet = world();
    fleet.pass();
    for (const one of facts) {
      fleet.set('a', one);
      fleet.pass();
    }
    fleet.pass();
    expect(fleet.failures.map(({ shard, image }) => [shard, image])).toEqual(fails ? [['terraform-x/a', NEW]] : []);
    expect(fleet.track.state).toBe(fails ? 'halted' : 'under-way');
    expect(fleet.images()).toMatchObject({ b: '1', c: '1', d: '1' });
  });

  it.each([
    { done: 'a pin', facts: { pinned: OLD } },
    { done: 'disabling it', facts: { disabled: true } },
    { done: 'stopping it', facts: { live: liveOf(NEW, { stopped: 'scaled to 0' as const }) } },
    { done: 'deleting it', facts: { live: undefined as never } },
  ])('fails it in the pass that would have seen it soaked: $done', ({ facts }) => {
    const fleet = new RolloutWorld(
      ['a', 'x', 'b', 'c'],
      fileOf({ waves: [{ name: 'canary', shards: ['a', 'x'], soak: '10m' }, { name: 'rest' }] }),
    );
    fleet.passes(11);
    fleet.set('a', facts);
    fleet.pass();
    expect(fleet.failures).toEqual([expect.objectContaining({ shard: 'terraform-x/a', image: NEW })]);
    expect(fleet.recordOf('a')?.good).toBe(OLD);
    fleet.passes(5);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1' });
  });

  it('fails nothing where a move that was announced was seen not to have happened, and is held since', () => {
    const fleet = world();
    fleet.pass();
    fleet.set('a', { live: liveOf(OLD) });
    fleet.file = fileOf(
      {},
      { freezes: [{ name: 'f', from: '2026-11-16T00:00:00Z', until: '2026-11-17T00:00:00Z', reason: 'r' }] },
    );
    fleet.passes(2);
    fleet.set('a', { live: liveOf(HAND) });
    fleet.passes(2);
    expect(fleet.failures).toEqual([]);
    expect(fleet.track.alerts).toEqual([expect.objectContaining({ kind: 'set-by-hand', shard: 'terraform-x/a' })]);
  });

  it('fails nothing where a late write is of the image that was announced before', () => {
    const fleet = world();
    fleet.pass();
    fleet.set('a', { live: liveOf(OLD) });
    fleet.target = NEWER;
    fleet.pass();
    fleet.set('a', { live: liveOf(NEW) });
    fleet.passes(2);
    expect(fleet.failures).toEqual([]);
    expect(fleet.images()).toMatchObject({ a: '3' });
  });

  it('fails nothing where the pin is to the image itself', () => {
    const fleet = world();
    fleet.passes(3);
    fleet.set('a', { pinned: NEW });
    fleet.passes(3);
    expect(fleet.failures).toEqual([]);
  });

  it('leaves and reports other images set by hand', () => {
    const fleet = world();
    fleet.passes(3);
    fleet.live('e', { image: 'quay.io/o/reconcile:hand' });
    fleet.pass();
    expect(fleet.failures).toEqual([]);
    expect(fleet.track.alerts).toEqual([expect.objectContaining({ kind: 'set-by-hand', shard: 'terraform-x/e' })]);
    expect(fleet.track.holds).toContainEqual({
      ...{ id: 'terraform-x/e', image: 'quay.io/o/reconcile:hand', target: NEW },
    });
  });
});

describe('D2: a stopped shard', () => {
  const stop = { stopped: 'scaled to 0' } as const;
  /** The canary is stopped on its live image. */
  const stopped = (fleet: RolloutWorld, how: (typeof STOPS)[number] = 'scaled to 0') => {
    fleet.live('a', { stopped: how });
    return fleet;
  };
  /** A pass whose write leaves the canary stopped, as one of the server does. */
  const passStopped = (fleet: RolloutWorld, how: (typeof STOPS)[number] = 'scaled to 0') => {
    fleet.pass();
    return stopped(fleet, how);
  };

  it.each(STOPS)('from before its move was announced (%s) counts, does not soak and fails nothing', (how) => {
    const fleet = passStopped(stopped(world(), how), how);
    expect(fleet.images()['a']).toBe('2');
    fleet.passes(60);
    expect(fleet.failures).toEqual([]);
    expect(fleet.track).toMatchObject({ state: 'under-way', stopped: [{ shard: 'terraform-x/a', stop: how }] });
    expect(fleet.track.waves[0]).toMatchObject({ counting: 1, onTarget: 1, soaked: 0 });
    expect(fleet.track.waves[0]?.reason).toContain(`; terraform-x/a is stopped: ${how}`);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1', d: '1', e: '1' });
  });

  it('from before its move soaks once it is started, and fails the image when it is stopped again', () => {
    const fleet = passStopped(stopped(world()));
    fleet.passes(3);
    fleet.set('a', { live: liveOf(NEW) });
    fleet.passes(5);
    expect(fleet.recordOf('a')?.soak?.micros).toBe(4 * MICROS.minute);
    stopped(fleet);
    fleet.pass();
    expect(fleet.failures).toEqual([
      expect.objectContaining({ shard: 'terraform-x/a', reason: 'it was stopped before it soaked: scaled to 0' }),
    ]);
  });

  it('that is deleted after its move was announced fails nothing', () => {
    const fleet = passStopped(stopped(world()));
    fleet.pass();
    fleet.set('a', { live: undefined as never });
    fleet.passes(3);
    expect(fleet.failures).toEqual([]);
  });

  it('of a record from before moves said whether shards ran fails nothing and does not soak, until it was seen running', () => {
    const fleet = world();
    fleet.pass();
    const { runs, ...move } = fleet.recordOf('a')!.move!;
    expect(runs).toBe('Deployment c/n');
    const [[key, scope]] = [...fleet.record.scopes] as [[string, ScopeRecord]];
    const shards = new Map([...scope.shards, ['terraform-x/a', { ...fleet.recordOf('a')!, move }]]);
    fleet.record = { ...fleet.record, scopes: new Map([[key, { ...scope, shards }]]) };
    stopped(fleet);
    fleet.passes(30);
    expect([fleet.failures, fleet.images()['b']]).toEqual([[], '1']);
    fleet.set('a', { live: liveOf(NEW) });
    fleet.pass();
    stopped(fleet);
    fleet.pass();
    expect(fleet.failures).toHaveLength(1);
  });

  it('that had soaked fails nothing, and closes the waves behind it until it has soaked again', () => {
    const fleet = world();
    fleet.passes(12);
    stopped(fleet);
    fleet.passes(30);
    expect(fleet.failures).toEqual([]);
    expect(fleet.closed('d')).toEqual(['wave']);
    fleet.set('a', { live: liveOf(NEW) });
    fleet.passes(60);
    expect(fleet.track.state).toBe('complete');
  });

  it('after completion is neither a failure nor an alert', () => {
    const fleet = world();
    fleet.passes(80);
    expect(fleet.track.state).toBe('complete');
    stopped(fleet);
    fleet.passes(20);
    expect(fleet.track).toMatchObject({ state: 'complete', alerts: [], stopped: [] });
    expect(fleet.failures).toEqual([]);
  });

  it('that is declared so by the change that moves it fails nothing; one that is declared so later does', () => {
    const fleet = world();
    fleet.set('a', { declaredStop: 'scaled to 0' });
    passStopped(fleet).passes(30);
    expect(fleet.failures).toEqual([]);
    const other = world();
    other.passes(3);
    other.set('a', { declaredStop: 'scaled to 0', live: liveOf(NEW, stop) });
    other.pass();
    expect(other.failures).toHaveLength(1);
  });

  it.each([
    { given: 'another namespace', change: { namespace: 'other' } },
    { given: 'another cluster', change: { cluster: 'other' } },
    { given: 'another kind of workload', change: { workload: 'StatefulSet' as const } },
  ])('is not one that does not exist yet in $given; deleted there, it fails the image', ({ change }) => {
    const fleet = world();
    fleet.passes(3);
    fleet.set('a', { ...change, live: undefined as never });
    fleet.passes(3);
    expect([fleet.failures, fleet.images()['a']]).toEqual([[], '2']);
    fleet.set('a', { live: undefined as never });
    fleet.pass();
    expect(fleet.failures).toEqual([
      expect.objectContaining({ shard: 'terraform-x/a', image: NEW, reason: 'it was deleted before it soaked' }),
    ]);
  });

  it('was not deleted where it never had an object', () => {
    const fleet = world();
    fleet.set('a', { live: undefined as never });
    fleet.pass();
    fleet.set('a', { live: undefined as never });
    fleet.passes(3);
    expect(fleet.failures).toEqual([]);
  });

  it('after a resume does not fail the image again, and soaks it once it is started', () => {
    const fleet = world();
    fleet.passes(3);
    stopped(fleet);
    fleet.passes(2);
    expect(fleet.track.state).toBe('halted');
    const resume = { track: 't', image: '0000002', action: 'resume', at: secondText(fleet.now), reason: 'r' };
    fleet.file = fileOf({}, { overrules: [resume] });
    fleet.passes(20);
    expect([fleet.failures, fleet.track.state, fleet.images()['b']]).toEqual([[], 'under-way', '1']);
    fleet.set('a', { live: liveOf(NEW) });
    fleet.passes(12);
    expect(fleet.track.waves[0]?.state).toBe('passed');
  });

  it('is not good at adoption', () => {
    const fleet = new RolloutWorld(NAMES, fileOf());
    stopped(fleet).pass();
    expect(fleet.recordOf('a')?.good).toBeUndefined();
  });

  it.each([
    { given: 'its move is written', image: NEW },
    { given: 'its move is refused', image: OLD },
  ])('takes no parallel slot when $given', ({ image }) => {
    const waves = [{ name: 'all', maxParallel: 1, soak: '5m' }];
    const first = world({ waves }).pass().tracks[0]?.moves[0]?.id.slice(-1) ?? '';
    const fleet = world({ waves });
    fleet.live(first, stop);
    for (let pass = 0; pass < 40; pass += 1) {
      fleet.pass();
      fleet.set(first, { live: liveOf(image, stop) });
    }
    const { [first]: _, ...others } = fleet.images();
    expect(Object.values(others)).toEqual(['2', '2', '2', '2']);
    expect(fleet.failures).toEqual([]);
  });
});

describe('D3: a shard that this pass could not see', () => {
  it.each([
    {
      given: 'its cluster is unreachable',
      hide: (fleet: RolloutWorld) => fleet.set('a', { seen: false, live: undefined as never }),
    },
    {
      given: 'it was left out',
      hide: (fleet: RolloutWorld) => {
        fleet.isComplete = false;
        fleet.shards.delete('a');
      },
    },
  ])('counts, unsoaked: $given', ({ hide }) => {
    const fleet = world();
    fleet.passes(9);
    hide(fleet);
    fleet.passes(30);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1', d: '1' });
    expect(fleet.track.waves[0]).toMatchObject({ counting: 1, soaked: 0 });
  });

  it('is forgotten when a complete list does not have it any more', () => {
    const fleet = world();
    fleet.passes(9);
    fleet.shards.delete('e');
    fleet.pass();
    expect(fleet.recordOf('e')).toBeUndefined();
  });
});

describe('D4: durations', () => {
  it('count at most twice the period between two passes', () => {
    const fleet = world();
    fleet.pass();
    fleet.pass(6 * MICROS.hour);
    fleet.pass();
    expect(fleet.recordOf('a')?.soak?.micros).toBe(2 * MICROS.minute);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1' });
  });

  it('of downtime do not count towards the deadline', () => {
    const fleet = world();
    fleet.pass();
    fleet.live('a', { ready: false });
    fleet.pass(6 * MICROS.hour);
    fleet.pass();
    expect(fleet.failures).toEqual([]);
  });

  it('start again after one unhealthy sighting', () => {
    const fleet = world();
    fleet.passes(10);
    fleet.live('a', { ready: false });
    fleet.pass();
    fleet.live('a', { ready: true });
    fleet.passes(10);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1' });
    fleet.passes(2);
    expect(Object.values(fleet.images()).filter((tag) => tag === '2')).toHaveLength(2);
  });

  it('of one target do not count for another', () => {
    const fleet = world();
    fleet.passes(10);
    fleet.target = NEWER;
    fleet.pass();
    expect(fleet.images()).toMatchObject({ a: '3', b: '1' });
    fleet.passes(9);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1' });
  });
});

const QUERIES = {
  health: { maxRestarts: 1, progressDeadline: '10m', queries: ['errors'] },
};
const DECLARED = { queries: [{ name: 'errors', promql: 'x', expect: { max: 0 } }] };

describe('D5: a target fails on a shard', () => {
  it('that is not ready within the deadline', () => {
    const fleet = world();
    fleet.pass();
    fleet.live('a', { ready: false });
    fleet.passes(10);
    expect(fleet.failures).toEqual([]);
    fleet.passes(2);
    expect(fleet.failures).toEqual([expect.objectContaining({ reason: 'not ready for 10m' })]);
  });

  it('with more restarts than the limit, also over several pods', () => {
    const fleet = world();
    fleet.pass();
    fleet.live('a', { restarts: 1 });
    fleet.pass();
    expect(fleet.failures).toEqual([]);
    fleet.live('a', { restarts: 0 });
    fleet.pass();
    fleet.live('a', { restarts: 1 });
    fleet.pass();
    expect(fleet.failures).toEqual([expect.objectContaining({ reason: '2 restarts, more than 1' })]);
  });

  it('whose query is wrong in two sightings, not in one', () => {
    const fleet = new RolloutWorld(NAMES, fileOf(QUERIES, DECLARED));
    fleet.target = OLD;
    for (const name of NAMES) fleet.live(name, { queries: { errors: 'expected' } });
    fleet.passes(30);
    fleet.target = NEW;
    fleet.pass();
    fleet.live('a', { queries: { errors: 'wrong' } });
    fleet.pass();
    fleet.live('a', { queries: { errors: 'expected' } });
    fleet.pass();
    fleet.live('a', { queries: { errors: 'wrong' } });
    fleet.pass();
    expect(fleet.failures).toEqual([]);
    expect(fleet.closed('b')).toEqual(['wave', 'queries']);
    fleet.pass();
    expect(fleet.failures).toEqual([
      expect.objectContaining({ reason: 'query errors: not as expected, wrong in two observations' }),
    ]);
  });

  it('never because of an unknown query, which credits nothing either', () => {
    const fleet = new RolloutWorld(NAMES, fileOf(QUERIES, DECLARED));
    fleet.passes(60);
    expect(fleet.failures).toEqual([]);
    expect(fleet.images()).toMatchObject({ a: '2', b: '1' });
    expect(fleet.recordOf('a')?.soak).toBeUndefined();
  });

  it('not if the shard was not healthy just before; it only does not soak', () => {
    const fleet = world();
    fleet.live('a', { ready: false });
    fleet.pass();
    fleet.live('a', { ready: false, restarts: 5 });
    fleet.passes(30);
    expect(fleet.failures).toEqual([]);
    expect(fleet.images()).toMatchObject({ a: '2', b: '1' });
  });

  describe('that is a CronJob', () => {
    const cron = (state: 'succeeded' | 'failed' | 'running', image: string, minutes: number) => ({
      ...{ image, state, startedAt: later(START, minutes * MICROS.minute) },
    });

    it('by a job that used up its retries, and soaks by one that succeeded', () => {
      const fleet = world();
      fleet.set('a', { workload: 'CronJob' });
      fleet.pass();
      fleet.live('a', { jobs: [cron('failed', OLD, 20), cron('running', NEW, 26)] });
      fleet.passes(30);
      expect([fleet.failures, fleet.images()['b']]).toEqual([[], '1']);
      fleet.live('a', { jobs: [cron('succeeded', NEW, 26)] });
      fleet.pass();
      expect(Object.values(fleet.images()).filter((tag) => tag === '2')).toHaveLength(2);
      fleet.live('a', { jobs: [cron('succeeded', NEW, 26), cron('failed', NEW, 27)] });
      fleet.pass();
      expect(fleet.failures).toEqual([expect.objectContaining({ reason: 'a job used up its retries' })]);
    });

    it('not by a job from before the move', () => {
      const fleet = world();
      fleet.set('a', { workload: 'CronJob' });
      fleet.pass();
      fleet.live('a', { jobs: [cron('failed', NEW, -90), cron('succeeded', NEW, -30)] });
      fleet.passes(30);
      expect([fleet.failures, fleet.images()['b']]).toEqual([[], '1']);
    });
  });
});

describe('D6: a failure', () => {
  const failed = (more: object = {}): RolloutWorld => {
    const fleet = world({}, more);
    fleet.pass();
    fleet.live('a', { restarts: 3 });
    fleet.pass();
    expect(fleet.track.state).toBe('halted');
    return fleet;
  };

  it('halts the image also when it is declared again later', () => {
    const fleet = failed();
    fleet.target = OLD;
    fleet.passes(30);
    expect(fleet.images()['a']).toBe('1');
    fleet.target = NEW;
    fleet.passes(5);
    expect(fleet.images()['a']).toBe('1');
    expect(fleet.closed('a')).toEqual(['halted']);
  });

  it('halts every track that has the shard', () => {
    const fleet = failed();
    fleet.file = fileOf({ name: 'renamed' });
    fleet.passes(60);
    expect(fleet.images()).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
    expect(fleet.track.state).toBe('halted');
  });

  it.each([
    { when: 'before it', minutes: 24, lifts: false },
    { when: 'after it', minutes: 40, lifts: true },
  ])('is lifted by a resume $when: $lifts', ({ minutes, lifts }) => {
    const fleet = failed();
    fleet.live('a', { restarts: 3 });
    const resume = { track: 't', image: '0000002', action: 'resume', at: at(minutes), reason: 'fixed' };
    fleet.file = fileOf({}, { overrules: [resume] });
    fleet.passes(90);
    expect(fleet.track.state).toBe(lifts ? 'complete' : 'halted');
    expect(fleet.failures).toHaveLength(lifts ? 0 : 1);
  });
});

describe('D7: a way back', () => {
  it('has no gates but pinned, rejected, halted and parallel', () => {
    const closed = { window: '0 0 1 1 *' };
    const fleet = world();
    fleet.passes(14);
    fleet.file = fileOf(closed);
    fleet.target = OLD;
    fleet.pass();
    expect(fleet.images()).toEqual({ a: '1', b: '1', c: '1', d: '1', e: '1' });
    fleet.target = NEWER;
    fleet.passes(30);
    expect(fleet.images()).toEqual({ a: '1', b: '1', c: '1', d: '1', e: '1' });
    expect(fleet.closed('a')).toEqual(['window']);
  });

  it('does not lead to what only ran once', () => {
    const fleet = world();
    fleet.passes(5);
    fleet.target = NEWER;
    fleet.pass();
    fleet.target = NEW;
    fleet.file = fileOf({ window: '0 0 1 1 *' });
    fleet.passes(3);
    expect(fleet.images()['a']).toBe('3');
  });
});

describe('D8: a rollback', () => {
  const rolling = (isAltered = false) => {
    const fleet = world({ onFailure: 'rollback', waves: [{ name: 'all', soak: '20m' }] });
    fleet.set('b', { altersTemplate: isAltered });
    fleet.passes(3);
    expect(fleet.images()).toEqual({ a: '2', b: '2', c: '2', d: '2', e: '2' });
    fleet.live('c', { restarts: 3 });
    return fleet;
  };

  it('returns the failed shard first, then those that have not soaked, one after the other', () => {
    const fleet = rolling();
    fleet.pass();
    expect(fleet.images()).toEqual({ a: '2', b: '2', c: '1', d: '2', e: '2' });
    fleet.pass();
    expect(Object.values(fleet.images()).filter((tag) => tag === '1')).toHaveLength(2);
    fleet.passes(4);
    expect(fleet.images()).toEqual({ a: '1', b: '1', c: '1', d: '1', e: '1' });
    fleet.passes(30);
    expect(fleet.track).toMatchObject({ state: 'halted', moves: [], returns: [] });
  });

  it.each([
    { workload: 'Deployment' as const, says: /its return from \S+2$/ },
    { workload: 'StatefulSet' as const, says: /its return from \S+2; .* delete the pod$/ },
  ])('of a $workload stops when a return does not become healthy, and alerts', ({ workload, says }) => {
    const fleet = rolling();
    fleet.set('c', { workload });
    fleet.pass();
    fleet.live('c', { ready: false });
    fleet.passes(20);
    expect(Object.values(fleet.images()).filter((tag) => tag === '1')).toEqual(['1']);
    expect(fleet.track.alerts).toContainEqual(
      expect.objectContaining({
        ...{ kind: 'return-failed', shard: 'terraform-x/c', reason: expect.stringMatching(says) },
      }),
    );
  });

  it('returns a stopped shard last, and is over for it once that is written', () => {
    const fleet = rolling();
    fleet.live('c', { restarts: 0 });
    fleet.live('a', { stopped: 'suspended' });
    for (let pass = 0; pass < 8; pass += 1) {
      fleet.pass();
      if (fleet.images()['a'] === '1') expect(Object.values(fleet.images())).toEqual(['1', '1', '1', '1', '1']);
      fleet.live('a', { stopped: 'suspended' });
    }
    expect(fleet.images()).toEqual({ a: '1', b: '1', c: '1', d: '1', e: '1' });
    fleet.passes(20);
    expect(fleet.recordOf('a')).not.toHaveProperty('move');
    expect(fleet.track).toMatchObject({ state: 'halted', returns: [] });
    expect(fleet.track.alerts.map(({ kind }) => kind)).toEqual(['halted']);
  });

  it('does not wait for a stopped shard that cannot be written', () => {
    const fleet = rolling();
    fleet.live('c', { restarts: 0 });
    for (let pass = 0; pass < 20; pass += 1) {
      fleet.set('a', { live: liveOf(NEW, { stopped: 'scaled to 0' }) });
      fleet.pass();
    }
    expect(fleet.track.returns).toEqual([{ id: 'terraform-x/a', image: OLD, from: NEW }]);
    expect(fleet.images()).toMatchObject({ b: '1', c: '1', d: '1', e: '1' });
  });

  it('leaves shards whose template changed (A2)', () => {
    const fleet = rolling(true);
    fleet.passes(20);
    expect(fleet.images()).toEqual({ a: '1', b: '2', c: '1', d: '1', e: '1' });
  });

  it('leaves shards without a good image', () => {
    const waves = [{ name: 'all', soak: '20m' }];
    const fleet = new RolloutWorld(NAMES, fileOf({ onFailure: 'rollback', waves }));
    fleet.live('a', { ready: false });
    fleet.passes(3);
    fleet.live('c', { restarts: 3 });
    fleet.passes(20);
    expect(fleet.images()).toEqual({ a: '2', b: '1', c: '1', d: '1', e: '1' });
  });

  it('does not happen after completion: failures only alert', () => {
    const fleet = world({ onFailure: 'rollback', waves: [{ name: 'all', soak: '5m' }] });
    fleet.passes(15);
    expect(fleet.track.state).toBe('complete');
    fleet.live('a', { ready: false, restarts: 9 });
    fleet.passes(20);
    expect(fleet.failures).toEqual([]);
    expect(fleet.images()['a']).toBe('2');
    expect(fleet.track.alerts).toEqual([expect.objectContaining({ kind: 'failing-after-completion' })]);
  });

  it('is written only over the failed image', () => {
    const fleet = rolling();
    fleet.live('c', { image: 'quay.io/o/reconcile:hand' });
    fleet.passes(3);
    for (const { from, id } of fleet.last.tracks.flatMap(({ returns }) => returns))
      expect([from, id]).not.toContain('terraform-x/c');
    expect(fleet.shards.get('c')?.live?.image).toBe('quay.io/o/reconcile:hand');
  });
});

describe('R3: a return', () => {
  it('is not written over a failed image that the shard is about to leave for a newer target', () => {
    const waves = [{ name: 'canary', shards: ['a', 'x'], soak: '10m' }, { name: 'rest' }];
    const fleet = new RolloutWorld(['a', 'x', 'b'], fileOf({ waves, onFailure: 'rollback' }));
    fleet.passes(2);
    fleet.live('a', { restarts: 5 });
    fleet.target = NEWER;
    fleet.pass();
    expect(fleet.failures).toEqual([expect.objectContaining({ shard: 'terraform-x/a', image: NEW })]);
    for (let pass = 0; pass < 4; pass += 1) {
      // The answer to the move to the newer target is lost, and so is the move.
      fleet.set('x', { live: liveOf(NEW) });
      fleet.pass();
      expect(fleet.track.returns.filter(({ id }) => id.endsWith('/x'))).toEqual([]);
      expect(fleet.track.moves).toContainEqual({ id: 'terraform-x/x', image: NEWER, isBack: false });
    }
  });
});

describe('D9: a newer target', () => {
  it('with restart begins at the first wave', () => {
    const fleet = world();
    fleet.passes(14);
    fleet.target = NEWER;
    fleet.pass();
    expect(fleet.images()).toMatchObject({ a: '3', d: '1' });
    expect(fleet.closed('b')).toContain('wave');
  });

  it('with queue lets the running one complete first', () => {
    const fleet = world({ supersede: 'queue' });
    fleet.passes(5);
    fleet.target = NEWER;
    fleet.passes(6);
    expect(fleet.images()['a']).toBe('2');
    expect(fleet.closed('a')).toEqual(['wave']);
    expect(fleet.track.holds.map(({ id }) => id)).toContain('terraform-x/a');
    fleet.passes(200);
    expect(fleet.images()).toEqual({ a: '3', b: '3', c: '3', d: '3', e: '3' });
  });

  it.each([
    { given: 'failed', change: (fleet: RolloutWorld) => fleet.live('a', { restarts: 9 }), overrules: [] },
    {
      given: 'was rejected',
      change: () => undefined,
      overrules: [{ track: 't', image: '0000002', action: 'reject', at: at(0), reason: 'bad' }],
    },
    {
      given: 'is overtaken by an expedited one',
      change: () => undefined,
      overrules: [{ track: 't', image: '0000003', action: 'expedite', at: at(0), until: at(900), reason: 'fix' }],
    },
  ])('with queue does not wait when the running one $given', ({ change, overrules }) => {
    const fleet = world({ supersede: 'queue' });
    fleet.passes(5);
    fleet.target = NEWER;
    change(fleet);
    fleet.file = fileOf({ supersede: 'queue' }, { overrules });
    fleet.passes(2);
    expect(fleet.images()['a']).toBe('3');
  });
});

describe('D10: a shard without an object', () => {
  it('starts on the stable image', () => {
    const fleet = world();
    fleet.pass();
    fleet.set('f', { live: undefined as never });
    fleet.pass();
    expect(fleet.images()['f']).toBe('1');
  });

  it('waits for its wave where no image is stable', () => {
    const fleet = new RolloutWorld(NAMES);
    fleet.set('f', { live: undefined as never });
    fleet.pass();
    expect(fleet.images()['f']).toBe('-');
    expect(fleet.closed('f')).toEqual(['wave']);
    expect(fleet.track.holds).toContainEqual({ id: 'terraform-x/f', target: NEW });
  });
});

describe('D11: parallel', () => {
  it('counts shards that moved and are not yet healthy for five minutes', () => {
    const fleet = world();
    fleet.passes(12);
    const moved = () => ['b', 'c'].filter((name) => fleet.images()[name] === '2').length;
    expect(moved()).toBe(1);
    fleet.passes(5);
    expect(moved()).toBe(1);
    fleet.pass();
    expect(moved()).toBe(2);
  });
});

describe('F3: a shard that leaves its track', () => {
  it.each([
    { given: 'deleted', file: { name: 'other', match: { integrations: ['none'] } } },
    { given: 'narrowed', file: { match: { environments: ['stage'] } } },
  ])('while it is held keeps its image until the declared one changes: the track is $given', ({ file }) => {
    const fleet = world();
    fleet.passes(3);
    fleet.file = fileOf(file);
    fleet.passes(3);
    expect(fleet.last.orphans.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e'].map((name) => `terraform-x/${name}`));
    expect(fleet.last.orphans[0]).toMatchObject({ hold: { image: OLD, target: NEW } });
    fleet.target = NEWER;
    fleet.pass();
    expect(fleet.last.orphans).toEqual([]);
  });
});

describe('F5: overrules', () => {
  const overrule = (action: string, more: object = {}) => ({
    ...{ track: 't', action, image: '0000002', at: at(0), reason: 'INC-1', ...more },
  });
  const ended = (action: string, until = 9_000) => overrule(action, { until: at(until) });

  it.each([
    { given: 'pause', overrules: [ended('pause')], closed: ['paused'] },
    { given: 'reject', overrules: [overrule('reject')], closed: ['rejected'] },
    {
      given: 'reject and an earlier resume',
      overrules: [overrule('resume', { at: at(-9) }), overrule('reject')],
      closed: ['rejected'],
    },
    {
      given: 'reject and a later resume',
      overrules: [overrule('reject'), overrule('resume', { at: at(9) })],
      closed: [],
    },
    { given: 'pause and expedite', overrules: [ended('pause'), ended('expedite')], closed: ['paused'] },
    { given: 'reject and expedite', overrules: [overrule('reject'), ended('expedite')], closed: ['rejected'] },
    { given: 'a pause that is over', overrules: [ended('pause', 20)], closed: [] },
    { given: 'a pause of another image', overrules: [{ ...ended('pause'), image: '0000009' }], closed: [] },
  ])('$given: closed are $closed', ({ overrules, closed }) => {
    const fleet = world();
    fleet.file = fileOf({}, { overrules });
    fleet.pass();
    expect(fleet.closed('a')).toEqual(closed);
  });

  it('expedite opens wave, window and freeze, never halted or parallel', () => {
    const freezes = [{ name: 'f', from: at(-99), until: at(9_000), reason: 'r' }];
    const fleet = world();
    fleet.file = fileOf({ window: '0 0 1 1 *' }, { freezes });
    fleet.pass();
    expect(fleet.closed('b')).toEqual(['freeze', 'window', 'wave']);
    fleet.file = fileOf({ window: '0 0 1 1 *' }, { freezes, overrules: [ended('expedite')] });
    fleet.pass();
    expect(Object.values(fleet.images()).filter((tag) => tag === '1')).toHaveLength(1);
    fleet.live('a', { restarts: 9 });
    fleet.passes(20);
    expect(Object.values(fleet.images()).filter((tag) => tag === '1')).toHaveLength(1);
  });
});

describe('A5: a record that was lost', () => {
  it('starts soak from zero, and nothing moves back', () => {
    const fleet = world({ onFailure: 'rollback' });
    fleet.passes(14);
    const before = fleet.images();
    fleet.record = EMPTY_RECORD;
    fleet.passes(9);
    expect(fleet.images()).toEqual(before);
    expect(fleet.closed('d')).toEqual(['wave']);
  });
});

describe('A3: an announced move', () => {
  it('passes all gates again before its write', () => {
    const fleet = world();
    fleet.record = fleet.decide().record;
    fleet.now = later(fleet.now, MICROS.minute);
    expect(fleet.recordOf('a')?.move).toMatchObject({ image: NEW, seen: false });
    fleet.file = fileOf({ window: '0 0 1 1 *' });
    fleet.passes(30);
    expect(fleet.images()['a']).toBe('1');
    expect(fleet.failures).toEqual([]);
    fleet.file = fileOf();
    fleet.passes(2);
    expect(fleet.images()['a']).toBe('2');
  });
});
