import { EchelonError, isJson, type Secrets } from '../../base/index.ts';

/** A field that another manager holds. */
interface FieldConflict {
  /** `.spec.replicas`, as the server writes it. */
  readonly field: string;
  /** `conflict with "kubectl-edit" using apps/v1`. */
  readonly message: string;
}

interface KubeErrorOptions {
  readonly code: KubeErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly status?: number;
  readonly conflicts?: readonly FieldConflict[];
  readonly cause?: unknown;
}

type KubeErrorCode =
  | 'KUBE_UNREACHABLE'
  | 'KUBE_TIMEOUT'
  | 'KUBE_TLS'
  | 'KUBE_UNAUTHORIZED'
  | 'KUBE_FORBIDDEN'
  | 'KUBE_NOT_FOUND'
  | 'KUBE_NO_NAMESPACE'
  | 'KUBE_EXISTS'
  | 'KUBE_CONFLICT'
  | 'KUBE_FIELD_CONFLICT'
  | 'KUBE_EXPIRED'
  | 'KUBE_INVALID'
  | 'KUBE_THROTTLED'
  | 'KUBE_SERVER_ERROR'
  | 'KUBE_ANSWER'
  | 'READ_ONLY'
  | 'LEASE_LOST';

/** What went wrong with one request to a cluster. */
export class KubeError extends EchelonError {
  override readonly name = 'KubeError';
  readonly status: number | undefined;
  readonly conflicts: readonly FieldConflict[];

  constructor(options: KubeErrorOptions) {
    super(options);
    this.status = options.status;
    this.conflicts = options.conflicts ?? [];
  }
}

/** The request as messages name it: no query, no secret. */
interface RequestName {
  readonly cluster: string;
  readonly method: string;
  readonly path: string;
}

const LONGEST_MESSAGE = 600;
/** Of a text that is not the API's, such as the page of a proxy. */
const LONGEST_PAGE = 200;

/** What a response other than a success means; `quote` removes the credentials of the request from what it says. */
export function answerError(request: RequestName, status: number, body: string, quote: Secrets['quote']): KubeError {
  const api = statusOf(body);
  const code = codeOf(status, api);
  const [text, longest] = api.message === '' ? [body, LONGEST_PAGE] : [api.message, LONGEST_MESSAGE];
  const message = quote(text, { longest });
  return new KubeError({
    code,
    status,
    message: `${request.cluster}: ${request.method} ${request.path}: ${status}${message === '' ? '' : ` ${message}`}`,
    hint: hintOf(code, api),
    conflicts: api.conflicts.map((conflict) => ({
      field: quote(conflict.field, { longest: LONGEST_MESSAGE }),
      message: quote(conflict.message, { longest: LONGEST_MESSAGE }),
    })),
  });
}

interface ApiStatus {
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly conflicts: readonly FieldConflict[];
  /** Fields that the server rejects. */
  readonly fields: readonly string[];
  /** Why, in words that do not change: `NamespaceTerminating`. */
  readonly causes: readonly string[];
}

function statusOf(body: string): ApiStatus {
  const parsed = parse(body);
  const details = isJson(parsed['details']) ? parsed['details'] : {};
  const causes = Array.isArray(details['causes']) ? details['causes'].filter(isJson) : [];
  return {
    reason: textOf(parsed['reason']),
    message: textOf(parsed['message']),
    kind: textOf(details['kind']),
    fields: causes.map(({ field }) => textOf(field)),
    causes: causes.map((cause) => textOf(cause['reason'])),
    conflicts: causes
      .filter(({ reason }) => reason === 'FieldManagerConflict')
      .map(({ field, message }) => ({ field: textOf(field), message: textOf(message) })),
  };
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const BY_STATUS: Readonly<Record<number, KubeErrorCode>> = {
  400: 'KUBE_INVALID',
  401: 'KUBE_UNAUTHORIZED',
  403: 'KUBE_FORBIDDEN',
  404: 'KUBE_NOT_FOUND',
  409: 'KUBE_CONFLICT',
  410: 'KUBE_EXPIRED',
  413: 'KUBE_INVALID',
  422: 'KUBE_INVALID',
  429: 'KUBE_THROTTLED',
};

/** Server-side apply returns 500 for a field that the schema does not have. */
const NOT_IN_SCHEMA = /typed patch object|field not declared in schema/;

function codeOf(status: number, { reason, kind, conflicts, fields, message }: ApiStatus): KubeErrorCode {
  if (status === 409 && conflicts.length > 0) return 'KUBE_FIELD_CONFLICT';
  if (status === 409 && reason === 'AlreadyExists') return 'KUBE_EXISTS';
  if (status === 404 && kind === 'namespaces') return 'KUBE_NO_NAMESPACE';
  if (status === 422 && fields.includes('metadata.uid')) return 'KUBE_CONFLICT';
  if (status === 500 && NOT_IN_SCHEMA.test(message)) return 'KUBE_INVALID';
  return BY_STATUS[status] ?? (status >= 500 ? 'KUBE_SERVER_ERROR' : 'KUBE_ANSWER');
}

function hintOf(code: KubeErrorCode, { causes, message }: ApiStatus): string {
  const refusal = REFUSALS.find(({ cause, says }) => causes.includes(cause ?? '') || says.test(message));
  if (code === 'KUBE_FORBIDDEN' && refusal !== undefined) return refusal.hint;
  return HINTS[code] ?? 'see the log of the API server';
}

/** What else a 403 means than missing rights. */
const REFUSALS: readonly { readonly cause?: string; readonly says: RegExp; readonly hint: string }[] = [
  {
    cause: 'NamespaceTerminating',
    says: /because it is being terminated/,
    hint: 'the namespace is being deleted: create it again when it is gone, or remove it from the instance',
  },
  {
    says: /(?:exceeded|failed|status unknown for) quota: /,
    hint: 'the ResourceQuota of the namespace does not allow it: raise the quota, or request less',
  },
  {
    says: /admission webhook .* denied|ValidatingAdmissionPolicy|violates PodSecurity/,
    hint: 'an admission policy of the cluster rejects it: correct the chart or ask the owner of the policy',
  },
];

const HINTS: Readonly<Partial<Record<KubeErrorCode, string>>> = {
  KUBE_UNAUTHORIZED: 'the token or certificate was rejected: renew it',
  KUBE_FORBIDDEN:
    'grant the account the Role that `echelon manager bootstrap` prints in this namespace, or add the namespace to manager.namespaces of the chart',
  KUBE_NOT_FOUND: 'it does not exist, or the cluster does not know this kind',
  KUBE_NO_NAMESPACE: 'create the namespace first; everything else continues without it',
  KUBE_EXISTS: 'it was created concurrently: plan again',
  KUBE_CONFLICT: 'it changed since it was observed: plan again',
  KUBE_FIELD_CONFLICT: 'another manager owns these fields: take them over with --force-conflicts, or omit them',
  KUBE_EXPIRED: 'run it again',
  KUBE_INVALID: 'the cluster rejects this object: correct the chart or the integration file',
  KUBE_THROTTLED: 'the API server is overloaded: try again later, or use a smaller --concurrency',
  KUBE_SERVER_ERROR: 'the API server has a problem: try again later',
};
