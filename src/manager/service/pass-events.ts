import { defined, type EchelonError } from '../../base/index.ts';
import type { ItemResult } from '../plan/execute.ts';
import { changesOf, type FleetPlan, summaryOf } from '../plan/fleet-plan.ts';
import { placeOf } from '../plan/places.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import type { PlannedFleet } from './fleet.ts';
import { errorsIn } from './operated-fleet.ts';

export interface PassLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The message is static; everything variable is in the fields. */
interface PassEvent {
  readonly message: string;
  readonly [field: string]: unknown;
}

/** One event per object that was or would be applied, then one with the totals; none if nothing changes. */
export function changeEvents(plan: FleetPlan, results: readonly ItemResult[], dryRun: boolean): PassEvent[] {
  const message = dryRun ? 'object would be applied' : 'object applied';
  const items = dryRun ? changesOf(plan) : results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item);
  if (items.length === 0) return [];
  return [
    ...items.map((item) => changeEvent(message, item)),
    { message: 'plan computed', revision: plan.revision, ...summaryOf(plan) },
  ];
}

function changeEvent(message: string, item: PlanItem): PassEvent {
  const { action, cluster, namespace, kind, name } = item;
  const differences = 'differences' in item ? item.differences.map(({ path }) => path) : undefined;
  return { message, action, cluster, namespace, kind, name, ...defined({ differences }) };
}

/** After a restart, what is left in a cluster without declarations would not be found. */
export function placesEvents(failure: EchelonError | undefined): PassEvent[] {
  return failure === undefined ? [] : [{ message: 'places not remembered', ...faultFields(failure) }];
}

/** Every error of a pass. */
export function faultEvents(
  fleet: Pick<PlannedFleet, 'problems' | 'rendered' | 'plan' | 'rollout'>,
  results: readonly ItemResult[],
): PassEvent[] {
  const { rendered, plan, rollout } = fleet;
  return [
    ...(rollout?.fault === undefined ? [] : [{ message: 'rollouts unusable', ...faultFields(rollout.fault) }]),
    ...errorsIn(fleet).map(({ file, line, rule, message: error }) => ({
      message: 'invalid instance',
      file,
      line,
      rule,
      error,
    })),
    ...rendered.failures.map(({ target, error }) => ({
      message: 'render failed',
      target,
      ...faultFields(error),
    })),
    ...[...plan.failures, ...(rollout?.unlisted ?? [])].map(({ cluster, namespace, error }) => ({
      message: 'observe failed',
      cluster,
      namespace,
      ...faultFields(error),
    })),
    ...plan.breaches.map((breach) => ({ ...BREACHES[breach.scope === 'images' ? 'images' : 'deletions'], ...breach })),
    ...plan.items.flatMap((item) =>
      item.action === 'conflict' || item.action === 'withhold'
        ? [{ message: obstacleOf(item), ...objectFields(item), reason: item.reason, hint: item.hint }]
        : [],
    ),
    ...results
      .filter(({ outcome, error }) => outcome === 'failed' || (outcome === 'skipped' && error?.code === 'SKIPPED'))
      .map(({ item, error }) => ({
        message: 'apply failed',
        action: item.action,
        ...objectFields(item),
        ...faultFields(error),
      })),
  ];
}

/** What rollouts need a user for. No error of the pass: to halt an image is what it is for. */
export function alertEvents({ rollout }: Pick<PlannedFleet, 'rollout'>): PassEvent[] {
  return (rollout?.decision?.tracks ?? []).flatMap(({ track, environment, alerts }) =>
    alerts.map(({ kind, shard, image, reason }) => ({
      message: `rollout ${kind}`,
      track,
      environment,
      shard,
      image,
      reason,
    })),
  );
}

/** One event for each comparison of dry runs that the pass read. */
export function shadowEvents({ rollout }: Pick<PlannedFleet, 'rollout'>): PassEvent[] {
  return (rollout?.compared ?? []).map(({ environment, id, shadow }) => {
    const { image, baseline, result, differences, digest, text } = shadow;
    const found = { environment, shard: id, image, baseline, result, differences, ...defined({ digest }) };
    return {
      message: 'shadow compared',
      ...found,
      ...defined({ reason: result === 'inconclusive' ? text : undefined }),
    };
  });
}

const BREACHES = {
  deletions: { message: 'mass deletion withheld', code: 'MASS_DELETION' },
  images: { message: 'image changes withheld', code: 'MASS_IMAGE_CHANGE' },
} as const;

function obstacleOf(item: PlanItem & { readonly action: 'conflict' | 'withhold' }): string {
  if (item.action === 'conflict') return 'object conflict';
  return item.withholds === 'delete' ? 'deletion withheld' : 'change withheld';
}

function objectFields(item: PlanItem) {
  return { place: placeOf(item), kind: item.kind, name: item.name };
}

function faultFields(error: EchelonError | undefined): object {
  return error === undefined ? {} : { code: error.code, error: error.message, hint: error.hint };
}
