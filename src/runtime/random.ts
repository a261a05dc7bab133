/** Uniformly distributed, at least 0 and below 1. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

const GOLDEN = 0x9e3779b9;

/** The same seed gives the same numbers on every machine. For jitter and simulations, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + GOLDEN) | 0;
    return scramble(state) / 2 ** 32;
  };
}

/** Mixes the bits of a 32-bit number (the finalizer of MurmurHash3). */
function scramble(bits: number): number {
  let mixed = bits;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
