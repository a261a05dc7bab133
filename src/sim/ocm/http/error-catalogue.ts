import { type ErrorKind, OcmError, type Service } from '../ocm-error.ts';

const KINDS: Readonly<Record<ErrorKind, string>> = {
  'bad-request': 'The request asks for something that is not possible',
  malformed: 'The body of the request is not what it should be',
  validation: 'A value of the request is not allowed',
  search: 'The search is not well formed',
  unauthenticated: 'It is not known who sent the request',
  forbidden: 'The account may not do this',
  'not-found': 'There is nothing at this address',
  'not-allowed': 'This cannot be done at this address',
  conflict: 'It is there already',
  internal: 'The service has a problem of its own',
};

/** The errors that a service knows, one per id. */
export function errorCatalogue(service: Service) {
  const items = [...known(service).values()];
  return { kind: 'ErrorList', page: 1, size: items.length, total: items.length, items };
}

export function oneError(service: Service, id: string) {
  const error = known(service).get(id);
  if (error === undefined) throw new OcmError(service, 'not-found', `Error with id='${id}' not found`);
  return error;
}

function known(service: Service) {
  const all = Object.entries(KINDS).map(([kind, reason]) => {
    const { operation_id: _, ...body } = new OcmError(service, kind as ErrorKind, reason).body('');
    return [body.id, body] as const;
  });
  return new Map(all.toReversed());
}
