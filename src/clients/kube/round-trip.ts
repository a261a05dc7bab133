import { EchelonError, humanBytes, Secrets } from '../../base/index.ts';
import { HttpFailure, type HttpText, type Tried } from '../http/index.ts';
import type { KubeConnection } from './connection.ts';
import { answerError, KubeError } from './kube-error.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Sending it twice does no harm, so it is sent again when its response is lost. */
  readonly idempotent: boolean;
  /** Gives up waiting. Left out for what must not be cut short. */
  readonly signal?: AbortSignal;
  /** The response is plain text, such as a log. */
  readonly isText?: true;
}

export interface KubeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One request as it was sent, for metrics. */
export interface KubeCall {
  readonly cluster: string;
  readonly method: string;
  /** Absent when there was no response. */
  readonly status?: number;
  readonly seconds: number;
}

export const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
/** The library for TLS says on further lines where in its source it failed. */
const FIRST_LINE = { longest: 600, tidy: (text: string) => text.split('\n')[0] ?? '' };
const CHECK_ADDRESS = 'check that the URL is that of an API server, not of a proxy or console';

export function urlOf(connection: KubeConnection, { path, query = {} }: KubeRequest): URL {
  const address = connection.server.replace(/\/+$/, '') + path;
  if (!URL.canParse(address)) throw unreachable(connection, '', 'the address is not a URL');
  const url = new URL(address);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value);
  return url;
}

/** Only the code of such an error is read. */
const UNNAMED = { cluster: '', method: '', path: '' };
const UNSAID = (): string => '';

/** Whether another attempt is safe and may succeed. */
export function mayTryAgain({ idempotent, isText }: KubeRequest, tried: Tried): boolean {
  if ('fault' in tried) return !isTls(tried.code) && (idempotent || !tried.mayHaveArrived);
  if (isSuccess(tried.status)) return idempotent && isText !== true && !tried.text.trimStart().startsWith('{');
  const { code } = answerError(UNNAMED, tried.status, tried.text, UNSAID);
  return code === 'KUBE_THROTTLED' || (code === 'KUBE_SERVER_ERROR' && idempotent);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The parsed response; throws what any other status means. */
export function answerOf(
  { name: cluster }: KubeConnection,
  { method, path, isText }: KubeRequest,
  { status, text }: HttpText,
  quote: Secrets['quote'],
): KubeAnswer {
  if (!isSuccess(status)) throw answerError({ cluster, method, path }, status, text, quote);
  if (isText === true) return { status, body: text };
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    throw new KubeError({
      code: 'KUBE_ANSWER',
      message: `${cluster}: ${method} ${path}: the response is not JSON (${humanBytes(text.length)})`,
      hint: CHECK_ADDRESS,
    });
  }
}

/** A request without a usable response as a `KubeError`; whatever else was thrown, such as by a login, stays what it is. */
export function kubeFailure(connection: KubeConnection, request: KubeRequest, thrown: unknown): unknown {
  const at = `${connection.name}: ${request.method} ${request.path}`;
  if (thrown instanceof HttpFailure) return ofHttp(connection, at, thrown);
  if (!(thrown instanceof EchelonError)) return thrown;
  if (thrown.code === 'HTTP_URL_INVALID') return unreachable(connection, '', thrown.message);
  if (thrown.code !== 'HTTP_HEADER_INVALID') return thrown;
  return new KubeError({ code: 'KUBE_UNAUTHORIZED', message: `${at}: ${thrown.message}`, hint: thrown.hint });
}

function ofHttp(
  connection: KubeConnection,
  at: string,
  { code, fault, message, hint, mayHaveArrived }: HttpFailure,
): KubeError {
  if (fault !== undefined) return ofFault(connection, at, fault);
  if (code === 'HTTP_CLEAR_TEXT') {
    return new KubeError({ code: 'KUBE_TLS', message: `${connection.name}: ${message}`, hint });
  }
  if (code === 'HTTP_READ_ONLY') {
    return new KubeError({ code: 'READ_ONLY', message: `${at} was refused: this is a dry run`, hint });
  }
  if (code === 'HTTP_NOT_PERMITTED') {
    const how = mayHaveArrived ? 'was cut short and may have been applied' : 'was not sent';
    return new KubeError({
      code: 'LEASE_LOST',
      message: `${at} ${how}: this process is not the leader any more`,
      hint,
    });
  }
  const tooLarge = `${at}: response larger than ${humanBytes(MAX_RESPONSE_BYTES)}`;
  return new KubeError({ code: 'KUBE_ANSWER', message: tooLarge, hint: CHECK_ADDRESS });
}

function ofFault(connection: KubeConnection, at: string, { code, text }: NonNullable<HttpFailure['fault']>): KubeError {
  if (code === 'TimeoutError') {
    const hint = 'the API server is slow or the network loses packets: try again later';
    return new KubeError({ code: 'KUBE_TIMEOUT', message: `${at}: ${text}`, hint });
  }
  if (code.startsWith('Z_')) {
    const message = `${at}: the response is marked as gzip but is not`;
    return new KubeError({ code: 'KUBE_ANSWER', message, hint: CHECK_ADDRESS });
  }
  return unreachable(connection, code, text);
}

function isTls(code: string): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO|EPROTO/.test(code);
}

function unreachable({ name, server }: KubeConnection, code: string, why: string): KubeError {
  return new KubeError({
    code: isTls(code) ? 'KUBE_TLS' : 'KUBE_UNREACHABLE',
    message: `${name}: cannot reach ${hostOf(server)}: ${new Secrets().quote(why, FIRST_LINE)}`,
    hint: isTls(code)
      ? 'check the certificate authority of the cluster in the kubeconfig, or its serverUrl'
      : 'check the URL, the network and that the API server runs; other clusters continue',
  });
}

function hostOf(server: string): string {
  return (URL.canParse(server) ? new URL(server).host : '') || server;
}
