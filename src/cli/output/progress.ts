import { cut, escapeControls } from '../../base/index.ts';
import type { Io } from '../io.ts';
import { line, ownSequence } from './terminal.ts';

const QUIET_MS = 1_000;
const REDRAW_MS = 100;
const PLAIN_MS = 5_000;
/** To the first column, and nothing on the line. */
export const CLEAR_LINE = `${ownSequence('G')}${ownSequence('2K')}`;

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
      if (plain) io.stderr.write(line(text));
      else io.stderr.write(`${CLEAR_LINE}${cut(escapeControls(text), (io.stderr.columns ?? 80) - 1)}`);
      drawn = !plain;
    },
    end: () => {
      if (drawn) io.stderr.write(CLEAR_LINE);
      drawn = false;
    },
  };
}
