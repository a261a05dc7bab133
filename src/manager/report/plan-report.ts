import { count } from '../../base/index.ts';
import { type FleetPlan, type Summary, summaryOf } from '../plan/fleet-plan.ts';
import { placeOf } from '../plan/places.ts';
import type { PlanItem } from '../plan/plan-item.ts';
import { itemReason } from './item-reason.ts';

export const PLAN_TITLES = ['ACTION', 'CLUSTER/NAMESPACE', 'OBJECT', 'WHY'] as const;

export function planRow(item: PlanItem): string[] {
  return [item.action, placeOf(item), `${item.kind} ${item.name}`, itemReason(item)];
}

/** Whether an object is not simply as declared. */
export function isNoteworthy({ action }: PlanItem): boolean {
  return action !== 'keep';
}

/** Machine-readable; unchanged objects are counted, not listed. */
export function fleetPlanDocument(plan: FleetPlan): object {
  const { items, failures, removals: _, ...rest } = plan;
  return {
    ...rest,
    summary: summaryOf(plan),
    items: items.filter(isNoteworthy),
    failures: failures.map(({ error, ...place }) => ({ ...place, code: error.code, message: error.message })),
  };
}

/** `Plan: 1 to create, 0 to update, 0 to delete; 3 unchanged.` What could not be observed is in no plan, and that is said. */
export function planSummaryText(plan: Pick<FleetPlan, 'items' | 'failures'>): string {
  const unseen = [
    ...new Set(plan.failures.map(({ cluster, namespace }) => [cluster, namespace].filter(Boolean).join('/'))),
  ];
  if (unseen.length === 0) return summaryText(summaryOf(plan));
  if (plan.items.length === 0) return `No plan: ${named(unseen)} could not be observed.`;
  return `${summaryText(summaryOf(plan))} Incomplete: ${named(unseen)} could not be observed.`;
}

const MOST_NAMED = 3;

function named(places: readonly string[]): string {
  const more = places.length - MOST_NAMED;
  return more > 0 ? `${places.slice(0, MOST_NAMED).join(', ')} and ${more} more` : places.join(', ');
}

function summaryText(summary: Summary): string {
  const changes = [
    `${summary.create} to create`,
    `${summary.update} to update`,
    ...(summary.adopt === 0 ? [] : [`${summary.adopt} to adopt`]),
    ...(summary.recreate === 0 ? [] : [`${summary.recreate} to recreate`]),
    `${summary.delete} to delete`,
  ];
  const rest = [
    `${summary.keep} unchanged`,
    ...(summary.hold === 0 ? [] : [`${summary.hold} held`]),
    ...(summary.conflict === 0 ? [] : [count(summary.conflict, 'conflict')]),
    ...(summary.withhold === 0 ? [] : [`${count(summary.withhold, 'change')} withheld`]),
  ];
  return `Plan: ${changes.join(', ')}; ${rest.join(', ')}.`;
}
