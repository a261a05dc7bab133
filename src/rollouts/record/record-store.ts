import type { StateStore } from '../../base/index.ts';
import { EMPTY_RECORD, type RolloutRecord } from './record.ts';
import { formatRecord, parseRecord } from './record-bytes.ts';

/** A record, and the version to pass when it is replaced. */
export interface StoredRecord {
  readonly record: RolloutRecord;
  /** Saved plans carry it (A4). */
  readonly version: string | 'absent';
}

/** Where the record is, by compare-and-swap. A record that cannot be read is an error, never an empty one (A5). */
export interface RolloutRecords {
  load(): Promise<StoredRecord>;
  /** The new version, or `lost-race`: then nothing was stored, and nothing that it announces may be written. */
  save(record: RolloutRecord, expected: string | 'absent'): Promise<string | 'lost-race'>;
}

/** Under which key a store has the record; a store of its own for each manager keeps them apart. */
export const RECORD_KEY = 'rollouts';

export function rolloutRecords(store: StateStore, key: string = RECORD_KEY): RolloutRecords {
  return {
    load: async () => {
      const stored = await store.read(key);
      if (stored === undefined) return { record: EMPTY_RECORD, version: 'absent' };
      return { record: parseRecord(stored.value, `${key} in ${store.name}`), version: stored.version };
    },
    save: async (record, expected) => {
      const written = await store.write(key, formatRecord(record), expected);
      return written === 'lost-race' ? written : written.version;
    },
  };
}
