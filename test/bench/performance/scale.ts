/** A logarithmic axis over whole powers of ten that hold all values. */
export interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

export function logScale(values: readonly number[], from: number, to: number): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)),
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}

/** `0.1`, `1`, `10,000` */
export function tickText(value: number): string {
  return value < 1 ? String(Number(value.toPrecision(1))) : value.toLocaleString('en-US');
}
