import type { Account } from '../model.ts';
import { type Service, SimOcmError } from '../ocm-error.ts';

export function notFound(service: Service, reason: string): SimOcmError {
  return new SimOcmError(service, 'not-found', reason);
}

/** OCM's error for missing permissions. */
export function denied(
  service: Service,
  caller: Account,
  action: 'create' | 'get' | 'update' | 'delete',
  type: string,
  call: string,
): SimOcmError {
  const reason = `Account with ID ${caller.id} denied access to perform ${action} on ${type} with HTTP call ${call}`;
  return new SimOcmError(service, 'forbidden', reason);
}

/** A text field of a request body; undefined when absent. */
export function textIn(service: Service, body: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new SimOcmError(service, 'malformed', `Invalid value for field '${key}': it must be a string`);
}

export function booleanIn(service: Service, body: Readonly<Record<string, unknown>>, key: string): boolean | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw new SimOcmError(service, 'malformed', `Invalid value for field '${key}': it must be a boolean`);
}
