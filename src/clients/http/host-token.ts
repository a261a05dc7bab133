import { isClearText } from '../../base/index.ts';
import { HttpFailure } from './http-failure.ts';

/** Secret headers and the one origin that may receive them. No other host does, not even by a redirect. */
export interface HostToken {
  readonly origin: string;
  /** There may be no headers, such as with a client certificate: only headers are a secret that clear text would show. */
  readonly mayBeEmpty?: boolean;
  /** Called before each attempt. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** New ones, after the server refused the last ones with 401. Absent where there are no others. */
  renewed?(): Promise<Readonly<Record<string, string>>>;
}

/** A token that never changes. */
export function fixedHostToken(origin: string, headers: Readonly<Record<string, string>>): HostToken {
  return { origin, headers: async () => headers };
}

/** A secret goes to another machine over TLS only. */
export function refuseClearText(name: string, url: URL): void {
  if (!isClearText(url)) return;
  throw new HttpFailure({
    code: 'HTTP_CLEAR_TEXT',
    message: `${name} is not sent: ${url.host} uses plain http, which would expose the credentials`,
    hint: 'use the https URL; over plain http credentials are sent to this machine (127.0.0.1, localhost) only',
    mayHaveArrived: false,
  });
}
