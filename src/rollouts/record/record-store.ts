import { type StateStore, sha256Of } from '../../base/index.ts';
import { EMPTY_RECORD, type RolloutRecord, type ScopeRecord } from './record.ts';
import { formatRecord, parseRecord } from './record-bytes.ts';

/** A record, and the version to pass when it is replaced. */
export interface StoredRecord {
  readonly record: RolloutRecord;
  /** As it is in the store, from which durations differ that were only kept. */
  readonly stored: RolloutRecord;
  /** Saved plans carry it (A4). */
  readonly version: string | 'absent';
}

/**
 * Where the record is, by compare-and-swap. A record that cannot be read is an error, never an empty one (A5). Durations are
 * stored only every few minutes, so that the record of the last pass is kept in memory while nobody else stored one.
 */
export interface RolloutRecords {
  load(): Promise<StoredRecord>;
  /** The new version, or `lost-race`: then nothing was stored, and nothing that it announces may be written. */
  save(record: RolloutRecord, expected: string | 'absent'): Promise<string | 'lost-race'>;
  /** Keeps a record that `needsStoring` leaves in memory; `expected` is the version that it was loaded with. */
  keep(record: RolloutRecord, expected: string | 'absent'): void;
}

/** Under which key a store has the record; a store of its own for each manager keeps them apart. */
export const RECORD_KEY = 'rollouts';

/** Each manager has a record of its own: what it operates is an environment or all, and an upstream or all. */
export function recordKey({ environment, upstream }: Partial<Pick<ScopeRecord, 'environment' | 'upstream'>>): string {
  const parts = [
    RECORD_KEY,
    environment ?? 'all',
    ...(upstream === undefined ? [] : [sha256Of(upstream).slice(0, 12)]),
  ];
  return parts.map(encodeURIComponent).join('/');
}

/** @param keyNow under which key the record is now; another key than before is another record. */
export function rolloutRecords(store: StateStore, keyNow: () => string = () => RECORD_KEY): RolloutRecords {
  let kept: StoredRecord | undefined;
  let key = keyNow();
  const loaded = (value: Uint8Array, version: string): StoredRecord => {
    const record = parseRecord(value, `${key} in ${store.name}`);
    return { record, stored: record, version };
  };
  return {
    load: async () => {
      if (keyNow() !== key) kept = undefined;
      key = keyNow();
      const stored = await store.read(key);
      if (kept === undefined || (stored?.version ?? 'absent') !== kept.version)
        kept = stored === undefined ? ABSENT : loaded(stored.value, stored.version);
      return kept;
    },
    save: async (record, expected) => {
      const written = await store.write(key, formatRecord(record), expected);
      if (written === 'lost-race') return written;
      kept = { record, stored: record, version: written.version };
      return written.version;
    },
    keep: (record, version) => {
      kept = { record, stored: kept?.version === version ? kept.stored : record, version };
    },
  };
}

const ABSENT: StoredRecord = { record: EMPTY_RECORD, stored: EMPTY_RECORD, version: 'absent' };
