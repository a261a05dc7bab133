import type { HttpReply } from './exchange.ts';
import type { HttpMethod } from './wire.ts';

export interface Redirects {
  /** How many in a row are followed; the one after that is the answer. */
  readonly most: number;
  /** Where to. The token goes along within its own origin, and with `same-host` also to another port of its host. */
  readonly to: 'same-origin' | 'same-host' | 'anywhere';
  /** Also what is not a GET, sent again as it is. */
  readonly whole?: boolean;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** The address that an answer sends its client to, where that may be followed. */
export function redirectedTo(
  { status, headers }: HttpReply,
  { url, method }: { readonly url: URL; readonly method: HttpMethod },
  redirects: Redirects | undefined,
): URL | undefined {
  if (redirects === undefined || !REDIRECTS.includes(status)) return undefined;
  if (method !== 'GET' && method !== 'HEAD' && redirects.whole !== true) return undefined;
  const location = headers.get('location');
  const next = location === null ? null : URL.parse(location, url.href);
  return next !== null && isKnown(next) && isAllowed(url, next, redirects.to) ? next : undefined;
}

function isKnown({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function isAllowed(from: URL, next: URL, to: Redirects['to']): boolean {
  if (to === 'same-origin') return next.origin === from.origin;
  if (to === 'anywhere') return true;
  return next.hostname === from.hostname && (next.protocol === 'https:' || from.protocol === 'http:');
}
