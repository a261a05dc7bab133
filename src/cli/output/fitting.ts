import { type Pen, withTimesFromNow } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { line } from './terminal.ts';

type Printed = Pick<Io, 'stdout' | 'now'>;

/** The style of a table that is printed to a terminal, if it is: it fits, and says how far away its times are. */
export function fitting(io: Printed, format: string = 'table'): { width?: number; cell?: (text: string) => string } {
  const { isTTY, columns } = io.stdout;
  if (!isTTY || columns === undefined || format !== 'table') return {};
  const now = io.now?.() ?? new Date();
  return { width: columns, cell: (text) => withTimesFromNow(text, now) };
}

/** The same for other texts. */
export function penFor(io: Printed, paint: Paint, format: 'table' | 'wide'): Pen {
  const { cell = (text: string) => text, ...fit } = fitting(io, format);
  return { paint, line: (text) => line(cell(text)), ...fit };
}
