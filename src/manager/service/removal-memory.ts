import { EchelonError } from '../../base/index.ts';
import type { ItemResult } from '../plan/execute.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import { type GuardedOptions, isRemoval } from '../plan/guarded-items.ts';
import { recentRemovals, withRemovals } from '../plan/recent-removals.ts';

/** Where the deletions of the last hour are remembered; text that outlives the process is remembered across restarts. */
export interface RemovalMemory {
  /** In milliseconds since 1970. */
  now(): number;
  read(signal?: AbortSignal): Promise<string | undefined>;
  /** Rejects if someone else wrote since the last read. */
  write(text: string): Promise<void>;
}

/** What was deleted or stopped within the last hour, or why that is not known. */
export async function recentlyRemoved(
  memory: RemovalMemory,
  signal: AbortSignal,
): Promise<NonNullable<GuardedOptions['recent']>> {
  try {
    return recentRemovals(await memory.read(signal), memory.now());
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { unknown: `the deletions of the last hour are not known: ${thrown.message}`, hint: thrown.hint };
  }
}

/** A plan without the deletions that could not be recorded, which are skipped. */
export interface RecordedPlan {
  readonly plan: Pick<FleetPlan, 'items'>;
  readonly skipped: readonly ItemResult[];
}

/** Records a plan's deletions before they happen, so that a crash does not forget them. */
export async function recorded(
  plan: FleetPlan,
  memory: RemovalMemory | undefined,
  signal: AbortSignal,
): Promise<RecordedPlan> {
  if (memory === undefined || plan.removals.length === 0) return { plan, skipped: [] };
  try {
    await memory.write(withRemovals(await memory.read(signal), plan.removals, memory.now()));
    return { plan, skipped: [] };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    const error = notRecorded(thrown);
    const skipped = plan.items.filter(isRemoval).map((item) => ({ item, outcome: 'skipped' as const, error }));
    return { plan: { items: plan.items.filter((item) => !isRemoval(item)) }, skipped };
  }
}

function notRecorded(cause: EchelonError): EchelonError {
  return new EchelonError({
    code: 'SKIPPED',
    message: `not attempted: cannot record the deletion: ${cause.message}`,
    hint: cause.hint,
    cause,
  });
}
