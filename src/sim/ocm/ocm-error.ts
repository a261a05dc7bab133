import { defined } from '../../base/index.ts';
/** The three services of one OCM, by the name in their paths. */
export type Service = 'accounts_mgmt' | 'clusters_mgmt' | 'service_logs';

/** The kinds of errors of all services; each service has its own codes for them. */
export type ErrorKind =
  | 'bad-request'
  | 'malformed'
  | 'validation'
  | 'search'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'not-allowed'
  | 'conflict'
  | 'internal';

const STATUS: Readonly<Record<ErrorKind, number>> = {
  'bad-request': 400,
  malformed: 400,
  validation: 400,
  search: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  conflict: 409,
  internal: 500,
};

/** The numbering of accounts and service logs; clusters use the HTTP status. */
const OWN_ID: Readonly<Record<ErrorKind, number>> = {
  'bad-request': 21,
  malformed: 17,
  validation: 8,
  search: 23,
  unauthenticated: 15,
  forbidden: 11,
  'not-found': 7,
  'not-allowed': 10,
  conflict: 6,
  internal: 9,
};

const CODE_PREFIX: Readonly<Record<Service, string>> = {
  accounts_mgmt: 'ACCT-MGMT',
  clusters_mgmt: 'CLUSTERS-MGMT',
  service_logs: 'SERVICE-LOGS',
};

/** The body of every error response. The id is text: OCM clients cannot parse a number there. */
interface ErrorBody {
  readonly kind: 'Error';
  readonly id: string;
  readonly href: string;
  readonly code: string;
  readonly reason: string;
  readonly operation_id: string;
  readonly details?: readonly unknown[];
}

/** A request rejected by OCM. */
export class SimOcmError extends Error {
  readonly service: Service;
  readonly kind: ErrorKind;
  readonly status: number;
  readonly details: readonly unknown[] | undefined;

  constructor(service: Service, kind: ErrorKind, reason: string, details?: readonly unknown[]) {
    super(reason);
    this.name = 'OcmError';
    this.service = service;
    this.kind = kind;
    this.status = STATUS[kind];
    this.details = details;
  }

  get id(): string {
    return String(this.service === 'clusters_mgmt' ? this.status : OWN_ID[this.kind]);
  }

  get code(): string {
    return `${CODE_PREFIX[this.service]}-${this.id}`;
  }

  body(operationId: string): ErrorBody {
    return {
      kind: 'Error',
      id: this.id,
      href: `/api/${this.service}/v1/errors/${this.id}`,
      code: this.code,
      reason: this.message,
      operation_id: operationId,
      ...defined({ details: this.details }),
    };
  }
}
