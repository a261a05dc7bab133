import { describe, expect, it } from 'vitest';
import { areTracked } from './tracked-names.ts';

describe('names are tracked', () => {
  it.each([
    { given: 'all of them', names: ['data/a.yml', 'data/b.yml'], tracked: 'data/a.yml\0data/b.yml\0', are: true },
    { given: 'more than them', names: ['data/a.yml'], tracked: 'data/a.yml\0data/b.yml\0', are: true },
    { given: 'none of none', names: [], tracked: '', are: true },
    { given: 'all but one', names: ['data/a.yml', 'data/b.yml'], tracked: 'data/a.yml\0', are: false },
    { given: 'one in another case', names: ['data/A.yml'], tracked: 'data/a.yml\0', are: false },
    { given: 'one that begins the same', names: ['data/a'], tracked: 'data/a.yml\0', are: false },
    { given: 'a file in place of a hidden folder', names: ['data/.a/.'], tracked: 'data/.a\0', are: false },
    { given: 'a name that is no text', names: ['data/\uFFFD'], tracked: 'data/\uFFFD\0', are: false },
  ])('with $given: $are', ({ names, tracked, are }) => {
    expect(areTracked(names, tracked)).toBe(are);
  });
});
