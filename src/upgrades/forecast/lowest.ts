import { KeyedHeap } from './keyed-heap.ts';

/** Something with a version, as `Lowest` orders it. */
interface Ranked {
  /** The version as a number; versions of equal precedence have the same. */
  readonly rank: number;
}

/** Which of many has the lowest version, the first of them in their order; also which had it before the last change. */
export class Lowest<One extends Ranked, Shown> {
  readonly #heap = new KeyedHeap<{ readonly one: One; readonly rank: number }>();
  readonly #count: number;
  readonly #show: (one: One) => Shown;
  #rank = -1;
  #shown: Shown | undefined;
  #before: Shown | undefined;
  #since = 0;

  /** `count` is more than any place. */
  constructor(count: number, show: (one: One) => Shown) {
    this.#count = count;
    this.#show = show;
  }

  /** At a pass: any from the one before its last change on. */
  at(pass: number): Shown | undefined {
    return pass < this.#since ? this.#before : this.#shown;
  }

  /** Adds one, or one whose version changed; returns whether another version is the lowest now. */
  changed(one: One, place: number, pass: number): boolean {
    const { rank } = one;
    this.#heap.push(rank * this.#count + place, { one, rank });
    for (let top = this.#heap.peek(); top !== undefined && top.rank !== top.one.rank; top = this.#heap.peek())
      this.#heap.pop();
    const lowest = this.#heap.peek();
    if (lowest === undefined) return false;
    if (this.#since !== pass) this.#before = this.#shown;
    this.#since = pass;
    this.#shown = this.#show(lowest.one);
    const moved = this.#rank !== lowest.rank;
    this.#rank = lowest.rank;
    return moved;
  }
}
