/** Where state is stored between passes: bytes by key, with compare-and-swap by version. */
export interface StateStore {
  /** Where it is, for messages. */
  readonly name: string;
  read(key: string): Promise<{ readonly value: Uint8Array; readonly version: string } | undefined>;
  /** After a lost race nothing has changed. */
  write(
    key: string,
    value: Uint8Array,
    expected: string | 'absent',
  ): Promise<{ readonly version: string } | 'lost-race'>;
}

/** A store that lives as long as the process: for simulations and what-if. */
export function memoryStateStore(): StateStore & { keys(): readonly string[] } {
  const values = new Map<string, { readonly value: Uint8Array; readonly version: string }>();
  let writes = 0;
  return {
    name: 'memory',
    keys: () => [...values.keys()],
    read: async (key) => values.get(key),
    write: async (key, value, expected) => {
      if ((values.get(key)?.version ?? 'absent') !== expected) return 'lost-race';
      writes += 1;
      const version = String(writes);
      values.set(key, { value: Uint8Array.from(value), version });
      return { version };
    },
  };
}
