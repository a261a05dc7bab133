import type { Outcome } from './outcome.ts';

/** So many are kept. */
const MOST = 50_000;

/** Outcomes by situation, for all organizations of a forecast that have the same gates and rules. */
export class Outcomes {
  readonly #known = new Map<number, Outcome>();
  readonly #numbers = new Map<string, number>();
  #count = 0;

  get(situation: number): Outcome | undefined {
    return this.#known.get(situation);
  }

  set(situation: number, outcome: Outcome): void {
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(situation, outcome);
  }

  /** The same for the same text, unless it was forgotten; never the same for two texts. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#numbers.size >= MOST) this.#numbers.clear();
    this.#count += 1;
    this.#numbers.set(text, this.#count);
    return this.#count;
  }
}
