import { type ErrorKind, type Service, SimOcmError } from '../ocm-error.ts';

const KINDS: Readonly<Record<ErrorKind, string>> = {
  'bad-request': 'The request is not possible',
  malformed: 'The request body is malformed',
  validation: 'A value in the request is invalid',
  search: 'The search is malformed',
  unauthenticated: 'The caller is not authenticated',
  forbidden: 'The account lacks permission',
  'not-found': 'The resource does not exist',
  'not-allowed': 'The method is not allowed for this resource',
  conflict: 'The resource already exists',
  internal: 'Internal error of the service',
};

/** The errors of a service, one per id. */
export function errorCatalogue(service: Service) {
  const items = [...known(service).values()];
  return { kind: 'ErrorList', page: 1, size: items.length, total: items.length, items };
}

export function oneError(service: Service, id: string) {
  const error = known(service).get(id);
  if (error === undefined) throw new SimOcmError(service, 'not-found', `Error with id='${id}' not found`);
  return error;
}

function known(service: Service) {
  const all = Object.entries(KINDS).map(([kind, reason]) => {
    const { operation_id: _, ...body } = new SimOcmError(service, kind as ErrorKind, reason).body('');
    return [body.id, body] as const;
  });
  return new Map(all.toReversed());
}
