import type { Io } from '../io.ts';

const QUIET_MS = 1_000;
const REDRAW_MS = 100;
const PLAIN_MS = 5_000;

interface Progress {
  /** Shows the current step. */
  step(text: string): void;
  /** Clears the line; call it before anything else is written. */
  end(): void;
}

const SILENT: Progress = { step: () => {}, end: () => {} };

/**
 * A line on the terminal for work that takes longer than a second. Elsewhere nothing, so that what a pipe or a CI log gets does
 * not depend on the speed of the machine; with `--progress` a plain line every five seconds.
 * Reads the wall clock only to decide when to draw.
 */
export function progressOn(io: Io, now: () => number = () => performance.now()): Progress {
  if (!io.stderr.isTTY && io.progress !== true) return SILENT;
  const started = now();
  const plain = !io.stderr.isTTY;
  let last = started + QUIET_MS - (plain ? PLAIN_MS : REDRAW_MS);
  let drawn = false;
  return {
    step: (text) => {
      const time = now();
      if (time - started < QUIET_MS || time - last < (plain ? PLAIN_MS : REDRAW_MS)) return;
      last = time;
      if (plain) io.stderr.write(`${text}\n`);
      else io.stderr.write(`\r\u001b[2K${text.slice(0, (io.stderr.columns ?? 80) - 1)}`);
      drawn = !plain;
    },
    end: () => {
      if (drawn) io.stderr.write('\r\u001b[2K');
      drawn = false;
    },
  };
}
