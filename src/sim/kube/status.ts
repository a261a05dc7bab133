import { defined } from '../../base/index.ts';

/** One of several reasons, tied to a field. */
interface Cause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** A request that is refused, as the Status object that answers it. */
export class ApiError extends Error {
  readonly code: number;
  readonly status: Status;

  constructor(code: number, reason: string | undefined, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...defined({ reason, details }),
      code,
    };
  }
}

/** Group and plural name, as messages have it: `deployments.apps`. */
interface Named {
  readonly group: string;
  readonly name: string;
}

function qualified({ group, name }: Named): string {
  return group === '' ? name : `${name}.${group}`;
}

function detailsOf({ group, name: kind }: Named, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind };
}

export function notFound(resource: Named, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: Named, name: string): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );
}

export function conflict(resource: Named, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, detailsOf(resource, name));
}

export function modified(resource: Named, name: string): ApiError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(resource, name, why);
}

export function applyConflict(message: string, causes: readonly Cause[]): ApiError {
  return new ApiError(409, 'Conflict', message, { causes });
}

export function forbidden(resource: Named, name: string, why: string, causes: readonly Cause[] = []): ApiError {
  const what = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const details = { ...detailsOf(resource, name), ...(causes.length === 0 ? {} : { causes }) };
  return new ApiError(403, 'Forbidden', `${what} is forbidden: ${why}`, details);
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, undefined, message);
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError(405, 'MethodNotAllowed', message, {});
}

export function pathNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

/** What is wrong with one field of an object. */
export interface FieldError {
  readonly reason: 'FieldValueInvalid' | 'FieldValueForbidden';
  readonly field: string;
  /** After `field: `. */
  readonly body: string;
}

/** 422 with every error. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const what = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const texts = errors.map(({ field, body }) => `${field}: ${body}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${what} "${name}" is invalid: ${list}`, {
    name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.kind,
    causes: errors.map(({ reason, field, body }) => ({ reason, message: body, field })),
  });
}
