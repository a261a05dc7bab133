import { describe, expect, it } from 'vitest';
import {
  metadataBlock,
  metadataLine,
  promotionDescription,
  promotionMarkdown,
  readMetadata,
  readMetadataLine,
  supersedes,
} from './merge-request-text.ts';
import type { PromotionPlan } from './promotion-plan.ts';
import type { Range } from './upstream-commits.ts';

const METADATA = {
  version: 1,
  upstream: 'reconcile',
  commit: 'f'.repeat(40),
  targets: ['a', 'b --> c', '-- -->'],
} as const;
const plain = { ...METADATA, targets: [...METADATA.targets] };

describe('what a promotion says of itself', () => {
  it('is read from a description, whatever stands around it, and cannot end its comment', () => {
    const block = metadataBlock(plain);
    expect(block.indexOf('-->')).toBe(block.length - 3);
    expect(readMetadata(`text\n${block}\nmore -->`)).toEqual(plain);
  });

  it('is read from a commit message', () => {
    expect(readMetadataLine(`title\n\n${metadataLine(plain)}\n`)).toEqual(plain);
  });

  it.each([
    '',
    '<!-- echelon:promotion -->',
    '<!-- echelon:promotion {"version":2} -->',
    '<!-- echelon:promotion {nonsense} -->',
  ])('is nothing in %j', (text) => {
    expect(readMetadata(text)).toBeUndefined();
  });

  it.each([
    { given: 'the same targets', older: { ...plain }, is: true },
    { given: 'fewer targets', older: { ...plain, targets: ['a'] }, is: true },
    { given: 'another target', older: { ...plain, targets: ['a', 'd'] }, is: false },
    { given: 'another upstream', older: { ...plain, upstream: 'schemas' }, is: false },
  ])('supersedes one of $given: $is', ({ older, is }) => {
    expect(supersedes(plain, older)).toBe(is);
  });
});

describe('the text of a request', () => {
  const range = (subject: string, many = 1): Range => ({
    ...{ from: 'a'.repeat(40), to: 'b'.repeat(40), relation: 'ahead', targets: ['checks'], total: many },
    commits: Array.from({ length: many }, () => ({
      sha: 'b'.repeat(40),
      author: { name: 'Rae', email: 'rae@example.com' },
      date: new Date(0),
      subject,
    })),
  });
  const plan = (ranges: readonly Range[], notes: PromotionPlan['notes'] = []): PromotionPlan => ({
    upstream: { name: 'tool' },
    version: { commit: 'b'.repeat(40), hashLength: 7 },
    ...{ scope: [], targets: ['checks'], items: [], files: [], pending: [], people: [], isRollback: false },
    ...{ shards: { moving: [], held: [] }, ranges, notes },
  });

  it.each(['Closes https://example.com/1', '~label', '%milestone', '&5', 'GH-12', '#5', '!7', '@rae', '<b>'])(
    'has no reference of a subject: %s',
    (subject) => {
      expect(promotionMarkdown(plan([range(subject)]), '')).not.toContain(subject);
    },
  );

  it('has a limited part of a long subject', () => {
    expect(promotionMarkdown(plan([range('x'.repeat(5_000))]), '').length).toBeLessThan(1_000);
  });

  it('keeps its warnings and metadata, however much there is', () => {
    const notes = [{ rule: 'not-covered' as const, message: 'look at this', hint: '' }];
    const text = promotionDescription(
      plan(
        Array.from({ length: 50 }, () => range('y'.repeat(150), 250)),
        notes,
      ),
      'd'.repeat(90_000),
    );
    expect(text.length).toBeLessThan(61_000);
    expect(text).toContain('look at this');
    expect(readMetadata(text)).toMatchObject({ upstream: 'tool' });
  });
});
