import { describe, expect, it } from 'vitest';
import type { PlannedItem } from './plan-edits.ts';
import { authorText, promotionDocument, promotionSummary, promotionTable, rangeText, shardLines } from './plan-text.ts';
import type { PromotionPlan } from './promotion-plan.ts';
import type { ShardMove } from './shard-moves.ts';
import type { Range } from './upstream-commits.ts';

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)];
const ITEM: PlannedItem = {
  ...{ target: 't', file: 'data/x.yml', line: 3, key: 'ref', form: 'full', old: OLD, value: NEW, changed: true },
};

const plan = (more: Partial<PromotionPlan>): PromotionPlan => ({
  upstream: { name: 'u', url: 'https://git.example.com/org/upstream' },
  version: { commit: NEW, hashLength: 7 } as PromotionPlan['version'],
  ...{
    scope: [],
    targets: [],
    items: [],
    files: [],
    pending: [],
    ranges: [],
    people: [],
    notes: [],
    isRollback: false,
  },
  shards: { moving: [], held: [] },
  ...more,
});

describe('a promotion in words', () => {
  it.each([
    { given: 'nothing', more: {}, text: 'Nothing to do: everything is already at upstream bbbbbbb.' },
    {
      given: 'an unchanged value',
      more: { items: [{ ...ITEM, changed: false }] },
      text: 'Nothing to do: everything is already at upstream bbbbbbb.',
    },
    { given: 'a value', more: { items: [ITEM] }, text: '1 value in 0 files to upstream bbbbbbb.' },
    {
      given: 'a value that waits for its digest',
      more: { items: [ITEM, { ...ITEM, target: 'later' }], pending: ['later'] },
      text: '1 value in 0 files to upstream bbbbbbb; 1 more pending a digest.',
    },
  ])('with $given is "$text"', ({ more, text }) => {
    expect(promotionSummary(plan(more))).toBe(text);
  });

  it.each([
    { item: ITEM, cells: [`${'a'.repeat(12)}…`, `${'b'.repeat(12)}…`] },
    { item: { ...ITEM, changed: false }, cells: [`${'a'.repeat(12)}…`, 'unchanged'] },
    { item: { ...ITEM, old: '', value: `sha256:${NEW}` }, cells: ['""', 'sha256:bbbbbbbbbbbb…'] },
    { item: { ...ITEM, old: 'v1.2', value: 'v1.3' }, cells: ['v1.2', 'v1.3'] },
  ])('shows values as $cells', ({ item, cells }) => {
    expect(promotionTable(plan({ items: [item] }), false).rows).toEqual([['t', '-', ...cells, 'data/x.yml:3']]);
  });

  it('shows them in full, with key and form, when it is wide', () => {
    expect(promotionTable(plan({ items: [ITEM] }), true).rows).toEqual([
      ['t', '-', OLD, NEW, 'data/x.yml:3', 'ref', 'full'],
    ]);
  });

  it('is a document with the names of files instead of their bytes', () => {
    const files = [{ file: 'data/x.yml', before: new Uint8Array(1), after: new Uint8Array(2) }];
    expect(promotionDocument(plan({ files }), 'the diff')).toMatchObject({ files: ['data/x.yml'], diff: 'the diff' });
  });
});

describe('a range of commits', () => {
  const commits = Array.from({ length: 21 }, (_, i) => ({
    ...{ sha: `${i}`.padStart(40, '0'), subject: `change ${i}`, author: { name: 'Ada', email: 'ada@example.com' } },
  }));
  const range = { from: OLD, to: NEW, relation: 'ahead', total: 30, commits, targets: ['t', 'u'] } as unknown as Range;

  it('is shortened to twenty commits, and counts the others', () => {
    const { way, about, lines, isRollback } = rangeText(range, false);
    expect([way, about, isRollback]).toEqual(['aaaaaaa..bbbbbbb', '30 commits, for t, u', false]);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('  and 10 more');
    expect(rangeText(range, true).lines.at(-1)).toBe('  and 9 more');
  });

  it.each(['behind', 'diverged'] as const)('that is %s is a rollback', (relation) => {
    expect(rangeText({ ...range, relation }, false).isRollback).toBe(true);
  });

  it('that is not known has no number', () => {
    const unknown = rangeText({ ...range, relation: 'unknown', total: 0, commits: [] }, false);
    expect([unknown.about, unknown.lines]).toEqual(['unknown commits, for t, u', []]);
  });
});

describe('the shards of a promotion', () => {
  const move = (shard: string, more: Partial<ShardMove> = {}): ShardMove => ({
    ...{ integration: 'i', environment: 'prod', shard, object: shard, workload: 'Deployment', before: 'a', after: 'b' },
    ...{ file: '/i.yml' },
    ...more,
  });
  const held = Array.from({ length: 11 }, (_, i) => move(`held-${i}`, { pin: 'c' }));

  it('are counted per environment, and at most ten that stay are named', () => {
    const shards = { moving: [move('x'), move('y', { environment: 'stage' })], held };
    const [prod, stage] = shardLines(plan({ shards }), false);
    expect(prod?.[0]).toBe('prod: 1 shard moves a -> b; 11 shards held by pins');
    expect(prod?.slice(-2)).toEqual(['  i held-9 stays at c', '  and 1 more']);
    expect(stage).toEqual(['stage: 1 shard moves a -> b; 0 shards held by pins']);
    expect(shardLines(plan({ shards }), true)[0]).toHaveLength(12);
  });
});

it.each([
  { username: undefined, text: 'Ada: 1 commit' },
  { username: 'ada', text: 'Ada (ada): 1 commit' },
])('an author is "$text"', ({ username, text }) => {
  const author = { name: 'Ada', email: 'ada@example.com', commits: 1, ...(username === undefined ? {} : { username }) };
  expect(authorText(author)).toBe(text);
});
