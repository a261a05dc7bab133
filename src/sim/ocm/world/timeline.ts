interface Due<T> {
  readonly at: number;
  readonly turn: number;
  readonly what: T;
}

/** A queue of future events, earliest first; events due at the same moment keep the order in which they were added. */
export class Timeline<T> {
  readonly #heap: Due<T>[] = [];
  #turns = 0;

  add(at: number, what: T): void {
    this.#turns += 1;
    this.#heap.push({ at, turn: this.#turns, what });
    this.#rise(this.#heap.length - 1);
  }

  /** Removes and returns the first event that is due at the moment. */
  takeUntil(moment: number): { readonly at: number; readonly what: T } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.at > moment) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  /** When the next event is due. */
  next(): number | undefined {
    return this.#heap[0]?.at;
  }

  #rise(from: number): void {
    let child = from;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#before(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #sink(from: number): void {
    let parent = from;
    for (;;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < this.#heap.length && this.#before(child, least)) least = child;
      }
      if (least === parent) return;
      this.#swap(parent, least);
      parent = least;
    }
  }

  #before(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return false;
    return first.at === second.at ? first.turn < second.turn : first.at < second.at;
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    [this.#heap[a], this.#heap[b]] = [second, first];
  }
}
