import { setTimeout as sleepFor } from 'node:timers/promises';
import { EchelonError, humanBytes, isJson, type Json } from '../../base/index.ts';

export interface VaultTransport {
  /** The one of the runtime when absent. */
  readonly fetch?: typeof fetch;
  /** Waits between tries. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Milliseconds; for leases and the cache. */
  readonly now?: () => number;
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

const MAX_TRIES = 5;
const MAX_CONCURRENT = 10;
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const REDIRECTS = [301, 302, 307, 308];

/**
 * The HTTP of Vault: addresses, headers, time and size limits, retries. No text of an answer and none of a request is ever
 * in an error: either may hold a secret.
 */
export function vaultHttp(options: VaultHttpOptions): VaultHttp {
  const name = addressOf(options.server);
  const sleep = options.sleep ?? ((milliseconds) => sleepFor(milliseconds));
  const enter = limited(MAX_CONCURRENT);
  return {
    name,
    call: async (request) => {
      const init = initOf(request, options.namespace);
      for (let attempt = 1; ; attempt += 1) {
        const reply = await enter(() => tryOnce(`${name}/v1/${request.path}`, init, options.fetch ?? fetch));
        if (reply.fault === undefined && !isPassing(reply.status))
          return { status: reply.status, body: json(name, reply) };
        if (attempt === MAX_TRIES) throw gaveUp(name, reply);
        await sleep(pauseBefore(attempt, reply.retryAfterMs));
      }
    },
  };
}

function addressOf(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '');
  }
  throw new EchelonError({
    code: 'VAULT_URL_INVALID',
    message: 'the address of Vault is not a URL, or has a user name or password in it',
    hint: 'set server of [vault] in config.toml, or VAULT_ADDR, to an address such as https://vault.example.com',
  });
}

function initOf({ token, body }: VaultRequest, namespace: string | undefined): RequestInit {
  return {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-vault-request': 'true',
      ...(namespace === undefined ? {} : { 'x-vault-namespace': headerValue(namespace, 'VAULT_NAMESPACE') }),
      ...(token === undefined ? {} : { 'x-vault-token': headerValue(token, 'the token for Vault') }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  };
}

/** Told here and without its text: the runtime would repeat it in its own message. */
function headerValue(text: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new EchelonError({
    code: 'VAULT_TOKEN_INVALID',
    message: `${what} has a blank, a line break or another character that it cannot have`,
    hint: 'set it to the bare text, on one line',
  });
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number;
  /** Why there is no answer. */
  readonly fault?: string;
}

async function tryOnce(url: string, init: RequestInit, ask: typeof fetch): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const first = await ask(url, { ...init, signal });
    const response = REDIRECTS.includes(first.status) ? await ask(targetOf(first, url), { ...init, signal }) : first;
    const text = await limitedText(response, url);
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    return { status: response.status, text, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0 };
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    return { status: 0, text: '', retryAfterMs: 0, fault: faultOf(cause) };
  }
}

/** `ECONNREFUSED`, or the name of what was thrown when it has no code. */
function faultOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.name : 'no answer';
}

/** A standby sends its clients to the active node. They go once, with the same request, and never from TLS to plain text. */
function targetOf(response: Response, url: string): string {
  void response.body?.cancel();
  const target = URL.parse(response.headers.get('location') ?? '', url);
  const known = target !== null && /^https?:$/.test(target.protocol) && target.username === '';
  if (known && (target.protocol === 'https:' || url.startsWith('http:'))) return target.href;
  throw new EchelonError({
    code: 'VAULT_REDIRECT',
    message: `${new URL(url).origin} redirects to an address that a token cannot be sent to safely`,
    hint: 'name the address of the active node of Vault, with https',
  });
}

async function limitedText(response: Response, url: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > MAX_ANSWER_BYTES) {
      throw new EchelonError({
        code: 'VAULT_ANSWER_INVALID',
        message: `${new URL(url).origin} answered with more than ${humanBytes(MAX_ANSWER_BYTES)}`,
        hint: 'check that this is the address of Vault',
      });
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Worth another try: too many requests, data that has not arrived at this node yet, or a fault of the server. */
function isPassing(status: number): boolean {
  return status === 412 || status === 429 || status >= 500;
}

/** Full jitter, and not before the server asks for more. */
function pauseBefore(attempt: number, retryAfterMs: number): number {
  const jittered = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  return Math.min(LONGEST_PAUSE_MS, Math.max(jittered, retryAfterMs));
}

function json(name: string, { status, text }: Reply): Json {
  if (text === '') return {};
  const body = parsed(text);
  if (isJson(body)) return body;
  throw notVault(name, `its answer of status ${status} is not a JSON object`);
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
    message: `${name} does not answer as Vault does: ${why}`,
    hint: 'check server of [vault] in config.toml, or VAULT_ADDR',
  });
}

function gaveUp(name: string, { status, text, fault }: Reply): EchelonError {
  if (status === 503 && /sealed/i.test(text)) {
    return new EchelonError({
      code: 'VAULT_SEALED',
      message: `${name} is sealed`,
      hint: 'ask whoever operates this Vault to unseal it, then try again',
    });
  }
  return new EchelonError({
    code: 'VAULT_UNREACHABLE',
    message: `${name} did not answer in ${MAX_TRIES} tries: ${fault ?? `status ${status}`}`,
    hint: 'check the address and the network; a certificate authority of your own is named by NODE_EXTRA_CA_CERTS',
  });
}

/** At most so many at a time; the others wait in line. */
function limited(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  let running = 0;
  const line: (() => void)[] = [];
  return async (act) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await act();
    } finally {
      const next = line.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
