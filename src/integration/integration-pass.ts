import { mapLimited } from '../base/index.ts';
import type { Logger, OpenIntegration } from '../runtime/index.ts';
import type { ActingContext, ReadingContext } from './contexts.ts';
import type { ConvergedMemory } from './converged-memory.ts';
import type { Act, Deciding } from './define-integration.ts';
import { inputsDigest } from './inputs-digest.ts';
import type { IntegrationMetrics } from './integration-metrics.ts';
import { ownKeys, type PlannedKey, planActions } from './plan-actions.ts';

export interface PassParts {
  readonly deciding: Deciding;
  /** Absent in a dry run. */
  readonly act: Act | undefined;
  readonly reading: (signal: AbortSignal) => ReadingContext;
  readonly acting: (signal: AbortSignal) => ActingContext;
  readonly memory: ConvergedMemory;
  readonly metrics: IntegrationMetrics;
  readonly logger: Logger;
}

/** One pass: declared and observed, narrowed to this shard, compared, and acted on. */
export function integrationPass(parts: PassParts): OpenIntegration['pass'] {
  const { deciding, act } = parts;
  return async ({ signal }) => {
    const inputs = await inputsOf(parts, signal);
    if (act === undefined) return rehearse(planActions(inputs.observed, inputs.desired, deciding.diff), parts);
    return converge(inputs, act, parts, signal);
  };
}

interface Inputs {
  readonly observed: ReadonlyMap<string, unknown>;
  readonly desired: ReadonlyMap<string, unknown>;
}

async function inputsOf({ deciding, reading, metrics }: PassParts, signal: AbortSignal): Promise<Inputs> {
  const context = reading(signal);
  const desired = ownKeys(await deciding.desired(context), context.isMine);
  const observed = ownKeys(await deciding.observe(context, desired), context.isMine);
  metrics.keys({ desired: desired.size, observed: observed.size });
  signal.throwIfAborted();
  return { observed, desired };
}

/** Inputs for which nothing was to be done are remembered; those of a pass that acted are not, so that drift back is seen. */
async function converge(
  { observed, desired }: Inputs,
  act: Act,
  parts: PassParts,
  signal: AbortSignal,
): Promise<Passed> {
  const { deciding, memory, logger } = parts;
  const digest = inputsDigest(deciding.version ?? '', observed, desired);
  if (digest !== undefined && (await memory.isKnown(digest))) {
    logger.debug('nothing changed since the last pass');
    return { code: 0, changed: false };
  }
  const plan = planActions(observed, desired, deciding.diff);
  if (plan.length === 0 && digest !== undefined) await memory.remember(digest);
  const failed = await execute(plan, act, parts, signal);
  return { code: failed > 0 ? 1 : 0, changed: failed < plan.length };
}

interface Passed {
  readonly code: number;
  readonly changed: boolean;
}

function rehearse(plan: readonly PlannedKey[], { logger, metrics }: PassParts): Passed {
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
  { deciding, acting, logger, metrics }: PassParts,
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
