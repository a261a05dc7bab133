import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, namesMatching, nearest } from './did-you-mean.ts';

describe('the names that a mistyped name most likely meant', () => {
  it.each([
    { given: 'one wrong letter', name: 'imageref', among: ['imageRef', 'command'], found: ['imageRef'] },
    { given: 'two letters swapped', name: 'sahrds', among: ['shards', 'state'], found: ['shards'] },
    { given: 'another case only', name: 'PER-AWS-ACCOUNT', among: ['per-aws-account'], found: ['per-aws-account'] },
    {
      given: 'the name in another case among others',
      name: 'Cron',
      among: ['a-cron', 'b-cron', 'c-cron', 'cron'],
      found: ['cron'],
    },
    { given: 'a missing prefix', name: 'zone', among: ['per-cloudflare-dns-zone'], found: ['per-cloudflare-dns-zone'] },
    { given: 'a missing suffix', name: 'per-aws', among: ['per-aws-account'], found: ['per-aws-account'] },
    { given: 'a part that is too short to tell', name: 'ac', among: ['per-aws-ac'], found: [] },
    { given: 'one that is much closer', name: 'clusterss', among: ['clusters', 'clutter'], found: ['clusters'] },
    { given: 'nothing close', name: 'cluster', among: ['description', 'parameters'], found: [] },
    { given: 'no candidates', name: 'cluster', among: [], found: [] },
    { given: 'the same candidate twice', name: 'shard', among: ['shards', 'shards'], found: ['shards'] },
    { given: 'an empty name', name: '', among: ['description'], found: [] },
  ])('with $given are $found', ({ name, among, found }) => {
    expect(nearest(name, among)).toEqual(found);
  });

  it('come best first, then by code unit, and are at most three', () => {
    expect(nearest('prod', ['stage', 'prodx', 'pro', 'Prode', 'road', 'prad'])).toEqual(['Prode', 'prad', 'pro']);
  });

  it('are the same in whatever order the candidates come', () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', 'ä'), maxLength: 6 });
    fc.assert(
      fc.property(names, fc.uniqueArray(names, { maxLength: 12 }), (name, candidates) => {
        expect(nearest(name, candidates.toReversed())).toEqual(nearest(name, candidates));
      }),
    );
  });

  it('are always candidates, and include an exact match', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, others) => {
        const found = nearest(name, [...others, name]);
        expect(found.map((each) => each.toLowerCase())).toContain(name.toLowerCase());
        expect([...others, name]).toEqual(expect.arrayContaining(found));
      }),
    );
  });
});

describe('the hint of a mistyped name', () => {
  it.each([
    { given: 'one name', among: ['stage'], says: 'did you mean stage?' },
    { given: 'two names', among: ['stage', 'stages'], says: 'did you mean stage or stages?' },
    { given: 'no close name', among: ['production'], says: 'write a name' },
  ])('with $given is "$says"', ({ among, says }) => {
    expect(didYouMean('stagee', among, 'write a name')).toBe(says);
  });
});

describe('F1: names', () => {
  it.each([
    { patterns: undefined, name: 'x', matches: true },
    { patterns: [], name: 'x', matches: false },
    { patterns: ['terraform-*'], name: 'terraform-x', matches: true },
    { patterns: ['terraform-*'], name: 'my-terraform-x', matches: false },
    { patterns: ['*-a*b-*'], name: 'x-a-b-y', matches: true },
    { patterns: ['ab*ba'], name: 'aba', matches: false },
    { patterns: ['a.c'], name: 'abc', matches: false },
  ])('$name matches $patterns: $matches', ({ patterns, name, matches }) => {
    expect(namesMatching(patterns)(name)).toBe(matches);
  });
});
