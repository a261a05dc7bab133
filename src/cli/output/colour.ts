import type { Colour, Pen } from '../../base/index.ts';
import type { Io, Output } from '../io.ts';
import { ownSequence } from './terminal.ts';

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

export const PLAIN: Paint = (_, text) => text;

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
