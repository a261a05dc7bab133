import { seededRandom } from '../../src/runtime/index.ts';

/** Draws that are the same for the same seed. */
export interface Dice {
  /** From `low` to `high`, both included. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** So many of them, in their order. */
  some<T>(items: readonly T[], count: number): T[];
  shuffled<T>(items: readonly T[]): T[];
}

/** One stream for each purpose, so that one more draw here changes nothing there. */
export function dice(seed: number, purpose: string): Dice {
  let mixed = seed | 0;
  for (const char of purpose) mixed = Math.imul(mixed ^ char.charCodeAt(0), 0x01000193);
  const random = seededRandom(mixed);
  const int = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T;
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  return {
    int,
    pick,
    shuffled,
    chance: (probability) => random() < probability,
    some: (items, count) => {
      const chosen = new Set(shuffled([...items.keys()]).slice(0, count));
      return items.filter((_, index) => chosen.has(index));
    },
  };
}
