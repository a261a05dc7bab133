/** A stream of numbers that is the same for the same seed. */
export interface Random {
  /** From 0, below 1. */
  next(): number;
  /** From `low` to `high`, both included where they are equal. */
  between(low: number, high: number): number;
  /** True so often. */
  chance(probability: number): boolean;
  /** A new array with the same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Streams of different keys have nothing to do with each other, so one more draw here changes nothing there. */
export function randomOf(...key: readonly (string | number)[]): Random {
  let state = hash32(key.join('\u0000'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
    shuffled: (items) => shuffle([...items], next),
  };
}

function shuffle<T>(items: T[], next: () => number): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(next() * (last + 1));
    [items[last], items[other]] = [items[other] as T, items[last] as T];
  }
  return items;
}

/** FNV-1a, then mixed so that keys that differ in their last letter start far apart. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
