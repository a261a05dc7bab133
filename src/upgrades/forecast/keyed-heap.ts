/** Items by number, the lowest first; those with the same number in no particular order. */
export class KeyedHeap<Item> {
  readonly #keys: number[] = [];
  readonly #items: Item[] = [];

  /** The lowest number; infinite without items. */
  get first(): number {
    return this.#keys[0] ?? Number.POSITIVE_INFINITY;
  }

  /** The item with the lowest number. */
  peek(): Item | undefined {
    return this.#items[0];
  }

  push(key: number, item: Item): void {
    const [keys, items] = [this.#keys, this.#items];
    let at = keys.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((keys[parent] as number) <= key) break;
      keys[at] = keys[parent] as number;
      items[at] = items[parent] as Item;
      at = parent;
    }
    keys[at] = key;
    items[at] = item;
  }

  /** Removes the item with the lowest number. */
  pop(): Item | undefined {
    const [keys, items] = [this.#keys, this.#items];
    const first = items[0];
    const [key, item] = [keys.pop(), items.pop()];
    if (key === undefined || keys.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= keys.length) break;
      if (child + 1 < keys.length && (keys[child + 1] as number) < (keys[child] as number)) child += 1;
      if ((keys[child] as number) >= key) break;
      keys[at] = keys[child] as number;
      items[at] = items[child] as Item;
      at = child;
    }
    keys[at] = key;
    items[at] = item as Item;
    return first;
  }
}
