import { EchelonError, type EchelonErrorOptions, isJson, type Secrets } from '../../base/index.ts';
import type { HttpAnswer } from '../http/index.ts';

type OcmErrorCode =
  | 'OCM_URL_INVALID'
  | 'OCM_CREDENTIALS'
  | 'OCM_UNAUTHORIZED'
  | 'OCM_FORBIDDEN'
  | 'OCM_NOT_FOUND'
  | 'OCM_REFUSED'
  | 'OCM_UNAVAILABLE'
  | 'OCM_UNREACHABLE'
  | 'OCM_ANSWER'
  | 'OCM_LIST_INCOMPLETE'
  | 'OCM_LIST_TOO_LONG'
  | 'OCM_SEARCH_TOO_LONG'
  | 'OCM_ID_INVALID'
  | 'READ_ONLY'
  | 'LEASE_LOST';

/** What OCM said when it did not do what was asked. */
export interface OcmRefusal {
  readonly status: number;
  /** `CLUSTERS-MGMT-400`; undefined when the answer came from something in between. */
  readonly code: string | undefined;
  readonly reason: string;
  readonly operationId: string | undefined;
  /** Gates without an agreement, by id, where that is why. */
  readonly missingGates: readonly string[];
}

interface OcmErrorOptions extends Omit<EchelonErrorOptions, 'code' | 'cause'> {
  readonly code: OcmErrorCode;
  readonly refusal?: OcmRefusal;
  readonly mayHaveArrived?: boolean;
  readonly tooLarge?: boolean;
}

/** What went wrong with one request to OCM. It has no cause: what is below may quote a header. */
export class OcmError extends EchelonError {
  override readonly name = 'OcmError';
  readonly refusal: OcmRefusal | undefined;
  /** Whether OCM may have acted on the request all the same. */
  readonly mayHaveArrived: boolean;
  /** The response is over the size limit: fewer rows at once may not be. */
  readonly tooLarge: boolean;

  constructor(options: OcmErrorOptions) {
    super(options);
    this.refusal = options.refusal;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
    this.tooLarge = options.tooLarge ?? false;
  }
}

export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof OcmError && thrown.code === 'OCM_NOT_FOUND';
}

const LONGEST_REASON = 500;

/** The error of an answer that is not a success; `quote` takes out what a server may quote of a request. */
export function refused(request: string, answer: HttpAnswer, quote: Secrets['quote']): OcmError {
  const refusal = refusalOf(answer, quote);
  const { code, hint } = kindOf(answer.status);
  const details = [refusal.code, refusal.operationId && `operation ${refusal.operationId}`].filter(Boolean).join(', ');
  return new OcmError({
    ...{ code, hint, refusal, mayHaveArrived: answer.status >= 500 },
    message: `${request} answered ${answer.status}: ${refusal.reason}${details && ` (${details})`}`,
  });
}

function refusalOf({ status, headers, body }: HttpAnswer, quote: Secrets['quote']): OcmRefusal {
  const error = isJson(body) ? body : {};
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? quote(value, { longest: LONGEST_REASON }) : undefined;
  return {
    status,
    code: text(error['code']),
    reason: text(error['reason']) ?? (status >= 300 && status < 400 ? 'it redirects elsewhere' : 'no reason given'),
    operationId: text(error['operation_id']) ?? text(headers.get('x-operation-id')),
    missingGates: gatesIn(error['details']).flatMap((id) => text(id) ?? []),
  };
}

/** The details of a refusal are gates when agreements to them are missing; otherwise they can be anything. */
function gatesIn(details: unknown): string[] {
  const gates = Array.isArray(details) ? details.filter(isJson) : [];
  return gates.flatMap(({ kind, id }) => (kind === 'VersionGate' && typeof id === 'string' ? [id] : []));
}

function kindOf(status: number): { code: OcmErrorCode; hint: string } {
  if (status === 401) return { code: 'OCM_UNAUTHORIZED', hint: 'check the credentials and that they are for this OCM' };
  if (status === 403)
    return { code: 'OCM_FORBIDDEN', hint: 'grant the account of these credentials a role that allows this' };
  if (status === 404) return { code: 'OCM_NOT_FOUND', hint: 'check the id; the object may no longer exist' };
  if (status === 429 || status >= 500)
    return { code: 'OCM_UNAVAILABLE', hint: 'try again later; check the OCM status page' };
  if (status < 400) return { code: 'OCM_REFUSED', hint: 'check that the URL is that of the OCM API' };
  return { code: 'OCM_REFUSED', hint: 'see the reason: the request is not valid in the current state' };
}
