import type { KubeObject } from '../objects.ts';
import type { Resource } from '../resources.ts';
import { type FieldError, invalid } from '../status.ts';
import { checkMeta, checkMetaUpdate } from './meta.ts';
import { CREATE_RULES, UPDATE_RULES } from './rules.ts';

/** Refuses an object that cannot be created. */
export function validateCreate(resource: Resource, object: KubeObject): void {
  refuse(resource, object, [...checkMeta(resource, object.metadata), ...(CREATE_RULES[resource.kind]?.(object) ?? [])]);
}

/** Refuses a change that cannot be made. A write to the status changes nothing else. */
export function validateUpdate(resource: Resource, object: KubeObject, old: KubeObject, subresource: string): void {
  const errors = checkMetaUpdate(resource, object.metadata, old.metadata);
  if (subresource !== 'status') errors.push(...(UPDATE_RULES[resource.kind]?.(object, old) ?? []));
  refuse(resource, object, errors);
}

function refuse(resource: Resource, object: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(resource, object.metadata.name, errors);
}
