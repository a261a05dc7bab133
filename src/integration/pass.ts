import { byText, mapLimited, sha256Of } from '../base/index.ts';
import type { Logger, Metrics, OpenIntegration } from '../runtime/index.ts';
import type { Act, ActingContext, Compared, Deciding, OwnShard, ReadingContext, WriteState } from './definition.ts';

interface PassParts {
  readonly deciding: Deciding;
  /** Undefined in a dry run. */
  readonly act: Act | undefined;
  readonly reading: (signal: AbortSignal) => ReadingContext;
  readonly acting: (signal: AbortSignal) => ActingContext;
  readonly shard: OwnShard;
  readonly args: readonly string[];
  /** The store of the inputs of passes that had nothing to do. */
  readonly converged: WriteState;
  readonly metrics: Pick<Metrics, 'gauge' | 'counter'>;
  readonly logger: Logger;
}

/** One pass: declared and observed, narrowed to this shard, compared, and acted on. */
export function integrationPass(parts: PassParts): OpenIntegration['pass'] {
  const pass: Pass = { ...parts, memory: convergedMemory(parts), metrics: passMetrics(parts.metrics) };
  const { deciding, act } = parts;
  return async ({ signal }) => {
    const inputs = await inputsOf(pass, signal);
    if (act === undefined) return reportPlan(planActions(inputs.observed, inputs.desired, deciding.diff), pass);
    return converge(inputs, act, pass, signal);
  };
}

interface Pass extends Omit<PassParts, 'metrics'> {
  readonly memory: ReturnType<typeof convergedMemory>;
  readonly metrics: ReturnType<typeof passMetrics>;
}

interface Inputs {
  readonly observed: ReadonlyMap<string, unknown>;
  readonly desired: ReadonlyMap<string, unknown>;
}

async function inputsOf({ deciding, reading, metrics }: Pass, signal: AbortSignal): Promise<Inputs> {
  const context = reading(signal);
  const desired = ownKeys(await deciding.desired(context), context.isMine);
  const observed = ownKeys(await deciding.observe(context, desired), context.isMine);
  metrics.keys({ desired: desired.size, observed: observed.size });
  signal.throwIfAborted();
  return { observed, desired };
}

/** Inputs for which nothing was to be done are remembered; those of a pass that acted are not, so that drift back is seen. */
async function converge({ observed, desired }: Inputs, act: Act, pass: Pass, signal: AbortSignal): Promise<Passed> {
  const { deciding, memory, logger } = pass;
  const digest = inputsDigest(deciding.version ?? '', observed, desired);
  if (digest !== undefined && (await memory.isKnown(digest))) {
    logger.debug('nothing changed since the last pass');
    return { code: 0, changed: false };
  }
  const plan = planActions(observed, desired, deciding.diff);
  if (plan.length === 0 && digest !== undefined) await memory.remember(digest);
  const failed = await execute(plan, act, pass, signal);
  return { code: failed > 0 ? 1 : 0, changed: failed < plan.length };
}

interface Passed {
  readonly code: number;
  readonly changed: boolean;
}

function reportPlan(plan: readonly PlannedKey[], { logger, metrics }: Pass): Passed {
  for (const { key, actions } of plan) {
    for (const action of actions) logger.info('action would be applied (dry run)', { key, action });
    metrics.action('planned', actions.length);
  }
  return { code: 0, changed: false };
}

/** The number of keys that failed: one that fails does not keep the others from being acted on. */
async function execute(
  plan: readonly PlannedKey[],
  act: Act,
  { deciding, acting, logger, metrics }: Pass,
  signal: AbortSignal,
): Promise<number> {
  const context = acting(signal);
  const one = async ({ key, actions }: PlannedKey): Promise<number> => {
    for (const action of actions) {
      signal.throwIfAborted();
      try {
        await act({ key, action }, context);
      } catch (error) {
        if (signal.aborted) throw error;
        logger.error('action failed', { key, action, error });
        metrics.action('failed', 1);
        return 1;
      }
      logger.info('action applied', { key, action });
      metrics.action('applied', 1);
    }
    return 0;
  };
  const failed = await mapLimited(plan, deciding.concurrency ?? 1, one, signal);
  return failed.reduce((sum, each) => sum + each, 0);
}

/** The actions of one key, in their order. */
interface PlannedKey {
  readonly key: string;
  readonly actions: readonly unknown[];
}

