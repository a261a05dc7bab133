import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PICTURES } from './console-pictures.ts';

const REPO = join(import.meta.dirname, '..');
const IMAGES = join(REPO, 'docs/images');
const MOST_BYTES = 150 * 1024;
const TEXTS = [
  'README.md',
  ...readdirSync(join(REPO, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => join('docs', file)),
]
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, text: readFileSync(join(REPO, file), 'utf8') }));
const names = PICTURES.map(({ name }) => name).toSorted();

describe('pictures in the docs', () => {
  it('are those that make screenshots takes, no others', () => {
    const pictures = readdirSync(IMAGES).filter((name) => name.endsWith('.png'));
    expect(pictures.toSorted()).toEqual(names);
  });

  it('are all shown somewhere, with words for those who do not see them', () => {
    const shown = TEXTS.flatMap(({ text }) => [...text.matchAll(/!\[([^\]]*)\]\([^)]*?([\w-]+\.png)\)/g)]);
    expect([...new Set(shown.map(([, , name]) => name))].toSorted()).toEqual(names);
    expect(shown.filter(([, words = '']) => words.length < 10)).toEqual([]);
  });

  it.each(PICTURES)('$name is small enough to load with a page', ({ name }) => {
    expect(statSync(join(IMAGES, name)).size).toBeLessThan(MOST_BYTES);
  });
});
