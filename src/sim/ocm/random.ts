import { type Random, seededRandom } from '../../runtime/index.ts';

/** A stream of numbers that is the same for the same key. */
export interface RandomStream {
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
export function randomOf(...key: readonly (string | number)[]): RandomStream {
  const next = seededRandom(hash32(key.join('\u0000')));
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
    shuffled: (items) => shuffle([...items], next),
  };
}

function shuffle<T>(items: T[], next: Random): T[] {
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
