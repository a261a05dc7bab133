import type { HttpClient } from '../clients/http/index.ts';
import type { Logger, Metrics } from '../runtime/index.ts';

/** The share of the work of this process. */
export interface OwnShard {
  readonly id: number;
  readonly shards: number;
  readonly membership: 'md5' | 'rendezvous';
  /** SHARD_KEY: what the shard works on, where its strategy gives it a key; its argument is in `args` too. */
  readonly key: string | undefined;
}

/** A JSON value in the state store, by key; the version is for the next write. */
export interface ReadState {
  read(key: string): Promise<{ readonly value: unknown; readonly version: string } | undefined>;
}

export interface WriteState extends ReadState {
  /** `absent` for a key that does not exist. After a lost race nothing has changed: read again. */
  write(key: string, value: unknown, expected: string | 'absent'): Promise<{ readonly version: string } | 'lost-race'>;
}

/** The API server of this pod's cluster, else of the current context. */
export interface KubeReads {
  /** The response to a GET of this path, such as `/api/v1/namespaces`; undefined when it does not exist. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>;
}

export interface KubeWrites extends KubeReads {
  /** Fields of the body are merged into the object: a merge patch. */
  patch(path: string, body: unknown): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  put(path: string, body: unknown): Promise<unknown>;
  delete(path: string): Promise<unknown>;
}

/** What `desired` and `observe` get: nothing in it can write. */
export interface ReadingContext {
  readonly dryRun: boolean;
  readonly shard: OwnShard;
  /** Whether a key belongs to this shard. */
  isMine(key: string): boolean;
  /** INTEGRATION_EXTRA_ARGS, split as a shell would; `parseArgs` of `node:util` reads them. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted on shutdown and when the time of the pass is over. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'gauge' | 'counter' | 'histogram'>;
  /** Call it with every secret that is read: it is redacted from all logs. */
  secret(value: string): void;
  readonly state: ReadState;
  /** An HTTP client with retries, time and size limits. It refuses whatever is not a GET or HEAD. */
  readonly http: HttpClient;
  readonly kube: KubeReads;
}

/** What `act` gets. */
export interface ActingContext extends Omit<ReadingContext, 'state' | 'http' | 'kube'> {
  readonly state: WriteState;
  readonly http: HttpClient;
  readonly kube: KubeWrites;
}
