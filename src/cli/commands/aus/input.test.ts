import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { textOf } from './input.ts';

describe('standard input', () => {
  it('is put together, also where a character was parted', async () => {
    const bytes = Buffer.from('["é"]');
    expect(await textOf(Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]))).toBe('["é"]');
  });

  it('is read no further than it may be long', async () => {
    let read = 0;
    function* endless(): Generator<Buffer> {
      for (;;) {
        read += 1;
        yield Buffer.alloc(10);
      }
    }
    await expect(textOf(Readable.from(endless()), 100)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(read).toBeLessThan(100);
  });
});
