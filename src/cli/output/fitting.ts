import type { Pen } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { line } from './terminal.ts';

/** The style of a table that has to fit the terminal, if it is printed to one. */
export function fitting({ stdout }: Pick<Io, 'stdout'>, format: string = 'table'): { width?: number } {
  const { isTTY, columns } = stdout;
  return isTTY && columns !== undefined && format === 'table' ? { width: columns } : {};
}

export function penFor(io: Pick<Io, 'stdout'>, paint: Paint, format: 'table' | 'wide'): Pen {
  return { paint, line, ...fitting(io, format) };
}
