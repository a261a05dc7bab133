/** A value and the version to name when it is replaced. */
export interface StoredValue {
  readonly value: Uint8Array;
  /** Opaque; another one for other bytes. */
  readonly version: string;
}

/**
 * Bytes by key, replaced by compare-and-swap. Keys are paths: `advanced-upgrade-scheduler/production/1a2b3c`.
 *
 * A value is there as a whole or not at all, whatever is killed while it is written. What the bytes mean, and whether
 * they are sound, is up to the caller: they come back as they are.
 */
export interface VersionedStore {
  /** Where it is, for messages: a folder, or `s3://bucket/prefix`. No secret. */
  readonly name: string;
  read(key: string): Promise<StoredValue | undefined>;
  /**
   * Replaces the value if its version is still the expected one, or makes it if it is still absent. After a lost race
   * nothing has changed: read again and decide again.
   */
  write(
    key: string,
    value: Uint8Array,
    expected: string | 'absent',
  ): Promise<{ readonly version: string } | 'lost-race'>;
  /** Keys that start like this, sorted by code unit. */
  list(prefix: string): Promise<string[]>;
}

export const MAX_STATE_BYTES = 64 * 1024 * 1024;
export const MAX_STATE_KEYS = 100_000;
