import { describe, expect, it } from 'vitest';
import { fileOf, liveOf, NEW, NEWER, OLD, PERIOD, RolloutWorld, START } from '../../../test/support/rollout-world.ts';
import { later, MICROS, secondText } from '../../gates/index.ts';
import type { ShadowRecord } from '../record/shadow-record.ts';
import { SHADOWS_AT_ONCE } from './shadows.ts';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const SHADOW = { shadow: { maxDifferences: 0 } };

function world(track: object = SHADOW, more: object = {}): RolloutWorld {
  return new RolloutWorld(['a', 'b', 'c'], fileOf(track, more));
}

/** What the comparison of a shard found, begun at the time of the world. */
function found(fleet: RolloutWorld, more: Partial<ShadowRecord> = {}): { readonly shadow: ShadowRecord } {
  return { shadow: { image: NEW, baseline: OLD, at: fleet.now, result: 'same', differences: 0, ...more } };
}
const differs = (fleet: RolloutWorld, more: Partial<ShadowRecord> = {}): { readonly shadow: ShadowRecord } =>
  found(fleet, { result: 'different', differences: 1, digest: DIGEST, text: "+ ['delete', 'x']", ...more });

const moved = (fleet: RolloutWorld): string[] => fleet.track.moves.map(({ id }) => id.slice(-1));
const wanted = (fleet: RolloutWorld): string[] => fleet.track.shadows.map(({ id }) => id.slice(-1));
const reasonOf = (fleet: RolloutWorld, shard: string): string =>
  fleet.track.verdicts.find(({ id }) => id.endsWith(`/${shard}`))?.verdicts.find(({ gate }) => gate === 'shadow')
    ?.reason ?? '';

describe('R8: the gate shadow', () => {
  it('is closed until a comparison is there, which it asks for', () => {
    const fleet = world();
    fleet.pass();
    expect([moved(fleet), fleet.closed('a'), wanted(fleet)]).toEqual([[], ['shadow'], ['a']]);
    expect(fleet.track.shadows).toEqual([{ id: 'terraform-x/a', image: NEW, baseline: OLD }]);
    expect(reasonOf(fleet, 'a')).toContain('echelon shadow --record');
    fleet.set('a', found(fleet));
    fleet.pass();
    expect([moved(fleet), wanted(fleet)]).toEqual([['a'], []]);
  });

  it('is open without a rule, and the rule of a wave comes before that of its track', () => {
    const plain = world({});
    plain.pass();
    expect(moved(plain)).toEqual(['a']);
    const waves = [{ name: 'canary', shards: ['a'], shadow: { maxDifferences: 1 } }, { name: 'rest' }];
    const fleet = world({ waves });
    fleet.pass();
    expect(wanted(fleet)).toEqual(['a']);
    fleet.set('a', differs(fleet));
    fleet.pass();
    expect(moved(fleet)).toEqual(['a']);
  });

  it.each([
    { given: 'of another image', more: { image: NEWER } },
    { given: 'with another image than the live one', more: { baseline: NEWER } },
    { given: 'without a result', more: { result: 'inconclusive' as const, text: 'a run failed' } },
    { given: 'of more than a day ago', more: { at: later(START, -MICROS.day - 1) } },
    { given: 'of the future', more: { at: later(START, 1) } },
  ])('stays closed for a comparison $given', ({ more }) => {
    const fleet = world();
    fleet.set('a', found(fleet, more));
    fleet.pass();
    expect([moved(fleet), fleet.closed('a')]).toEqual([[], ['shadow']]);
  });

  it('is open for one of exactly a day ago', () => {
    const fleet = world();
    fleet.set('a', found(fleet, { at: later(START, -MICROS.day) }));
    fleet.pass();
    expect(moved(fleet)).toEqual(['a']);
  });

  it('is no obstacle on the way back, nor for a shard without an object', () => {
    const fleet = world();
    fleet.set('a', { live: liveOf(OLD) });
    fleet.target = OLD;
    fleet.passes(2);
    fleet.set('a', { live: liveOf(NEWER) });
    fleet.pass();
    expect(moved(fleet)).toEqual(['a']);
    const empty = world();
    empty.set('a', { live: undefined } as never);
    empty.pass();
    expect(moved(empty)).toEqual(['a']);
  });

  it('does not open to an expedite', () => {
    const expedite = { track: 't', image: NEW, action: 'expedite', at: secondText(START), reason: 'r' };
    const until = secondText(later(START, MICROS.day));
    const fleet = world(SHADOW, { overrules: [{ ...expedite, until }] });
    fleet.pass();
    expect([moved(fleet), wanted(fleet).sort()]).toEqual([[], ['a', 'b', 'c']]);
  });
});

