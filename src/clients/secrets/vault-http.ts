import { defined, EchelonError, humanBytes, isClearText, isJson, type Json } from '../../base/index.ts';
import {
  type Backoff,
  fetchWire,
  fixedHostToken,
  type HttpClock,
  HttpFailure,
  type HttpRequest,
  type HttpText,
  httpClient,
  type RetryPolicy,
} from '../http/index.ts';

export interface VaultTransport {
  /** The one of the runtime when absent. */
  readonly fetch?: typeof fetch;
  /** For pauses between attempts, leases and the cache. */
  readonly clock?: HttpClock;
  readonly random?: () => number;
  /** Ends whatever is in flight, also a pause between attempts. */
  readonly signal?: AbortSignal;
}

export interface VaultHttpOptions extends VaultTransport {
  readonly server: string;
  readonly namespace?: string;
}

export interface VaultRequest {
  /** Below `/v1/`. */
  readonly path: string;
  readonly token?: string;
  /** Sent by POST; without one it is a GET. */
  readonly body?: Json;
}

export interface VaultAnswer {
  readonly status: number;
  /** Empty when the answer has none. */
  readonly body: Json;
}

export interface VaultHttp {
  /** The address, for messages. */
  readonly name: string;
  /** One answer that is not a passing fault; its status may still be any refusal. */
  call(request: VaultRequest): Promise<VaultAnswer>;
}

const MAX_ATTEMPTS = 5;
const MAX_CONCURRENT = 10;
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const BACKOFF: Backoff = { firstMs: 500, longestMs: 5_000, fixed: 0, longestRetryAfterMs: 5_000 };
const RETRY: RetryPolicy = {
  attempts: MAX_ATTEMPTS,
  when: (tried) => 'fault' in tried || isPassing(tried.status),
  backoff: BACKOFF,
};
const REDIRECTS = [301, 302, 307, 308];

/**
 * The HTTP of Vault: addresses, headers, and what its answers mean. No text of an answer and none of a request is ever in
 * an error: either may hold a secret. A standby may send its clients to another port of its host, once; to no other host.
 */
export function vaultHttp(options: VaultHttpOptions): VaultHttp {
  const name = addressOf(options.server);
  const { origin } = new URL(name);
  const { fetch: ask, clock, random, signal } = options;
  const http = httpClient({
    ...{ readOnly: true, concurrency: MAX_CONCURRENT, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES },
    redirects: { most: 1, to: 'same-host', whole: true },
    ...defined({ clock, random, signal }),
    ...(ask === undefined ? {} : { wire: fetchWire(ask) }),
  });
  return {
    name,
    call: async (request) => {
      const reply = await http.text(requestOf(name, request, options)).catch((thrown: unknown) => {
        throw thrown instanceof HttpFailure ? failed(name, thrown) : thrown;
      });
      if (isPassing(reply.status)) throw gaveUp(name, reply);
      if (REDIRECTS.includes(reply.status) && reply.hops === 0) throw redirected(origin);
      return { status: reply.status, body: json(name, reply) };
    },
  };
}

/** A login changes nothing, and is as good twice as once. */
function requestOf(name: string, { path, token, body }: VaultRequest, { namespace }: VaultHttpOptions): HttpRequest {
  const secret = token === undefined ? undefined : { 'x-vault-token': headerValue(token, 'the token for Vault') };
  return {
    ...{ url: `${name}/v1/${path}`, headers: headersOf(namespace), retry: RETRY },
    ...(secret === undefined ? {} : { token: fixedHostToken(new URL(name).origin, secret) }),
    ...(body === undefined ? {} : { method: 'POST', body: { json: body }, onlyReads: true, confidential: true }),
  };
}

function addressOf(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') {
    if (isClearText(url)) throw insecure(url);
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '');
  }
  throw new EchelonError({
    code: 'VAULT_URL_INVALID',
    message: 'the Vault URL is invalid, or contains a user name or password',
    hint: 'set server of [vault] in config.toml, or VAULT_ADDR, to a URL such as https://vault.example.com',
  });
}

function insecure({ origin }: URL): EchelonError {
  return new EchelonError({
    code: 'VAULT_INSECURE',
    message: `${origin} is not https: the Vault login would be sent in clear text`,
    hint: 'set server of [vault] in config.toml, or VAULT_ADDR, to the https URL of Vault',
  });
}

function headersOf(namespace: string | undefined): Record<string, string> {
  const own = { 'x-vault-request': 'true' };
  return namespace === undefined ? own : { ...own, 'x-vault-namespace': headerValue(namespace, 'VAULT_NAMESPACE') };
}

/** Reported here and without its text: the runtime would repeat it in its own message. */
function headerValue(text: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new EchelonError({
    code: 'VAULT_TOKEN_INVALID',
    message: `${what} contains a space, a line break or another character that is not allowed`,
    hint: 'set it to the bare value, on one line',
  });
}

function redirected(origin: string): EchelonError {
  return new EchelonError({
    code: 'VAULT_REDIRECT',
    message: `${origin} redirects to a URL that must not receive the token`,
    hint: 'use the https URL of the active Vault node',
  });
}

/** Worth a retry: too many requests, data that has not arrived at this node yet, or a fault of the server. */
function isPassing(status: number): boolean {
  return status === 412 || status === 429 || status >= 500;
}

function json(name: string, { status, text }: HttpText): Json {
  if (text === '') return {};
  const body = parsed(text);
  if (isJson(body)) return body;
  throw notVault(name, `its response with status ${status} is not a JSON object`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function notVault(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'VAULT_ANSWER_INVALID',
    message: `${name} is not a Vault: ${why}`,
    hint: 'check server of [vault] in config.toml, or VAULT_ADDR',
  });
}

function gaveUp(name: string, { status, text }: HttpText): EchelonError {
  if (status === 503 && /sealed/i.test(text)) {
    return new EchelonError({
      code: 'VAULT_SEALED',
      message: `${name} is sealed`,
      hint: 'ask the operators of this Vault to unseal it, then try again',
    });
  }
  return unreachable(name, `status ${status}`);
}

function failed(name: string, { code, fault, message, hint }: HttpFailure): EchelonError {
  if (fault !== undefined) return unreachable(name, fault.code);
  if (code !== 'HTTP_ANSWER_TOO_LARGE') return new EchelonError({ code, message, hint });
  return new EchelonError({
    code: 'VAULT_ANSWER_INVALID',
    message: `${new URL(name).origin}: response larger than ${humanBytes(MAX_ANSWER_BYTES)}`,
    hint: 'check that this is the URL of Vault',
  });
}

function unreachable(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'VAULT_UNREACHABLE',
    message: `${name}: no response after ${MAX_ATTEMPTS} attempts: ${why}`,
    hint: 'check the URL and the network; for a private certificate authority set NODE_EXTRA_CA_CERTS',
  });
}
