import { EchelonError } from '../base/index.ts';
import type { HttpClient } from '../clients/http/index.ts';
import type { Logger, Metrics } from '../runtime/index.ts';

/** One key, as it is and as it should be. */
export interface Compared<Observed, Desired> {
  readonly key: string;
  /** Undefined when it does not exist. */
  readonly observed: Observed | undefined;
  /** Undefined when it is not declared. */
  readonly desired: Desired | undefined;
}

/** An integration as its author writes it. Values are plain data: they are compared, logged and digested. */
export interface IntegrationDefinition<Observed, Desired, Action> {
  readonly name: string;
  /**
   * The version of the code that decides, such as that of the image: change it when `diff` changes. With it, a pod remembers
   * between restarts that there was nothing to do.
   */
  readonly version?: string;
  /** Actions of one pass that run at once, by default 1. Those of one key always run one after the other. */
  readonly concurrency?: number;
  /** Declared values by key. Keys of other shards are left out. */
  desired(context: ReadingContext): Promise<ReadonlyMap<string, Desired>>;
  /** Existing values by key. `isMine` of the context saves reading those of other shards. */
  observe(context: ReadingContext, desired: ReadonlyMap<string, Desired>): Promise<ReadonlyMap<string, Observed>>;
  /** The actions that one key needs, none when it is as it should be. Pure: the same values give the same actions. */
  diff(compared: Compared<Observed, Desired>): readonly Action[];
  /** Takes one action. The only function that can write; in a dry run it is not called. */
  act(planned: { readonly key: string; readonly action: Action }, context: ActingContext): Promise<void>;
}

/** The context of `desired` and `observe`: nothing in it can write. */
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

/** The context of `act`. */
export interface ActingContext extends Omit<ReadingContext, 'state' | 'http' | 'kube'> {
  readonly state: WriteState;
  readonly http: HttpClient;
  readonly kube: KubeWrites;
}

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

/** A definition that can be run, and from which its `act` cannot be reached. */
export interface DefinedIntegration {
  readonly name: string;
}

type AnyDefinition = IntegrationDefinition<unknown, unknown, unknown>;
export type Deciding = Omit<AnyDefinition, 'act'>;
export type Act = AnyDefinition['act'];

/** The parts of every definition. A private field would not do: the constructor of the object would lead to `act`. */
const PARTS = new WeakMap<DefinedIntegration, { readonly deciding: Deciding; readonly act: Act }>();

/** Valid names: as those of Kubernetes objects, of which the name becomes a part. */
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Defines an integration: what is declared, what exists, how they differ, and what to do about it. */
export function defineIntegration<Observed, Desired, Action>(
  definition: IntegrationDefinition<Observed, Desired, Action>,
): DefinedIntegration {
  const { name, concurrency = 1 } = definition;
  if (!NAME.test(name)) throw invalid(name, 'its name', 'use lower-case letters, digits and dashes, at most 63');
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw invalid(name, 'its concurrency', 'use a whole number, 1 or more');
  const { act, ...deciding } = bound(definition as unknown as AnyDefinition);
  const defined = Object.freeze({ name });
  PARTS.set(defined, { deciding, act });
  return defined;
}

/** The methods of a definition may use `this`, and a later change of the object changes nothing. */
function bound(definition: AnyDefinition): AnyDefinition {
  return {
    ...definition,
    desired: (context) => definition.desired(context),
    observe: (context, desired) => definition.observe(context, desired),
    diff: (compared) => definition.diff(compared),
    act: (planned, context) => definition.act(planned, context),
  };
}

/** Everything but `act`. */
export function decidingOf(integration: DefinedIntegration): Deciding {
  return partsOf(integration).deciding;
}

/** The function that may write; undefined in a dry run. */
export function actOf(integration: DefinedIntegration, dryRun: boolean): Act | undefined {
  return dryRun ? undefined : partsOf(integration).act;
}

function partsOf(integration: DefinedIntegration) {
  const parts = PARTS.get(integration);
  if (parts === undefined) throw invalid(integration.name, 'it', 'pass what defineIntegration returned');
  return parts;
}

function invalid(name: string, what: string, hint: string): EchelonError {
  return new EchelonError({
    code: 'INTEGRATION_INVALID',
    message: `the integration ${JSON.stringify(name)} cannot be run: ${what} is not valid`,
    hint,
  });
}
