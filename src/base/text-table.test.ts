import { describe, expect, it } from 'vitest';
import { textTable } from './index.ts';

const plain = (_: string, text: string): string => text;
const MANY = 200_000;

describe('a table', () => {
  it('shows what would steer a terminal, and stays a table', () => {
    expect(textTable(['A', 'B'], [['a\u001b[2Jb', 'c\nd']], plain)).toBe('A             B\na\\u001b[2Jb   c\\nd\n');
  });

  it('may have any number of rows', () => {
    const text = textTable(['A'], Array(MANY).fill(['a']), plain);
    expect(text).toHaveLength(2 * (MANY + 1));
  });
});
