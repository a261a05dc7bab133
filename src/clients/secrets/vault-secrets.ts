import { tellSecrets } from './secret-field.ts';
import { type SecretReader, type SecretReaderOptions, type SecretRef, secretNotFound } from './secret-reader.ts';
import { type VaultHttpOptions, vaultHttp } from './vault-http.ts';
import { type KvOutcome, vaultKv } from './vault-kv.ts';
import { type VaultAuth, vaultSession } from './vault-session.ts';

export interface VaultSecretsOptions extends VaultHttpOptions, SecretReaderOptions {
  readonly auth: VaultAuth;
}

const CACHE_MS = 60_000;
const MAX_CACHED = 1_000;

/**
 * Secrets in HashiCorp Vault, in key-value engines of either version. What was read is kept for a minute; what was not
 * found is not. Nothing is asked before the first read.
 */
export function vaultSecrets(options: VaultSecretsOptions): SecretReader {
  const { auth, clock, onSecret } = options;
  const now = clock === undefined ? Date.now : () => clock.now().getTime();
  const http = vaultHttp(options);
  const ask = vaultSession({ http, auth, now, onSecret: (value) => onSecret?.(value) });
  const load = vaultKv({ name: http.name, ask });
  const cached = cacheOf(load, now);
  return {
    name: http.name,
    read: async (ref) => {
      const outcome = await cached(ref);
      if (typeof outcome === 'object') return tellSecrets(outcome.fields, ref, onSecret);
      throw secretNotFound(ref, http.name, HINTS[outcome]);
    },
  };
}

const HINTS = {
  missing: 'write it to Vault, or correct the reference: its path begins with the mount of the engine',
  deleted: 'this version was deleted from Vault: refer to another version, or undelete it',
} as const;

/** Reads of the same secret at the same time are one. */
function cacheOf(load: (ref: SecretRef) => Promise<KvOutcome>, now: () => number) {
  const entries = new Map<string, { readonly until: number; readonly outcome: Promise<KvOutcome> }>();

  const fresh = async (key: string, ref: SecretRef): Promise<KvOutcome> => {
    try {
      const outcome = await load(ref);
      if (typeof outcome === 'string') entries.delete(key);
      return outcome;
    } catch (thrown) {
      entries.delete(key);
      throw thrown;
    }
  };

  return (ref: SecretRef): Promise<KvOutcome> => {
    const key = `${ref.version ?? ''} ${ref.path}`;
    const entry = entries.get(key);
    if (entry !== undefined && now() < entry.until) return entry.outcome;
    entries.delete(key);
    const [oldest] = entries.keys();
    if (entries.size >= MAX_CACHED && oldest !== undefined) entries.delete(oldest);
    const outcome = fresh(key, ref);
    entries.set(key, { until: now() + CACHE_MS, outcome });
    return outcome;
  };
}
