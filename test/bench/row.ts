/** One line of the table: what was measured, beside what it is compared with. */
export interface Row {
  readonly what: string;
  /** What Echelon needed, with its unit. */
  readonly echelon: string;
  readonly peer?: Peer;
  /** Echelon / peer, or a number that has a limit by itself. */
  readonly ratio?: number;
  readonly limit?: Limit;
  /** The curve that `ratio` is the exponent of. */
  readonly points?: readonly Point[];
  /** What the points count, such as `shards` and `ms`: curves with the same axes are drawn in one chart. */
  readonly axes?: Axes;
}

export interface Axes {
  readonly x: string;
  readonly y: string;
}

export interface Peer {
  /** With its version where it has one. */
  readonly name: string;
  readonly measured: string;
  /** How it was run, where its name does not say so. */
  readonly how?: string;
}

export type Limit = { readonly atMost: number } | { readonly atLeast: number };

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const MIB = 1024 * 1024;

export function isWithin({ ratio, limit }: Pick<Row, 'ratio' | 'limit'>): boolean {
  if (limit === undefined) return true;
  if (ratio === undefined) return false;
  return 'atMost' in limit ? ratio <= limit.atMost : ratio >= limit.atLeast;
}

/** `12 ms`, `3.4 s` */
export function timeText(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds.toPrecision(3)} ms` : `${(milliseconds / 1_000).toPrecision(3)} s`;
}

export function sizeText(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
