import { defined, isJson, type Json } from '../../base/index.ts';
import {
  type HttpClock,
  HttpFailure,
  type HttpMethod,
  httpClient,
  type RetryPolicy,
  systemHttpClock,
  type WritePermit,
} from '../http/index.ts';
import { DEFAULT_TOKEN_URL, hostTokenFrom, type TokenSource } from '../oauth/index.ts';
import { OcmError, refused } from './ocm-error.ts';
import { type OcmCredentials, tokenSource } from './token-source.ts';

/** One request that was sent, a repeated one each time. */
export interface OcmCall {
  readonly method: HttpMethod;
  /** `clusters`, `upgrade_policies`, …, and `token`: a small fixed set, no ids. */
  readonly collection: string;
  /** 0 when there was no response. */
  readonly status: number;
  readonly seconds: number;
}

export interface OcmOptions {
  /** `https://api.openshift.com` */
  readonly url: string;
  readonly credentials: OcmCredentials;
  readonly tokenUrl?: string;
  /** Refuses whatever is not a GET before anything is sent; tokens are got all the same. */
  readonly readOnly?: boolean;
  /** Every attempt of every write needs it; all are permitted when absent. */
  readonly permit?: () => WritePermit | undefined;
  /** Requests in flight at once. */
  readonly concurrency?: number;
  /** Per attempt. */
  readonly timeoutMs?: number;
  /** Of one response. */
  readonly maxBytes?: number;
  readonly clock?: HttpClock;
  readonly random?: () => number;
  readonly onCall?: (call: OcmCall) => void;
  /** Ends everything that is in flight, with its reason. */
  readonly signal?: AbortSignal;
  readonly userAgent?: string;
}

interface OcmRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly collection: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: Json;
  /** What may be retried; a GET after any failure. */
  readonly repeat?: RetryPolicy['when'];
}

export interface Transport {
  readonly clock: HttpClock;
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
  /** The body of a success. Anything else is an `OcmError`. */
  send(request: OcmRequest): Promise<unknown>;
  /** How messages name a request. */
  nameOf(request: Pick<OcmRequest, 'method' | 'path'>): string;
}

export const OCM_CONCURRENCY = 8;
const OCM_TIMEOUT_MS = 60_000;
const OCM_MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const OCM_ATTEMPTS = 4;

/** Requests to one OCM: authorization, limits, retries, counting; and in read-only mode nothing but reading. */
export function transportOf(options: OcmOptions): Transport {
  const { clock = systemHttpClock, random = Math.random, concurrency = OCM_CONCURRENCY } = options;
  const base = baseOf(options.url);
  const { origin } = new URL(base);
  const tokens = tokensOf(options, clock, random);
  const http = httpClient({
    ...{ clock, random, concurrency, timeoutMs: options.timeoutMs ?? OCM_TIMEOUT_MS },
    maxBytes: options.maxBytes ?? OCM_MAX_ANSWER_BYTES,
    ...defined({ signal: options.signal, readOnly: options.readOnly, permit: options.permit }),
  });
  const nameOf: Transport['nameOf'] = ({ method, path }) => `${method} ${base}${path}`;

  return {
    ...{ clock, random, nameOf, signal: options.signal },
    send: async ({ method, path, query, collection, json, repeat }) => {
      const answer = await http
        .json({
          ...{ url: urlOf(base, { path, query }), method, token: hostTokenFrom(tokens, origin) },
          headers: { 'user-agent': options.userAgent ?? 'echelon' },
          ...(json === undefined ? {} : { body: { json } }),
          retry: { attempts: OCM_ATTEMPTS, when: repeat ?? 'any-failure' },
          onAttempt: ({ status, seconds }) => options.onCall?.({ method, collection, status, seconds }),
        })
        .catch((thrown: unknown) => failed(nameOf({ method, path }), thrown));
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      throw refused(nameOf({ method, path }), answer, tokens.quote);
    },
  };
}

function tokensOf(options: OcmOptions, clock: HttpClock, random: () => number): TokenSource {
  const { credentials, tokenUrl = DEFAULT_TOKEN_URL, timeoutMs = OCM_TIMEOUT_MS, onCall } = options;
  checkedUrl('the token endpoint of OCM', tokenUrl);
  return tokenSource({
    ...{ credentials, tokenUrl, clock, random, timeoutMs },
    ...defined({ signal: options.signal }),
    onAttempt: ({ status, seconds }) => onCall?.({ method: 'POST', collection: 'token', status, seconds }),
  });
}

function baseOf(url: string): string {
  const { origin, pathname } = checkedUrl('OCM', url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

function checkedUrl(what: string, url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '')
    return parsed;
  throw new OcmError({
    code: 'OCM_URL_INVALID',
    message: `the URL of ${what} is invalid, or contains a user name or password`,
    hint: 'use a URL such as https://api.openshift.com',
  });
}

function urlOf(base: string, { path, query = {} }: { path: string; query: OcmRequest['query'] }): URL {
  const search = new URLSearchParams(query).toString();
  return new URL(search === '' ? `${base}${path}` : `${base}${path}?${search}`);
}

function failed(request: string, thrown: unknown): never {
  if (!(thrown instanceof HttpFailure)) throw thrown;
  const { message, hint, mayHaveArrived } = thrown;
  if (thrown.code === 'HTTP_READ_ONLY') throw readOnly(request);
  if (thrown.code === 'HTTP_CLEAR_TEXT') throw new OcmError({ code: 'OCM_URL_INVALID', message, hint });
  const code = CODES[thrown.code] ?? 'OCM_ANSWER';
  throw new OcmError({ code, message, hint, mayHaveArrived, tooLarge: thrown.code === 'HTTP_ANSWER_TOO_LARGE' });
}

const CODES: Readonly<Record<string, 'OCM_UNREACHABLE' | 'LEASE_LOST'>> = {
  HTTP_UNREACHABLE: 'OCM_UNREACHABLE',
  HTTP_NOT_PERMITTED: 'LEASE_LOST',
};

function readOnly(request: string): OcmError {
  return new OcmError({
    code: 'READ_ONLY',
    message: `${request} was refused: this is a dry run`,
    hint: 'this is a bug in Echelon: a dry run must not write; report it',
  });
}

/** The body of an answer that must be a mapping. */
export function mappingIn(request: string, body: unknown): Json {
  if (isJson(body)) return body;
  throw new OcmError({
    code: 'OCM_ANSWER',
    message: `${request} did not return a JSON object`,
    hint: 'check that the URL is that of the OCM API',
    mayHaveArrived: true,
  });
}
