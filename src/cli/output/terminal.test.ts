import { describe, expect, it } from 'vitest';
import type { Io } from '../io.ts';
import { CLEAR_LINE as CLEAR, progressOn } from './terminal.ts';

/** What is written by one step at each of these milliseconds after the start, then the end. */
function written(at: readonly number[], { tty = false, progress = false, columns = 80 } = {}): string {
  let text = '';
  const output = {
    isTTY: tty,
    columns,
    write: (more: string) => {
      text += more;
    },
  };
  const io: Io = {
    stdout: output,
    stderr: output,
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
    progress,
  };
  let time = 0;
  const shown = progressOn(io, () => time);
  for (time of at) shown.step(`step at ${time}`);
  shown.end();
  return text;
}

describe('progress', () => {
  it('is never written to a pipe, however long it takes', () => {
    expect(written([999, 1_000, 5_000, 3_600_000])).toBe('');
  });

  it('with --progress is a plain line every five seconds', () => {
    expect(written([999, 1_000, 5_999, 6_000, 6_001], { progress: true })).toBe('step at 1000\nstep at 6000\n');
  });

  it('on a terminal is one line from the first second on, and is removed at the end', () => {
    expect(written([999, 1_000, 1_099, 1_100], { tty: true })).toBe(`${CLEAR}step at 1000${CLEAR}step at 1100${CLEAR}`);
    expect(written([999], { tty: true })).toBe('');
  });

  it('is cut to the width of the terminal, with a mark', () => {
    expect(written([1_000], { tty: true, columns: 7 })).toBe(`${CLEAR}step …${CLEAR}`);
  });
});
