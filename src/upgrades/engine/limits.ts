const COUNT = /^\s*[+-]?\d+\s*$/;

/**
 * How many clusters may be upgraded at once, of `clusters` that share a mutex: `N`, or `N%` of them rounded half to even.
 * Never 0. Undefined for a text that is not a valid limit.
 */
export function parallelLimit(text: string, clusters: number): number | undefined {
  const percent = text.endsWith('%');
  const digits = percent ? text.slice(0, -1) : text;
  if (!COUNT.test(digits)) return undefined;
  const value = Number.parseInt(digits, 10);
  const limit = percent ? roundHalfToEven((clusters * value) / 100) : value;
  return limit === 0 ? 1 : limit;
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}
