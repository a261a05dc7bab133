import { changedOnly } from '../../base/index.ts';
import { revisionKey } from '../../instance/index.ts';
import type { WatchedPass } from '../plan/cluster-api.ts';
import type { ItemResult } from '../plan/execute.ts';
import type { Target } from '../plan/observe.ts';
import type { ApplyOptions, ApprovedPlan, PlannedFleet } from './fleet.ts';
import type { ManagerMetrics } from './manager-metrics.ts';
import { alertEvents, changeEvents, faultEvents, type PassLog, placesEvents, shadowEvents } from './pass-events.ts';
import { type PlaceMemory, type RememberedBefore, rememberPlaces, withRemembered } from './place-memory.ts';
import { isUnderWay } from './rollout-pass.ts';
import { targetsToKeep } from './targets.ts';

export interface PassOptions {
  readonly signal: AbortSignal;
  /** Whether to read everything again, whatever is known of it: at the beginning of a term, and now and then. */
  readonly again?: boolean;
  /** False once another manager may be active. */
  readonly mayWrite: () => boolean;
  /** Plans and reports without applying anything. */
  readonly dryRun: boolean;
  readonly log: PassLog;
  readonly metrics: Pick<ManagerMetrics, 'planned' | 'applied' | 'rollouts'>;
}

export interface PassOutcome {
  /** 0 is success. */
  readonly code: 0 | 1;
  readonly changed: boolean;
  /** The instance revision that the pass used. */
  readonly revision: string;
  /** The next poll must look at the clusters again, although nothing changed: a rollout is under way. */
  readonly again?: true;
}

/** One pass of the loop. A persistent error is reported once. */
export function managerPass(
  plan: (signal: AbortSignal, before: readonly Target[], watched: WatchedPass) => Promise<PlannedFleet>,
  apply: (approved: ApprovedPlan, options: ApplyOptions) => Promise<ItemResult[]>,
  memory?: PlaceMemory,
): (options: PassOptions) => Promise<PassOutcome> {
  const [reported, alerted] = [changedOnly(), changedOnly()];
  let managed: readonly Target[] = [];
  const known: RememberedBefore = {};
  let passes = 0;
  return async ({ signal, again = true, mayWrite, dryRun, log, metrics }) => {
    const before = await withRemembered(memory, managed, known, { signal, again });
    passes += 1;
    const fleet = await plan(signal, before.places, { pass: passes, renew: again });
    const writable = dryRun ? undefined : before.memory;
    // Before the first write: a crash after it must not forget where something was.
    const forgotten = await rememberPlaces(writable, fleet.targets, known, signal);
    metrics.planned(fleet, fleet.rendered, fleet.live, fleet.plan);
    metrics.rollouts(fleet.rollout);
    const results = dryRun ? [] : await apply(fleet, { mayWrite, signal });
    metrics.applied(results);
    managed = targetsToKeep(fleet, fleet.plan, results);
    const kept = before.failure ?? forgotten ?? (await rememberPlaces(writable, managed, known, signal));
    for (const { message, ...fields } of [...changeEvents(fleet.plan, results, dryRun), ...shadowEvents(fleet)])
      log.info(message, fields);
    alerted(alertEvents(fleet), ({ message, ...fields }) => log.error(message, fields));
    const wrong = reported([...faultEvents(fleet, results), ...placesEvents(kept)], ({ message, ...fields }) =>
      log.error(message, fields),
    );
    return {
      code: wrong ? 1 : 0,
      changed: results.length > 0,
      revision: revisionKey(fleet.instance.snapshot.revision),
      ...(fleet.rollout !== undefined && isUnderWay(fleet.rollout) ? { again: true } : {}),
    };
  };
}
