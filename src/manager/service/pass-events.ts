import { defined, type EchelonError } from '../../base/index.ts';
import type { ItemResult } from '../plan/execute.ts';
import { changesOf, type FleetPlan, placeOf, summaryOf } from '../plan/fleet-plan.ts';
import type { PlanItem } from '../plan/plan.ts';
import type { PlannedFleet } from './fleet.ts';
import { errorsIn } from './operated-fleet.ts';

export interface PassLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The message never changes from event to event; what does is in the fields. */
export interface PassEvent {
  readonly message: string;
  readonly [field: string]: unknown;
}

/** One event for each thing that was done, or would be, and how many of each when there are any. */
export function changeEvents(plan: FleetPlan, results: readonly ItemResult[], dryRun: boolean): PassEvent[] {
  const message = dryRun ? 'would be done' : 'done';
  const items = dryRun ? changesOf(plan) : results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item);
  if (items.length === 0) return [];
  return [
    ...items.map((item) => changeEvent(message, item)),
    { message: 'plan', revision: plan.revision, ...summaryOf(plan) },
  ];
}

function changeEvent(message: string, item: PlanItem): PassEvent {
  const { action, cluster, namespace, kind, name } = item;
  const differences = 'differences' in item ? item.differences.map(({ path }) => path) : undefined;
  return { message, action, cluster, namespace, kind, name, ...defined({ differences }) };
}

/** Everything that is wrong after a pass. */
export function faultEvents(
  fleet: Pick<PlannedFleet, 'problems' | 'rendered' | 'plan'>,
  results: readonly ItemResult[],
): PassEvent[] {
  const { rendered, plan } = fleet;
  return [
    ...errorsIn(fleet).map(({ file, line, rule, message: error }) => ({
      message: 'the instance has an error',
      file,
      line,
      rule,
      error,
    })),
    ...rendered.failures.map(({ target, error }) => ({
      message: 'a namespace cannot be rendered',
      target,
      ...faultFields(error),
    })),
    ...plan.failures.map(({ cluster, namespace, error }) => ({
      message: 'a place cannot be looked at',
      cluster,
      namespace,
      ...faultFields(error),
    })),
    ...plan.breaches.map((breach) => ({ message: 'mass deletion withheld', ...breach, code: 'MASS_DELETION' })),
    ...plan.items.flatMap((item) =>
      item.action === 'conflict' || item.action === 'withhold'
        ? [{ message: item.action, ...objectFields(item), reason: item.reason, hint: item.hint }]
        : [],
    ),
    ...results
      .filter(({ outcome, error }) => outcome === 'failed' || (outcome === 'skipped' && error?.code === 'SKIPPED'))
      .map(({ item, error }) => ({
        message: 'failed',
        action: item.action,
        ...objectFields(item),
        ...faultFields(error),
      })),
  ];
}

function objectFields(item: PlanItem) {
  return { place: placeOf(item), kind: item.kind, name: item.name };
}

function faultFields(error: EchelonError | undefined): object {
  return error === undefined ? {} : { code: error.code, error: error.message, hint: error.hint };
}
