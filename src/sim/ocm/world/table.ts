/** The most changes stored per table for reading earlier states. */
const MAX_JOURNAL = 20_000;

interface Change<T> {
  readonly at: number;
  readonly id: string;
  readonly before: T | undefined;
}

type Indexes<T, Name extends string> = Readonly<Record<Name, (record: T) => string>>;

/**
 * Records by id, in the order they were added. Records are immutable and only replaced, so a reference to one
 * never changes.
 */
export class Table<T extends { readonly id: string }, Name extends string = never> {
  readonly #keys: Indexes<T, Name>;
  readonly #records = new Map<string, T>();
  readonly #buckets = new Map<Name, Map<string, Map<string, T>>>();
  #journal: Change<T>[] = [];
  #revision = 0;

  constructor(indexes: Indexes<T, Name>) {
    this.#keys = indexes;
    for (const name of Object.keys(indexes) as Name[]) this.#buckets.set(name, new Map());
  }

  /** Increases with every change. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  all(): IterableIterator<T> {
    return this.#records.values();
  }

  /** Records with this key in an index, in the order they were added. */
  by(name: Name, key: string): T[] {
    return [...(this.#buckets.get(name)?.get(key)?.values() ?? [])];
  }

  /** The names of the indexes. */
  indexes(): Name[] {
    return [...this.#buckets.keys()];
  }

  /** Adds a record, or replaces the one with its id in its place. */
  put(record: T, at: number): T {
    this.#change(record.id, record, at);
    return record;
  }

  remove(id: string, at: number): void {
    if (this.#records.has(id)) this.#change(id, undefined, at);
  }

  /** The table at an earlier moment, as far back as it is stored. */
  asOf(moment: number): Table<T, Name> {
    const past = new Table<T, Name>(this.#keys);
    for (const record of this.#records.values()) past.#store(record.id, record);
    for (const { at, id, before } of this.#journal.toReversed()) {
      if (at <= moment) break;
      past.#store(id, before);
    }
    return past;
  }

  #change(id: string, record: T | undefined, at: number): void {
    this.#journal.push({ at, id, before: this.#records.get(id) });
    if (this.#journal.length > MAX_JOURNAL) this.#journal = this.#journal.slice(-MAX_JOURNAL / 2);
    this.#revision += 1;
    this.#store(id, record);
  }

  #store(id: string, record: T | undefined): void {
    const before = this.#records.get(id);
    for (const [name, buckets] of this.#buckets) {
      const [old, key] = [before && this.#keys[name](before), record && this.#keys[name](record)];
      if (old !== undefined && old !== key) buckets.get(old)?.delete(id);
      if (record !== undefined && key !== undefined) bucketOf(buckets, key).set(id, record);
    }
    if (record === undefined) this.#records.delete(id);
    else this.#records.set(id, record);
  }
}

function bucketOf<T>(buckets: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const bucket = buckets.get(key) ?? new Map<string, T>();
  buckets.set(key, bucket);
  return bucket;
}
