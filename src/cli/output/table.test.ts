import { describe, expect, it } from 'vitest';
import { textTable, visible } from './table.ts';

const plain = (_: string, text: string): string => text;
const MANY = 200_000;

describe('a table', () => {
  it('shows what would steer a terminal, and stays a table', () => {
    expect(textTable(['A', 'B'], [['a\u001b[2Jb', 'c\nd']], plain)).toBe('A        B\na\ufffd[2Jb   c\ufffdd\n');
    expect(visible('ü 日本 \u0007')).toBe('ü 日本 \ufffd');
  });

  it('may have any number of rows', () => {
    const text = textTable(['A'], Array(MANY).fill(['a']), plain);
    expect(text).toHaveLength(2 * (MANY + 1));
  });
});