describe('a difference', () => {
  const accept = (digest: string, more: object = {}): object => ({
    overrules: [{ track: 't', action: 'accept-shadow', digest, at: secondText(START), reason: 'reviewed', ...more }],
  });
  /** The canary runs the target, and the shadow of the next shard differs. */
  function halted(): RolloutWorld {
    const fleet = world();
    fleet.set('a', found(fleet));
    fleet.passes(13);
    expect(wanted(fleet)).toHaveLength(2);
    fleet.set('b', differs(fleet));
    fleet.set('c', found(fleet));
    fleet.pass();
    return fleet;
  }

  it('halts the track, also for shards whose shadow found none', () => {
    const fleet = halted();
    expect([moved(fleet), fleet.track.state, fleet.closed('c')]).toEqual([[], 'halted', ['shadow']]);
    expect(reasonOf(fleet, 'b')).toBe('its shadow differs by 1 action (sha256:0123456789ab)');
    expect(reasonOf(fleet, 'c')).toBe('the shadow of terraform-x/b differs by 1 action (sha256:0123456789ab)');
    expect(fleet.track.alerts).toMatchObject([{ kind: 'shadow-differs', shard: 'terraform-x/b', image: NEW }]);
    expect(fleet.recordOf('b')?.shadow).toMatchObject({ text: "+ ['delete', 'x']" });
  });

  it.each([
    { action: 'pinned', more: { pinned: OLD } },
    { action: 'disabled', more: { disabled: true } },
    { action: 'not seen', more: { seen: false } },
    { action: 'set to another image by hand', more: { live: liveOf(NEWER) } },
  ])('of a shard that is $action afterwards still halts', ({ more }) => {
    const fleet = halted();
    const { shadow: _, ...known } = fleet.shards.get('b') as object as { shadow: unknown };
    fleet.shards.set('b', known as never);
    fleet.set('b', more);
    fleet.passes(3);
    expect([moved(fleet), fleet.track.state]).toEqual([[], 'halted']);
  });

  it('that is accepted by its digest lets exactly that one through', () => {
    const fleet = halted();
    fleet.file = fileOf(SHADOW, accept(DIGEST.slice(0, 19)));
    fleet.pass();
    expect([fleet.track.state, moved(fleet).length]).toEqual(['under-way', 1]);
    const other = halted();
    other.file = fileOf(SHADOW, accept(`sha256:${'f'.repeat(64)}`));
    other.pass();
    expect([other.track.state, moved(other)]).toEqual(['halted', []]);
  });

  it.each([
    { given: 'of another image', more: { image: '0000001' } },
    { given: 'that is not yet in force', more: { at: secondText(later(START, MICROS.day)) } },
  ])('stays one with an accept-shadow $given', ({ more }) => {
    const fleet = halted();
    fleet.file = fileOf(SHADOW, accept(DIGEST, more));
    fleet.pass();
    expect(fleet.track.state).toBe('halted');
  });

  it('that is accepted is compared again after a day', () => {
    const fleet = world(SHADOW, accept(DIGEST));
    fleet.set('a', differs(fleet, { at: later(START, -MICROS.day - 1) }));
    fleet.pass();
    expect([moved(fleet), wanted(fleet)]).toEqual([[], ['a']]);
  });

  it('is not undone by a resume, nor by a comparison without a result', () => {
    const fleet = halted();
    const resume = { track: 't', image: NEW, action: 'resume', at: secondText(fleet.now), reason: 'r' };
    fleet.file = fileOf(SHADOW, { overrules: [resume] });
    fleet.set('b', found(fleet, { result: 'inconclusive', text: 'a run failed' }));
    fleet.passes(2);
    expect(fleet.track.state).toBe('halted');
    expect(fleet.recordOf('b')?.shadow).toMatchObject({ result: 'different', triedAt: expect.anything() });
  });

  it('is gone with the target', () => {
    const fleet = halted();
    fleet.target = NEWER;
    fleet.pass();
    expect([fleet.track.state, fleet.recordOf('b')?.shadow]).toEqual(['under-way', undefined]);
  });
});

describe('comparisons that are asked for', () => {
  it('are those of shards that nothing else keeps from moving', () => {
    const fleet = world();
    fleet.pass();
    expect(wanted(fleet)).toEqual(['a']);
    fleet.file = fileOf({ ...SHADOW, window: '0 0 1 1 *' });
    fleet.pass();
    expect(wanted(fleet)).toEqual([]);
  });

  it('are a few at once, those first that run already', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const fleet = new RolloutWorld(names, fileOf({ ...SHADOW, waves: [{ name: 'all', maxParallel: 10 }] }));
    fleet.pass();
    expect(wanted(fleet)).toHaveLength(SHADOWS_AT_ONCE);
    const late = names.filter((name) => !wanted(fleet).includes(name));
    for (const name of late) fleet.set(name, { shadowRuns: NEW });
    fleet.pass();
    expect(wanted(fleet)).toEqual(expect.arrayContaining(late));
    expect(wanted(fleet)).toHaveLength(SHADOWS_AT_ONCE);
  });

  it('go on while another gate closes', () => {
    const fleet = world();
    fleet.pass();
    fleet.set('a', { shadowRuns: NEW });
    fleet.file = fileOf({ ...SHADOW, window: '0 0 1 1 *' });
    fleet.pass();
    expect(wanted(fleet)).toEqual(['a']);
  });

  it.each([
    { given: 'without a result', more: { result: 'inconclusive' as const } },
    { given: 'with a difference', more: { result: 'different' as const, differences: 1, digest: DIGEST } },
  ])('$given are tried again after half an hour', ({ more }) => {
    const fleet = world();
    fleet.set('a', found(fleet, more));
    fleet.pass();
    expect(wanted(fleet)).toEqual([]);
    fleet.passes(29);
    expect(wanted(fleet)).toEqual([]);
    fleet.pass(PERIOD);
    expect(wanted(fleet)).toEqual(['a']);
  });

  it('are none for the image that waits for another to end', () => {
    const fleet = world({ ...SHADOW, supersede: 'queue' });
    fleet.pass();
    fleet.set('a', found(fleet));
    fleet.pass();
    fleet.target = NEWER;
    fleet.pass();
    expect(fleet.track.shadows.every(({ image }) => image === NEW)).toBe(true);
  });
});
