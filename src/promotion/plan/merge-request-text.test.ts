import { describe, expect, it } from 'vitest';
import { metadataBlock, metadataLine, readMetadata, readMetadataLine, supersedes } from './merge-request-text.ts';

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
