import type { KubeObject } from '../desired/desired-namespace.ts';
import { differences, type FieldDifference, reportedDifference } from './differences.ts';
import { holdersOf, isApplied } from './field-owners.ts';
import { isOfRepository } from './joint-objects.ts';
import { keepsLiveParts } from './live-parts.ts';
import { type Owner, ownershipOf } from './ownership.ts';
import type { ObjectName, PlanItem, Write } from './plan-item.ts';
import { callersOf, type OwnedOptions, type PlanOptions } from './plan-options.ts';
import { removals } from './removals.ts';
import { replicasHolder } from './scaled-by-hand.ts';
import { seenOf } from './seen.ts';
import { formerEntry, formerManagers, wasHandedBack } from './take-over.ts';

export function planChange(name: ObjectName, labelled: KubeObject, live: KubeObject, options: OwnedOptions): PlanItem {
  const fitted = keepsLiveParts(labelled, live);
  if ('object' in fitted) return compared(name, fitted.object, live, options);
  if (options.recreate !== true) {
    return { ...name, action: 'conflict', reason: fitted.conflict, hint: fitted.hint };
  }
  const item = compared(name, labelled, live, options);
  return item.action === 'update' ? { ...item, action: 'recreate', reason: fitted.conflict } : item;
}

export function compared(name: ObjectName, object: KubeObject, live: KubeObject, options: PlanOptions): PlanItem {
  const ownership = ownershipOf(live, callersOf(options), options.instance);
  const found = differences(live, object);
  if (ownership.owner === 'ours' || (ownership.owner === 'another-manager' && hasComeOver(name, live, options))) {
    const isSettled = found.length === 0 && !wasHandedBack(live);
    return isSettled ? { ...name, action: 'keep' } : planUpdate(name, object, live, found, options);
  }
  if (options.adopt === true && ownership.owner === 'unmanaged') {
    return { ...name, action: 'adopt', reason: ownership.reason, ...writeOf(object, live, found, true) };
  }
  return { ...name, action: 'conflict', reason: ownership.reason, hint: HINTS[ownership.owner] };
}

function planUpdate(
  name: ObjectName,
  object: KubeObject,
  live: KubeObject,
  found: readonly FieldDifference[],
  { forceConflicts }: PlanOptions,
): PlanItem {
  const taken = forceConflicts === true ? [] : takenFields(object, live, found);
  if (taken.length > 0) return heldByOthers(name, taken);
  return { ...name, action: 'update', ...writeOf(object, live, found, forceConflicts === true) };
}

/** The fields to change that others hold, each with its holders. */
function takenFields(object: KubeObject, live: KubeObject, found: readonly FieldDifference[]): string[] {
  const isFormer = formerEntry(live);
  return found.flatMap(({ path, steps }) => {
    const others = isApplied(live) ? holdersOf(live, steps, (entry) => !isFormer(entry)).join(', ') : '';
    const holder = path === 'spec.replicas' ? (replicasHolder(live, object) ?? '') : others;
    return holder === '' ? [] : [`${path} (${holder})`];
  });
}

function heldByOthers(name: ObjectName, taken: readonly string[]): PlanItem {
  return {
    ...name,
    action: 'conflict',
    reason: `fields to change are held by other field managers: ${taken.join('; ')}`,
    hint: 'pass --force-conflicts to override them, or undo the change with the tool that made it',
  };
}

function writeOf(object: KubeObject, live: KubeObject, found: readonly FieldDifference[], force: boolean): Write {
  const takeOver = formerManagers(live);
  return {
    object,
    seen: seenOf(live),
    differences: [...found, ...removals(live, object, takeOver.length > 0)].map(reportedDifference),
    force: force || !isApplied(live),
    ...(takeOver.length === 0 ? {} : { takeOver }),
  };
}

const HINTS: Readonly<Record<Exclude<Owner, 'ours'>, string>> = {
  unmanaged: 'pass --adopt to take it over, or rename the integration',
  'another-manager': 'use different namespaces or names for the two managers',
};

/** Whether this data repository wrote it for another upstream, and now declares its integration for this one. */
function hasComeOver(
  { namespace }: ObjectName,
  live: KubeObject,
  { caller, instance, declaredFor }: PlanOptions,
): boolean {
  return isOfRepository(live, instance) && declaredFor?.(live, namespace)?.upstream === caller;
}
