import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../../base/index.ts';
import { hostOf } from './listen-address.ts';
import type { PageResponse } from './page.ts';

/** Whom a console answers. Client certificates are checked before, by TLS. */
export interface AccessRules {
  /** What `Host` may say; anything where it is absent. Keeps other sites from reaching a loopback by a name of theirs. */
  readonly hostNames?: readonly string[];
  /** SHA-256 of the token; nobody has to show one where it is absent. */
  readonly tokenDigest?: Buffer;
}

const TEXT = 'text/plain; charset=utf-8';
const CHALLENGE = 'Basic realm="echelon console", charset="UTF-8", Bearer realm="echelon console"';

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Why a request is not answered; undefined when it is. */
export function refusal(headers: IncomingHttpHeaders, rules: AccessRules): PageResponse | undefined {
  if (!isKnownHost(headers.host ?? '', rules))
    return { status: 421, type: TEXT, body: 'this console does not go by that name; --host-name allows one\n' };
  if (rules.tokenDigest === undefined || holdsToken(headers.authorization ?? '', rules.tokenDigest)) return undefined;
  return {
    status: 401,
    type: TEXT,
    body: 'show the token: as Authorization: Bearer, or as the password of any user\n',
    headers: { 'www-authenticate': CHALLENGE },
  };
}

function isKnownHost(header: string, { hostNames }: AccessRules): boolean {
  if (hostNames === undefined) return true;
  const host = hostOf(header);
  return isLoopbackHost(host) || hostNames.some((name) => name.toLowerCase() === host);
}

/** Digests have one length, and are compared in a time that tells nothing of where they differ. */
function holdsToken(authorization: string, expected: Buffer): boolean {
  return timingSafeEqual(digestOf(shownToken(authorization)), expected);
}

/** Of `Bearer TOKEN`, or of `Basic` with the token for a password, which is what a browser asks people for. */
function shownToken(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  const login = Buffer.from(value, 'base64').toString('utf8');
  return login.slice(login.indexOf(':') + 1);
}
