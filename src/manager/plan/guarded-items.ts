import { defined, isJson } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import {
  breachFor,
  breachText,
  type CountedObject,
  consentHint,
  type GuardBreach,
  type GuardOptions,
  guardBreaches,
  type ImageBreach,
} from './guard.ts';
import type { Observed } from './observed-item.ts';
import { type PlanItem, withheld } from './plan-item.ts';
import { type Removal, removalKey } from './recent-removals.ts';

export interface GuardedOptions extends GuardOptions {
  /** Skip the mass deletion guard. */
  readonly allowMassDeletion?: boolean;
  /** How many workloads may change their image in one pass; any number when absent. */
  readonly maxImageChanges?: number;
  /** What was deleted or stopped within the last hour, or why that is not known. */
  readonly recent?: readonly Removal[] | { readonly unknown: string; readonly hint: string };
}

export interface GuardedItems {
  readonly items: readonly PlanItem[];
  readonly breaches: readonly (GuardBreach | ImageBreach)[];
  /** What the plan deletes or stops without explicit consent. */
  readonly removals: readonly Removal[];
}

/** Withholds mass deletion and mass image changes. Pure. */
export function guardedItems(items: readonly PlanItem[], observed: Observed, options: GuardedOptions): GuardedItems {
  const images = imageBreach(items, options);
  const removals = options.allowMassDeletion === true ? [] : items.filter(isRemoval);
  if (removals.length === 0 && images.length === 0) return { items, breaches: [], removals: [] };
  const breaches = removals.length === 0 ? [] : guardBreaches(countedObjects(items, observed, options), options);
  const guarded = items.map((item) => {
    const breach = isRemoval(item) ? breachFor(breaches, placed(item, observed)) : undefined;
    const first = breach ?? (isImageChange(item) ? images[0] : undefined);
    if (first !== undefined) return withheld(item, breachText(first), consentHint(first));
    return unknownRecently(item, options) ?? item;
  });
  const going = new Set<PlanItem>(removals);
  const left = guarded.filter((item) => going.has(item));
  return {
    items: guarded,
    breaches: [...breaches, ...images],
    removals: left.map((item) => ({ ...placed(item, observed), key: removalKey(item) })),
  };
}

/** Without the record of the last hour nothing more is deleted. */
function unknownRecently(item: PlanItem, { recent, allowMassDeletion }: GuardedOptions): PlanItem | undefined {
  if (recent === undefined || !('unknown' in recent) || allowMassDeletion === true || !isRemoval(item))
    return undefined;
  return withheld(item, recent.unknown, recent.hint);
}

/** Whether applying it leaves nothing running: the object is deleted, scaled to 0 or suspended. */
export function isRemoval(item: PlanItem): boolean {
  if (item.action === 'delete') return true;
  if (!('differences' in item)) return false;
  return item.differences.some(
    ({ path, desired }) => (path === 'spec.replicas' && desired === 0) || (path === 'spec.suspend' && desired === true),
  );
}

function isImageChange(item: PlanItem): boolean {
  return 'differences' in item && item.differences.some(({ path, live }) => IMAGE.test(path) && live !== undefined);
}

const IMAGE = /\.(?:initC|c)ontainers\[[^\]]*\]\.image$/;

function imageBreach(items: readonly PlanItem[], { maxImageChanges }: GuardedOptions): ImageBreach[] {
  if (maxImageChanges === undefined) return [];
  const imageChanges = items.filter(isImageChange).length;
  return imageChanges <= maxImageChanges ? [] : [{ scope: 'images', imageChanges, allowed: maxImageChanges }];
}

/** Everything that exists, and what went within the last hour and is still gone. */
function countedObjects(items: readonly PlanItem[], observed: Observed, { recent }: GuardedOptions): CountedObject[] {
  const before = new Map((Array.isArray(recent) ? (recent as readonly Removal[]) : []).map((one) => [one.key, one]));
  const existing = items.flatMap((item): CountedObject[] => {
    const isRecent = before.size > 0 && before.delete(removalKey(item));
    const place = placed(item, observed);
    if (isRemoval(item)) return [{ ...place, goes: 'now' }];
    // What is created again, but stopped, is still gone.
    const isCreated = item.action === 'create';
    if (isRecent && isStopped(isCreated ? item.object : observed(item).live)) return [{ ...place, goes: 'before' }];
    return isCreated ? [] : [place];
  });
  return [...existing, ...[...before.values()].map(({ key: _, ...place }) => ({ ...place, goes: 'before' as const }))];
}

function placed(item: PlanItem, observed: Observed): Omit<Removal, 'key'> {
  return { cluster: item.cluster, ...defined({ environment: observed(item).environment }) };
}

function isStopped(live: KubeObject | undefined): boolean {
  const spec = isJson(live?.['spec']) ? live['spec'] : {};
  return spec['replicas'] === 0 || spec['suspend'] === true;
}
