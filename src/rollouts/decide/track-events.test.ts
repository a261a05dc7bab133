import { describe, expect, it } from 'vitest';
import { fileOf, liveOf, NEW, NEWER, RolloutWorld, START } from '../../../test/support/rollout-world.ts';
import { instantText, later, MICROS } from '../../gates/index.ts';
import type { RolloutEvent } from '../record/history.ts';
import type { RolloutRecord } from '../record/record.ts';
import { needsStoring } from '../record/record-age.ts';
import { formatRecord, parseRecord } from '../record/record-bytes.ts';

function historyIn({ scopes }: RolloutRecord): readonly RolloutEvent[] {
  return [...scopes.values()].flatMap(({ history }) => history);
}

/** `minute kind tag wave shards`, without what is absent. */
function textOf({ at, kind, image, wave, shards }: RolloutEvent): string {
  const names = shards.map((id) => id.split('/')[1]).join('+');
  return [(at - START) / MICROS.minute, kind, image?.slice(-1), wave, names].filter((part) => part !== '').join(' ');
}

const textsOf = (world: RolloutWorld): string[] =>
  historyIn(world.record).map((event) => textOf(event).trim().replace(/ +/g, ' '));

const FILE = fileOf({ onFailure: 'rollback' });
const overrule = (action: string, more: object = {}) => ({
  overrules: [
    {
      track: 't',
      image: '0000002',
      action,
      reason: 'INC-1',
      at: instantText(later(START, 2 * MICROS.minute)),
      ...more,
    },
  ],
});

/** Shards on the old image for which a new one is declared, after the first pass. */
function promoted(file = FILE): RolloutWorld {
  const world = new RolloutWorld(['a', 'b', 'c', 'd'], file);
  world.pass();
  return world;
}

/** A pass that stores its record and writes or does not, then a pass of a process that knows only what is stored. */
function dieAndRestart(world: RolloutWorld, isBeforeWrites: boolean): void {
  const before = new Map(world.shards);
  world.pass(0);
  if (isBeforeWrites) for (const [name, facts] of before) world.shards.set(name, facts);
  world.record = parseRecord(formatRecord(world.record), 'x');
  world.pass();
}

describe('the history of a track', () => {
  it('has every step of a rollout once', () => {
    const world = promoted();
    world.passes(70);
    expect(textsOf(world)).toEqual([
      ...['0 target 2', '1 moved 2 canary a', '11 soaked 2 canary a', '11 wave-passed 2 canary'],
      ...['12 moved 2 early c', '18 moved 2 early b', '32 soaked 2 early c', '38 soaked 2 early b'],
      ...[
        '38 wave-passed 2 early',
        '39 moved 2 rest d',
        '44 soaked 2 rest d',
        '44 wave-passed 2 rest',
        '44 completed 2',
      ],
    ]);
  });

  it('has a failure with its reason, and every return', () => {
    const world = promoted();
    world.passes(2);
    world.live('a', { restarts: 5 });
    world.passes(3);
    const [failed] = historyIn(world.record).filter(({ kind }) => kind === 'failed');
    expect(failed).toMatchObject({ shards: ['terraform-x/a'], image: NEW, reason: '5 restarts, more than 1' });
    expect(textsOf(world).slice(-2)).toEqual(['3 failed 2 a', '4 returned 1 canary a']);
  });

  it.each([
    { action: 'pause', more: { until: '2026-11-16T18:00:00Z' } },
    { action: 'expedite', more: { until: '2026-11-16T18:00:00Z' } },
    { action: 'reject', more: {} },
    { action: 'resume', more: {} },
  ])('has $action once, when it takes effect', ({ action, more }) => {
    const world = promoted();
    world.file = fileOf({}, overrule(action, more));
    world.passes(9);
    const found = historyIn(world.record).filter(({ kind }) => kind === action);
    expect(found).toMatchObject([
      { at: later(START, 2 * MICROS.minute), image: '0000002', reason: 'INC-1', shards: [] },
    ]);
  });

  it('begins again with a newer target', () => {
    const world = promoted();
    world.passes(13);
    world.target = NEWER;
    world.passes(12);
    const texts = textsOf(world);
    expect(texts.slice(texts.indexOf('14 target 3'))).toEqual([
      ...['14 target 3', '15 moved 3 canary a', '25 soaked 3 canary a', '25 wave-passed 3 canary'],
    ]);
  });

  it('has nothing twice when a pass dies after the record is stored, before or after its writes', () => {
    const quiet = promoted();
    quiet.passes(70);
    const world = promoted();
    for (let minute = 0; minute < 70; minute += 1) dieAndRestart(world, minute % 2 === 0);
    const things = (one: RolloutWorld) => textsOf(one).map((text) => text.replace(/^\d+ /, ''));
    expect(things(world).toSorted()).toEqual(things(quiet).toSorted());
  });

  it('does not need to be stored in a pass in which nothing happens', () => {
    const world = promoted();
    world.passes(60);
    const before = world.record;
    world.passes(3);
    expect(needsStoring(before, world.record)).toBe(false);
  });

  it('of a record from before there was one begins with what happens next, and is stored with it', () => {
    const world = promoted(
      fileOf({}, overrule('pause', { at: '2026-01-01T00:00:00Z', until: '2027-01-01T00:00:00Z' })),
    );
    world.set('a', { live: liveOf(NEW) });
    world.passes(14);
    const older = withoutHistory(world.record);
    world.record = older;
    world.pass();
    expect(historyIn(world.record)).toEqual([]);
    expect(needsStoring(older, world.record)).toBe(false);
    world.file = fileOf();
    world.passes(2);
    expect(textsOf(world)).toEqual([expect.stringMatching(/ moved 2 early c$/)]);
  });
});

/** As format 1 was. */
function withoutHistory(record: RolloutRecord): RolloutRecord {
  const scopes = [...record.scopes].map(([key, scope]) => {
    const tracks = [...scope.tracks].map(([name, { noted: _, ...track }]) => [name, track] as const);
    return [key, { ...scope, tracks: new Map(tracks), history: [] }] as const;
  });
  return { ...record, scopes: new Map(scopes) };
}
