import { type Colour, cut, escapeControls, escapeControlsInText, type Pen } from '../../base/index.ts';
import type { Io, Output } from '../io.ts';

/** Stands for ESC in what Echelon itself writes, until the output turns it into one. Data cannot contain it: it is random. */
const OWN_ESCAPE = `\u001b(${Math.random().toString(36).slice(2)})`;

/** A control sequence of Echelon's own, such as a colour. */
export function ownSequence(code: string): string {
  return `${OWN_ESCAPE}[${code}`;
}

/** One line, whatever it contains; colours are kept. */
export function line(text: string): string {
  return `${text.split(OWN_ESCAPE).map(escapeControls).join(OWN_ESCAPE)}\n`;
}

/** Filters all output: only Echelon's own sequences steer the terminal. */
export function shownText(text: string): string {
  return text.split(OWN_ESCAPE).map(escapeControlsInText).join('\u001b');
}

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export type { Colour };
export type Paint = Pen['paint'];

const PLAIN: Paint = (_, text) => text;

/** `--no-color` and `NO_COLOR` turn colour off, `FORCE_COLOR` on; the default is on for a terminal. */
export function paintFor(output: Output, env: Io['env'], flag: boolean | undefined): Paint {
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '' && env['FORCE_COLOR'] !== '0';
  if (flag === false || (env['NO_COLOR'] ?? '') !== '' || env['FORCE_COLOR'] === '0') return PLAIN;
  if (!forced && (!output.isTTY || env['TERM'] === 'dumb')) return PLAIN;
  return (colour, text) => {
    const [open, close] = CODES[colour];
    return text === '' ? text : `${ownSequence(`${open}m`)}${text}${ownSequence(`${close}m`)}`;
  };
}

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
