import { EchelonError } from '../../base/index.ts';

/** The listen address of a console. */
export interface ListenAddress {
  /** In the form of sockets: without brackets. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

const FORM = /^(?:\[([0-9a-f:.%]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i;
const LAST_PORT = 65_535;

/** `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8443`. */
export function parseListen(text: string): ListenAddress {
  const [, bracketed, plain, port] = FORM.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= LAST_PORT) return { host, port: Number(port) };
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--listen ${text} is not a valid address`,
    hint: 'use HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080; port 0 picks a free one',
  });
}

/** The host of a URL or of a `Host` header, in lower case and without port and brackets. */
export function hostOf(header: string): string {
  return header
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

export function urlOf({ host, port }: ListenAddress, secure: boolean): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'https' : 'http'}://${shown}:${port}/`;
}