/** The keys of a map that belong to this shard. */
function ownKeys<T>(all: ReadonlyMap<string, T>, isMine: (key: string) => boolean): ReadonlyMap<string, T> {
  return new Map([...all].filter(([key]) => isMine(key)));
}

/** The actions by key, in a fixed order, without keys that need none. */
function planActions(
  observed: ReadonlyMap<string, unknown>,
  desired: ReadonlyMap<string, unknown>,
  diff: (compared: Compared<unknown, unknown>) => readonly unknown[],
): PlannedKey[] {
  return [...new Set([...desired.keys(), ...observed.keys()])]
    .toSorted(byText)
    .map((key) => ({ key, actions: diff({ key, observed: observed.get(key), desired: desired.get(key) }) }))
    .filter(({ actions }) => actions.length > 0);
}

/**
 * A digest of keys and values that does not depend on their order. Undefined when a value is not plain data, such as a
 * function or a cycle.
 */
export function inputsDigest(
  version: string,
  observed: ReadonlyMap<string, unknown>,
  desired: ReadonlyMap<string, unknown>,
): string | undefined {
  const text = plain([version, observed, desired], []);
  return text === undefined ? undefined : sha256Of(text);
}

const DEEPEST = 100;

/** The value as JSON with sorted keys; a map or set is distinguished from an object or list. */
function plain(value: unknown, above: readonly object[]): string | undefined {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number' || typeof value === 'bigint') return `${typeof value}:${value}`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value !== 'object' || above.length > DEEPEST || above.includes(value)) return undefined;
  return structure(value, [...above, value]);
}

function structure(value: object, within: readonly object[]): string | undefined {
  const texts = (items: Iterable<unknown>) => [...items].map((item) => plain(item, within));
  if (value instanceof Date) return `date:${value.getTime()}`;
  if (value instanceof Map)
    return pairs(
      'map',
      [...value].map(([key, item]) => [plain(key, within), item]),
      within,
    );
  if (value instanceof Set) return list('set', texts(value).toSorted(byUnknown));
  if (Array.isArray(value)) return list('list', texts(value));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  return pairs(
    'object',
    Object.entries(value).map(([key, item]) => [JSON.stringify(key), item]),
    within,
  );
}

function pairs(
  kind: string,
  entries: readonly (readonly [string | undefined, unknown])[],
  within: readonly object[],
): string | undefined {
  const written = entries.map(([key, item]) => {
    const text = plain(item, within);
    return key === undefined || text === undefined ? undefined : `${key}=${text}`;
  });
  return list(kind, written.toSorted(byUnknown));
}

function list(kind: string, items: readonly (string | undefined)[]): string | undefined {
  return items.includes(undefined) ? undefined : `${kind}[${items.join(',')}]`;
}

function byUnknown(a: string | undefined, b: string | undefined): number {
  return byText(a ?? '', b ?? '');
}

/** The inputs of the last pass that had nothing to do, by shard and arguments. A store that fails only costs the early exit. */
function convergedMemory({ converged, shard, args, logger }: PassParts) {
  const key = `converged-${sha256Of(JSON.stringify([shard, args])).slice(0, 16)}`;
  return {
    isKnown: async (digest: string): Promise<boolean> => {
      try {
        return (await converged.read(key))?.value === digest;
      } catch (error) {
        logger.warn('state cannot be read', { error });
        return false;
      }
    },
    remember: async (digest: string): Promise<void> => {
      try {
        await converged.write(key, digest, (await converged.read(key))?.version ?? 'absent');
      } catch (error) {
        logger.warn('state cannot be written', { error });
      }
    },
  };
}

function passMetrics(metrics: PassParts['metrics']) {
  const keys = metrics.gauge('echelon_integration_keys', 'Keys of this shard, declared and observed', ['state']);
  const actions = metrics.counter('echelon_integration_actions_total', 'Actions by result', ['result']);
  for (const result of ['applied', 'failed', 'planned']) actions.inc({ result }, 0);
  return {
    keys: (sizes: { readonly desired: number; readonly observed: number }) =>
      keys.replace(Object.entries(sizes).map(([state, value]) => ({ labels: { state }, value }))),
    action: (result: 'applied' | 'failed' | 'planned', by: number) => actions.inc({ result }, by),
  };
}
