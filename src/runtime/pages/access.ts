import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../../base/index.ts';
import { hostOf } from './listen-address.ts';
import type { PageResponse } from './page.ts';

/** Who may access a console. Client certificates are checked before, by TLS. */
export interface AccessRules {
  /** Allowed values of `Host`; any when absent. Keeps other sites from reaching a loopback address by DNS rebinding. */
  readonly hostNames?: readonly string[];
  /** SHA-256 of the token as it is now, undefined when it cannot be read; no token is required when the function is absent. */
  readonly tokenDigest?: () => Buffer | undefined;
}

const TEXT = 'text/plain; charset=utf-8';
const CHALLENGE = 'Basic realm="echelon console", charset="UTF-8", Bearer realm="echelon console"';

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** The response to a request without access; undefined when access is allowed. */
export function refusal(headers: IncomingHttpHeaders, rules: AccessRules): PageResponse | undefined {
  if (!isKnownHost(headers.host ?? '', rules))
    return { status: 421, type: TEXT, body: 'unknown host name; allow it with --host-name\n' };
  if (rules.tokenDigest === undefined) return undefined;
  const expected = rules.tokenDigest();
  if (expected === undefined)
    return { status: 503, type: TEXT, body: 'no access: the console cannot read its token\n' };
  if (holdsToken(headers.authorization ?? '', expected)) return undefined;
  return {
    status: 401,
    type: TEXT,
    body: 'token required: send it as Authorization: Bearer, or as the password of any user\n',
    headers: { 'www-authenticate': CHALLENGE },
  };
}

function isKnownHost(header: string, { hostNames }: AccessRules): boolean {
  if (hostNames === undefined) return true;
  const host = hostOf(header);
  return isLoopbackHost(host) || hostNames.some((name) => name.toLowerCase() === host);
}

/** Digests have the same length and are compared in constant time. */
function holdsToken(authorization: string, expected: Buffer): boolean {
  return timingSafeEqual(digestOf(shownToken(authorization)), expected);
}

/** The token of `Bearer TOKEN`, or of `Basic` with the token as the password, which browsers prompt for. */
function shownToken(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  const login = Buffer.from(value, 'base64').toString('utf8');
  return login.slice(login.indexOf(':') + 1);
}
