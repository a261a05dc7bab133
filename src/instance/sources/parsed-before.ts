import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { ParsedDatafile } from '../parse-datafile.ts';

/** Where parsed files are kept; it may lose anything, and may hold what others wrote. */
export interface ParsedStore {
  getBytes(key: string): Buffer | undefined;
  setBytes(key: string, bytes: Buffer): void;
}

/** What bytes were parsed to, for one load. Two files with the same bytes share their content, which nobody changes. */
export interface ParsedBefore {
  get(name: string): ParsedDatafile | undefined;
  set(name: string, parsed: ParsedDatafile): void;
  /** Keeps what this load used; nothing is written when it used what was kept. */
  save(): void;
}

const DIGEST_BYTES = 32;

export function parsedBefore(store: ParsedStore, key: string): ParsedBefore {
  const before = kept(store.getBytes(key), key);
  const used = new Map<string, ParsedDatafile>();
  let isNew = false;
  return {
    get: (name) => {
      const found = used.get(name) ?? before.get(name);
      if (found !== undefined) used.set(name, found);
      return found;
    },
    set: (name, parsed) => {
      isNew = true;
      used.set(name, parsed);
    },
    save: () => {
      if (!isNew) return;
      const body = serialize({ key, files: used });
      store.setBytes(key, Buffer.concat([hash('sha256', body, 'buffer'), body]));
    },
  };
}

/** Only what was kept whole, and for this key: bytes are read as values only after their hash was compared. */
function kept(bytes: Buffer | undefined, key: string): ReadonlyMap<string, ParsedDatafile> {
  const body = bytes?.subarray(DIGEST_BYTES) ?? Buffer.alloc(0);
  if (bytes === undefined || !hash('sha256', body, 'buffer').equals(bytes.subarray(0, DIGEST_BYTES))) return new Map();
  try {
    const found = deserialize(body) as { key: string; files: ReadonlyMap<string, ParsedDatafile> };
    return found.key === key ? found.files : new Map();
  } catch {
    return new Map();
  }
}
