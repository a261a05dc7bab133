import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { sealed, unsealed } from './sealed.ts';

/** Where bytes are kept; it may lose anything, and may hold what others wrote. */
export interface BytesStore {
  getBytes(key: string): Buffer | undefined;
  setBytes(key: string, bytes: Buffer): void;
}

/** What a run may keep for the next one. */
export interface Keeping {
  readonly store: BytesStore;
  /** Names the instance and the code that runs. */
  readonly key: string;
}

/** Values by name, such as what a file was parsed to by the hash of its bytes, for one run. Nobody changes them. */
export interface KeptValues<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): void;
  /** What is known of the name, or else what is made now. */
  use(name: string, make: () => Value): Value;
  /** Keeps what this run used; nothing is written when it used what was kept. */
  save(): void;
}

/** What is kept beside the rest, which takes longer to write than everything else after a change; true whatever the rest is. */
const FEW = 20;
const FEW_OF_ALL = 0.1;

/** @param dependsOn everything but the name, the instance and the code that the values depend on. */
export function keptValues<Value>({ store, key: run }: Keeping, ...dependsOn: readonly string[]): KeptValues<Value> {
  const key = hash('sha256', JSON.stringify([run, ...dependsOn]));
  const more = `${key}-more`;
  const before = kept<Value>(store.getBytes(key), key);
  const added = kept<Value>(store.getBytes(more), more);
  const used = new Map<string, Value>();
  let isNew = false;
  const get = (name: string): Value | undefined => {
    const found = used.get(name) ?? before.get(name) ?? added.get(name);
    if (found !== undefined) used.set(name, found);
    return found;
  };
  const set = (name: string, value: Value): void => {
    isNew = true;
    used.set(name, value);
  };
  return {
    get,
    set,
    use: (name, make) => {
      const known = get(name);
      if (known !== undefined) return known;
      const made = make();
      set(name, made);
      return made;
    },
    save: () => {
      if (!isNew) return;
      const others = new Map([...used].filter(([name]) => !before.has(name)));
      const isFew = others.size <= Math.max(FEW, before.size * FEW_OF_ALL) && before.size > 0;
      const place = isFew ? more : key;
      store.setBytes(place, sealed(serialize({ key: place, values: isFew ? others : used })));
    },
  };
}

/** Only what was kept whole, and for this key: bytes are read as values only after their hash was compared. */
function kept<Value>(bytes: Buffer | undefined, key: string): ReadonlyMap<string, Value> {
  const body = unsealed(bytes);
  if (body === undefined) return new Map();
  try {
    const found = deserialize(body) as { key: string; values: ReadonlyMap<string, Value> };
    return found.key === key ? found.values : new Map();
  } catch {
    return new Map();
  }
}
