import { byText } from '../../base/index.ts';
import { compare } from './apply/compare.ts';
import { type FieldSet, union } from './apply/field-set.ts';
import { fieldSetOf } from './apply/field-set-of.ts';
import { type Managers, managerText, readManagers, writeManagers } from './apply/managed-fields.ts';
import { type Path, pathText } from './apply/path-element.ts';
import { type Actor, apply, type FieldConflict, managersAfterUpdate } from './apply/updater.ts';
import { zeroOf } from './normalize.ts';
import { type Fields, fieldsAt, isFields, type KubeObject, type ManagedFieldsEntry } from './objects.ts';
import type { Resource } from './resources.ts';
import { type ApiError, applyConflict, badRequest } from './status.ts';

/** Managers whose last writes are remembered one by one; older ones are thrown together. */
const UPDATERS_LIMIT = 10;
const ANCIENT = 'ancient-changes';
const BEFORE_FIRST_APPLY = 'before-first-apply';

function resetOf(resource: Resource, subresource: string): FieldSet {
  return subresource === 'status' ? resource.resetOfStatus : resource.reset;
}

function withoutManagers(object: Fields): Fields {
  const { managedFields: _, ...metadata } = isFields(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata };
}

/** The managedFields of an object after a write that is no apply. */
export function recordUpdate(
  resource: Resource,
  live: KubeObject | undefined,
  next: KubeObject,
  actor: Actor,
): ManagedFieldsEntry[] | undefined {
  const managers = managersOf(live, next, actor.subresource !== '');
  if (managers.size === 0 && live !== undefined) return undefined;
  const after = managersAfterUpdate(managers, {
    live: withoutManagers(live ?? zeroOf(resource.type)),
    next: withoutManagers(next),
    type: resource.type,
    reset: resetOf(resource, actor.subresource),
    actor: { ...actor, manager: actor.manager === '' ? 'unknown' : actor.manager },
  });
  const entries = writeManagers(capped(after));
  return entries.length === 0 ? undefined : entries;
}

/** Those of the request, which may set them; an empty list forgets all; otherwise those that are there. */
function managersOf(live: KubeObject | undefined, next: KubeObject, isSubresource: boolean): Managers {
  const existing = (): Managers => readManagers(live?.metadata.managedFields) ?? new Map();
  const given = next.metadata.managedFields as unknown;
  if (isSubresource || given === undefined || given === null) return existing();
  if (isReset(given)) return new Map();
  const managers = readManagers(given);
  return managers === undefined || managers.size === 0 ? existing() : managers;
}

function isReset(given: unknown): boolean {
  if (!Array.isArray(given)) return false;
  return given.length === 0 || (given.length === 1 && isFields(given[0]) && Object.keys(given[0]).length === 0);
}

function capped(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= UPDATERS_LIMIT) return managers;
  const oldest = updaters
    .sort(([a, first], [b, second]) => ((first.time ?? '') + a < (second.time ?? '') + b ? -1 : 1))
    .slice(0, updaters.length - UPDATERS_LIMIT + 1);
  const result: Managers = new Map([...managers].filter(([identity]) => !oldest.some(([old]) => old === identity)));
  const [last] = oldest.slice(-1);
  if (last === undefined) return managers;
  const fields = oldest.map(([, managed]) => managed.fields).reduce((sum, set) => union(sum, set));
  const ancient = { ...last[1], manager: ANCIENT, subresource: '', fields };
  return result.set(ANCIENT, ancient);
}

/** The object after an apply, with its managedFields; refuses to take fields of others unless forced. */
export function applyConfig(
  resource: Resource,
  live: KubeObject | undefined,
  config: Fields,
  actor: Actor,
  force: boolean,
): KubeObject {
  if (isFields(config['metadata']) && (config['metadata']['managedFields'] ?? null) !== null)
    throw badRequest('metadata.managedFields must be nil');
  const reset = resetOf(resource, actor.subresource);
  const before = withoutManagers(
    live ?? { ...zeroOf(resource.type), apiVersion: resource.apiVersion, kind: resource.kind },
  );
  const managers = firstManagers(resource, live, actor);
  const change = { live: before, config, type: resource.type, reset, actor };
  const first = apply(managers, { ...change, force });
  const conflicts = first.conflicts.filter(({ path }) => !isLastApplied(path, before, resource, actor));
  if (conflicts.length > 0) throw conflictError(conflicts);
  const { next, managers: after } = first.conflicts.length === 0 ? first : apply(managers, { ...change, force: true });
  const object = withLastApplied((isFields(next) ? next : before) as KubeObject, config, actor);
  const entries = writeManagers(after);
  return { ...object, metadata: { ...object.metadata, ...(entries.length === 0 ? {} : { managedFields: entries }) } };
}

const KUBECTL = 'kubectl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** kubectl may take over what it applied itself before it applied on the server, as far as it is still there. */
function isLastApplied(path: Path, live: Fields, resource: Resource, { manager }: Actor): boolean {
  const text = fieldsAt(live, 'metadata', 'annotations')[LAST_APPLIED];
  if (manager !== KUBECTL || typeof text !== 'string') return false;
  const config = parsed(text);
  if (config === undefined || config['apiVersion'] !== resource.apiVersion) return false;
  const { added, modified, removed } = compare(config, live, resource.type);
  const applied = fieldSetOf(config, resource.type);
  return [added, modified, removed].every((set) => !set.has(path)) && applied.has(path);
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withLastApplied(object: KubeObject, config: Fields, { manager }: Actor): KubeObject {
  const { annotations } = object.metadata;
  if (manager !== KUBECTL || !annotations?.[LAST_APPLIED]) return object;
  const { annotations: given, ...metadata } = fieldsAt(config, 'metadata');
  const { [LAST_APPLIED]: _, ...rest } = isFields(given) ? given : {};
  const applied = {
    ...config,
    metadata: Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest },
  };
  const text = `${JSON.stringify(sortedKeys(applied))}\n`;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort(byText)
      .map((key) => [key, sortedKeys(value[key])]),
  );
}

/** Fields without a manager belong to the one that came before the first apply. */
function firstManagers(resource: Resource, live: KubeObject | undefined, actor: Actor): Managers {
  const managers = readManagers(live?.metadata.managedFields) ?? new Map();
  if (managers.size > 0 || live === undefined) return managers;
  return managersAfterUpdate(managers, {
    live: zeroOf(resource.type),
    next: withoutManagers(live),
    type: resource.type,
    reset: resetOf(resource, actor.subresource),
    actor: { ...actor, manager: BEFORE_FIRST_APPLY },
  });
}

function conflictError(conflicts: readonly FieldConflict[]): ApiError {
  const causes = conflicts.map(({ managed, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(managed)}`,
    field: pathText(path),
  }));
  const [only] = causes;
  if (causes.length === 1 && only !== undefined)
    return applyConflict(`Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes);
  const byManager = Map.groupBy(causes, ({ message }) => message.replace('conflict', 'conflicts'));
  const texts = [...byManager].flatMap(([manager, fields]) => [
    `${manager}:`,
    ...fields.map(({ field }) => `- ${field}`),
  ]);
  return applyConflict(`Apply failed with ${causes.length} conflicts: ${texts.join('\n')}`, causes);
}
