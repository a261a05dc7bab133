import { readFile } from 'node:fs/promises';
import { defined, EchelonError, humanBytes, isClearText, isJson, type Json } from '../../base/index.ts';
import {
  type Backoff,
  fixedHostToken,
  type HttpClock,
  HttpFailure,
  type HttpRequest,
  type HttpText,
  httpClient,
  NOT_CONNECTED,
  type ProxyEnv,
  type RetryPolicy,
} from '../http/index.ts';
import type { OnSecret } from './secret-reader.ts';

export interface VaultTransport {
  /** For pauses between attempts, leases and the cache. */
  readonly clock?: HttpClock;
  readonly random?: () => number;
  /** Per attempt. */
  readonly timeoutMs?: number;
  /** Ends whatever is in flight, also a pause between attempts. */
  readonly signal?: AbortSignal;
}

export interface VaultHttpOptions extends VaultTransport {
  readonly server: string;
  readonly namespace?: string;
  /** Of the process: which proxy leads to Vault. */
  readonly env: ProxyEnv;
}

interface VaultRequest {
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
  const { env, clock, random, signal, timeoutMs = TIMEOUT_MS } = options;
  const http = httpClient({
    ...{ env, readOnly: true, concurrency: MAX_CONCURRENT, timeoutMs, maxBytes: MAX_ANSWER_BYTES },
    redirects: { most: 1, to: 'same-host', whole: true },
    ...defined({ clock, random, signal }),
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
  if (fault !== undefined) return unreachable(name, fault.code === NOT_CONNECTED ? fault.text : fault.code);
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

export type VaultAuth =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'approle';
      readonly roleId: string;
      readonly secretId: string;
      /** `approle` when absent. */
      readonly mount?: string;
    }
  | {
      readonly kind: 'kubernetes';
      readonly role: string;
      /** `kubernetes` when absent. */
      readonly mount?: string;
      /** Read at every login, because Kubernetes replaces it; the usual place when absent. */
      readonly tokenFile?: string;
    };

type Login = Exclude<VaultAuth, { kind: 'token' }>;

interface Lease {
  readonly token: string;
  readonly renewAt: number;
}

interface SessionOptions {
  readonly http: VaultHttp;
  readonly auth: VaultAuth;
  readonly now: () => number;
  readonly onSecret: OnSecret;
}

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** Share of a lease after which the next request logs in again. */
const RENEW_AFTER = 0.8;
/** After a login that did not help, 403 is taken for a lack of rights for so long, instead of filling Vault with tokens. */
const RENEW_AGAIN_MS = 60_000;

/**
 * GET with a token. It logs in when it must: at first, before the lease ends, and once when the token is refused. Requests
 * at the same time share one login.
 */
export function vaultSession({ http, auth, now, onSecret }: SessionOptions): (path: string) => Promise<VaultAnswer> {
  let lease: Lease | undefined;
  let pending: Promise<Lease> | undefined;
  let renewAgainAt = Number.NEGATIVE_INFINITY;

  const start = async (): Promise<Lease> => {
    try {
      lease = await newLease(http, auth, now, onSecret);
      return lease;
    } finally {
      pending = undefined;
    }
  };
  const token = async (): Promise<string> => {
    if (lease !== undefined && now() < lease.renewAt) return lease.token;
    pending ??= start();
    return (await pending).token;
  };
  /** Undefined when there is no reason to expect more of another token. */
  const otherThan = async (refused: string): Promise<string | undefined> => {
    if (lease?.token === refused) {
      if (auth.kind === 'token' || now() < renewAgainAt) return undefined;
      lease = undefined;
    }
    return token();
  };

  return async (path) => {
    const used = await token();
    const answer = await http.call({ path, token: used });
    if (answer.status !== 403) return answer;
    const other = await otherThan(used);
    if (other === undefined) return answer;
    const second = await http.call({ path, token: other });
    if (second.status === 403) renewAgainAt = now() + RENEW_AGAIN_MS;
    return second;
  };
}

async function newLease(http: VaultHttp, auth: VaultAuth, now: () => number, onSecret: OnSecret): Promise<Lease> {
  if (auth.kind === 'token') {
    onSecret(auth.token);
    return { token: auth.token, renewAt: Number.POSITIVE_INFINITY };
  }
  const started = now();
  const { status, body } = await http.call(await loginRequest(auth, onSecret));
  if (status !== 200) throw refused(http.name, auth, status);
  const { client_token: token, lease_duration: seconds } = isJson(body['auth']) ? body['auth'] : {};
  if (typeof token !== 'string' || token === '') throw notVault(http.name, 'its response to a login has no token');
  onSecret(token);
  const endless = typeof seconds !== 'number' || seconds <= 0;
  return { token, renewAt: endless ? Number.POSITIVE_INFINITY : started + seconds * 1000 * RENEW_AFTER };
}

async function loginRequest(auth: Login, onSecret: OnSecret): Promise<VaultRequest> {
  const path = `auth/${mountOf(auth).split('/').map(encodeURIComponent).join('/')}/login`;
  if (auth.kind === 'approle') {
    for (const secret of [auth.roleId, auth.secretId]) onSecret(secret);
    return { path, body: { role_id: auth.roleId, secret_id: auth.secretId } };
  }
  const jwt = await serviceAccountToken(auth.tokenFile ?? SERVICE_ACCOUNT_TOKEN);
  onSecret(jwt);
  return { path, body: { role: auth.role, jwt } };
}

function mountOf({ kind, mount }: Login): string {
  return mount?.replace(/^\/+|\/+$/g, '') || kind;
}

async function serviceAccountToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw noServiceAccount(`cannot read ${file}: ${thrown.code}`);
  });
  const token = text.trim();
  if (token === '') throw noServiceAccount(`${file} is empty`);
  return token;
}

function noServiceAccount(message: string): EchelonError {
  return new EchelonError({
    code: 'VAULT_AUTH_MISSING',
    message: `the service account token for Vault: ${message}`,
    hint: 'run in a pod that mounts it, set KUBE_SA_TOKEN_PATH, or set VAULT_TOKEN',
  });
}

function refused(name: string, auth: Login, status: number): EchelonError {
  const mount = mountOf(auth);
  return new EchelonError({
    code: 'VAULT_LOGIN_REFUSED',
    message: `${name} returned ${status} for a login at auth/${mount}`,
    hint:
      auth.kind === 'approle'
        ? 'check role_id and secret_id in [vault] of config.toml: the secret_id may have expired'
        : `check kube_auth_role and kube_auth_mount in [vault] of config.toml, and that auth/${mount} knows this cluster`,
  });
}
