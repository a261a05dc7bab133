/** Evenly spread, at least 0 and below 1. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

/** The same seed gives the same numbers on every machine (Mulberry32). For jitter and simulations, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
