import type { Io } from '../io.ts';

/** The style of a table that has to fit the terminal, if it is printed to one. */
export function fitting({ stdout }: Pick<Io, 'stdout'>, format: string = 'table'): { width?: number } {
  const { isTTY, columns } = stdout;
  return isTTY && columns !== undefined && format === 'table' ? { width: columns } : {};
}
