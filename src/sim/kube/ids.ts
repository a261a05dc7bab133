import { createHash } from 'node:crypto';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** Uids and random names that are the same for the same seed. */
export class Ids {
  private count = 0;
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** A uid in the form of a random UUID. */
  uid(): string {
    this.count += 1;
    const hex = createHash('sha256').update(`${this.seed}/${this.count}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** What generateName appends. */
  suffix(): string {
    this.count += 1;
    return nameHash(`${this.seed}/name/${this.count}`, SUFFIX_LENGTH);
  }
}

/** A few letters and digits that can be part of a name and stand for a text. */
export function nameHash(text: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest();
  return Array.from({ length }, (_, i) => ALPHABET[(bytes[i] ?? 0) % ALPHABET.length]).join('');
}
