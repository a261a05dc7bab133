import { EchelonError, isJson, type Json } from '../../base/index.ts';
import {
  pathElements,
  type SecretFields,
  type SecretReader,
  type SecretReaderOptions,
  type SecretRef,
  scalarText,
  secretNotFound,
  tellSecrets,
} from './secret-reader.ts';
import {
  notVault,
  type VaultAnswer,
  type VaultAuth,
  type VaultHttpOptions,
  vaultHttp,
  vaultSession,
} from './vault-client.ts';

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

interface VaultKvOptions {
  /** The address, for messages. */
  readonly name: string;
  /** GET of a path below `/v1/`. */
  readonly ask: (path: string) => Promise<VaultAnswer>;
}

/** Why there is no value stays a word: `missing` may be found elsewhere. */
type KvOutcome = { readonly fields: SecretFields } | 'missing' | 'deleted';

type KvVersion = 1 | 2;
/** `odd`: an answer of another shape than this version's. */
type Outcome = KvOutcome | 'forbidden' | 'odd';

interface Place {
  /** Always the first element of a path. */
  readonly mount: string;
  readonly rest: readonly string[];
}

/** Reads the key-value engines of Vault, whose second version has other addresses and answers than the first. */
function vaultKv({ name, ask }: VaultKvOptions): (ref: SecretRef) => Promise<KvOutcome> {
  const versions = new Map<string, Promise<KvVersion | undefined>>();

  const versionOf = (mount: string): Promise<KvVersion | undefined> => {
    const known = versions.get(mount);
    if (known !== undefined) return known;
    const asked = askVersion(ask, mount).catch((thrown: unknown) => {
      versions.delete(mount);
      throw thrown;
    });
    versions.set(mount, asked);
    return asked;
  };

  const read = async (version: KvVersion, { mount, rest }: Place, ref: SecretRef): Promise<Outcome> => {
    if (version === 1) return outcomeOf(name, ref, await ask(url([mount, ...rest])), ({ data }) => data);
    const query = ref.version === undefined ? '' : `?version=${ref.version}`;
    const answer = await ask(`${url([mount, 'data', ...rest])}${query}`);
    return outcomeOf(name, ref, answer, ({ data }) => (isJson(data) ? data['data'] : undefined));
  };
  const readEither = async (place: Place, ref: SecretRef): Promise<[Outcome, KvVersion | undefined]> => {
    const second = await read(2, place, ref);
    if (isFound(second)) return [second, 2];
    const first = await read(1, place, ref);
    if (isFound(first)) return [first, 1];
    return [second === 'forbidden' || second === 'odd' ? first : second, undefined];
  };

  return async (ref) => {
    const [mount = '', ...rest] = pathElements(ref);
    const place = { mount, rest };
    if (rest.length === 0) return 'missing';
    const known = await versionOf(mount);
    const [outcome, version] =
      known === undefined ? await readEither(place, ref) : [await read(known, place, ref), known];
    // Asked again after a miss: a mount may have been upgraded.
    if (isFound(outcome)) versions.set(mount, Promise.resolve(version));
    else versions.delete(mount);
    if (outcome === 'forbidden') throw forbidden(name, place, ref);
    if (outcome === 'odd') throw notVault(name, `the secret ${ref.path} has no fields`);
    return outcome;
  };
}

function url(elements: readonly string[]): string {
  return elements.map(encodeURIComponent).join('/');
}

/** Undefined when the token may not ask, or the server is too old to say. */
async function askVersion(ask: VaultKvOptions['ask'], mount: string): Promise<KvVersion | undefined> {
  const { status, body } = await ask(`sys/internal/ui/mounts/${encodeURIComponent(mount)}`);
  if (status !== 200 || !isJson(body['data'])) return undefined;
  const { options } = body['data'];
  return isJson(options) && String(options['version']) === '2' ? 2 : 1;
}

function isFound(outcome: Outcome): outcome is { readonly fields: SecretFields } {
  return typeof outcome === 'object';
}

function outcomeOf(name: string, ref: SecretRef, answer: VaultAnswer, dataIn: (body: Json) => unknown): Outcome {
  const { status, body } = answer;
  if (status === 403) return 'forbidden';
  if (status === 404) return wasDeleted(body) ? 'deleted' : 'missing';
  if (status === 204) return 'missing';
  if (status !== 200) throw notVault(name, `status ${status} for the secret ${ref.path}`);
  const data = dataIn(body);
  return isJson(data) ? { fields: fieldsOf(data) } : 'odd';
}

/** A version that was deleted or destroyed is 404 too, but still has metadata. */
function wasDeleted({ data }: Json): boolean {
  return isJson(data) && isJson(data['metadata']);
}

/** What is no text becomes the JSON of it. */
function fieldsOf(data: Json): SecretFields {
  const present = Object.entries(data).filter(([, value]) => value !== null);
  return new Map(present.map(([key, value]) => [key, scalarText(value) ?? JSON.stringify(value)]));
}

function forbidden(name: string, { mount, rest }: Place, { path }: SecretRef): EchelonError {
  return new EchelonError({
    code: 'VAULT_FORBIDDEN',
    message: `${name} denies this token access to the secret ${path}`,
    hint: `grant it a policy with read on ${mount}/data/${rest.join('/')} (KV version 2) or ${path} (version 1), or another token`,
  });
}
