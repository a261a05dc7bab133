import { byText, defined } from '../../../base/index.ts';
import { deepEqual } from '../objects.ts';
import type { StructType } from '../schema.ts';
import { compare } from './compare.ts';
import { difference, FieldSet, intersection, union, withNamedFields, without } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { identityOf, type Managed, type Managers } from './managed-fields.ts';
import { merge } from './merge.ts';
import type { Path } from './path-element.ts';
import { removePaths } from './remove.ts';

/** Who writes, how, to what. */
export interface Actor {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
}

/** A field that another manager owns. */
export interface FieldConflict {
  readonly managed: Managed;
  readonly path: Path;
}

const NEVER_MANAGED = new FieldSet();
for (const path of [
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
])
  NEVER_MANAGED.insert(path);

interface Change {
  readonly live: unknown;
  readonly next: unknown;
  readonly type: StructType;
  /** Fields that this kind of write cannot change. */
  readonly reset: FieldSet;
  readonly actor: Actor;
}

/** Ownership after a write that is no apply: what it changed is its own from now on. */
export function managersAfterUpdate(managers: Managers, change: Change): Managers {
  const { actor, reset } = change;
  const { added, modified, removed } = comparison(change);
  const changed = without(union(added, modified), reset);
  const result: Managers = new Map();
  for (const [identity, managed] of known(managers, actor)) {
    const fields = difference(difference(managed.fields, changed), without(removed, reset));
    if (!fields.isEmpty) result.set(identity, { ...managed, fields });
  }
  const own = difference(changed, NEVER_MANAGED);
  if (own.isEmpty) return result;
  const mine = {
    manager: actor.manager,
    operation: 'Update',
    apiVersion: actor.apiVersion,
    subresource: actor.subresource,
  } as const;
  const before = result.get(identityOf(mine));
  const fields = before === undefined ? own : union(before.fields, own);
  return result.set(identityOf(mine), { ...mine, fields, time: actor.time });
}

function comparison({ live, next, type }: Change) {
  return compare(live, next, type);
}

/** Entries of versions that are not served any more are dropped. */
function known(managers: Managers, { apiVersion }: Actor): [string, Managed][] {
  return [...managers].filter(([, managed]) => managed.apiVersion === apiVersion);
}

interface Applied {
  readonly next: unknown;
  readonly managers: Managers;
  readonly conflicts: readonly FieldConflict[];
}

interface Apply {
  readonly live: unknown;
  readonly config: unknown;
  readonly type: StructType;
  readonly reset: FieldSet;
  readonly actor: Actor;
  readonly force: boolean;
}

/** Merges what is applied, removes what this applier no longer applies, and reports whose fields it would take. */
export function apply(before: Managers, { live, config, type, reset, actor, force }: Apply): Applied {
  const managers: Managers = new Map(known(before, actor));
  const mine = {
    manager: actor.manager,
    operation: 'Apply',
    apiVersion: actor.apiVersion,
    subresource: actor.subresource,
  } as const;
  const identity = identityOf(mine);
  const last = managers.get(identity);
  const fields = without(fieldSetOf(config, type), reset);
  managers.set(identity, { ...mine, fields, ...defined({ time: last?.time }) });
  const merged = merge(live, config, type);
  const next = last === undefined || last.fields.isEmpty ? merged : prune(merged, managers, last.fields, type);
  const conflicts = takeOver(managers, { live, next, type, reset, actor }, identity);
  if (conflicts.length > 0 && !force) return { next: live, managers: before, conflicts };
  return { next, managers: finish(managers, identity, actor, !deepEqual(live, next)), conflicts: [] };
}

function finish(managers: Managers, identity: string, actor: Actor, isChanged: boolean): Managers {
  const own = managers.get(identity);
  if (own === undefined) return managers;
  const fields = difference(own.fields, NEVER_MANAGED);
  if (fields.isEmpty) managers.delete(identity);
  else managers.set(identity, { ...own, fields, ...(isChanged ? { time: actor.time } : {}) });
  return managers;
}

/** Takes changed and removed fields from all other managers; what they would lose by a change is reported. */
function takeOver(managers: Managers, change: Change, identity: string): FieldConflict[] {
  const { added, modified, removed } = comparison(change);
  const changed = without(union(added, modified), change.reset);
  const conflicts: FieldConflict[] = [];
  for (const [other, managed] of [...managers].sort(([a], [b]) => byText(a, b))) {
    if (other === identity) continue;
    const taken = intersection(managed.fields, changed);
    for (const path of taken.paths()) conflicts.push({ managed, path });
    const fields = difference(difference(managed.fields, taken), without(removed, change.reset));
    if (fields.isEmpty) managers.delete(other);
    else managers.set(other, { ...managed, fields });
  }
  return conflicts;
}

/** Removes what the last apply set and this one does not, unless another manager owns it or no one did. */
function prune(merged: unknown, managers: Managers, last: FieldSet, type: StructType): unknown {
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const namedLast = named(last);
  const all = named(fieldSetOf(merged, type));
  const pruned = named(fieldSetOf(removePaths(merged, namedLast, type), type));
  const owned = [...managers.values()].reduce((sum, { fields }) => union(sum, fields), new FieldSet());
  const withOwned = removePaths(merged, difference(all, union(pruned, named(owned))), type);
  const kept = named(fieldSetOf(withOwned, type));
  return removePaths(merged, intersection(difference(all, kept), namedLast), type);
}
