import { createServer, type Server } from 'node:https';
import { changedOnly, EchelonError, messageOf } from '../../base/index.ts';

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When set, every client needs a certificate signed by this CA. */
  readonly ca?: Buffer;
}

const OLDEST = { minVersion: 'TLSv1.2' } as const;

/** A server for HTTPS whose new connections use what the files have at that time; while those are invalid, what they had before. */
export function freshTlsServer(
  options: Parameters<typeof createServer>[0],
  read: () => TlsFiles,
  onProblem: (message: string) => void,
): Server {
  let used = read();
  const clients = used.ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
  const server = valid(() => createServer({ ...options, ...used, ...clients, ...OLDEST }));
  const report = changedOnly();
  server.prependListener('connection', () => {
    try {
      const now = read();
      if (!isSame(now, used)) valid(() => server.setSecureContext({ ...now, ...OLDEST }));
      used = now;
      report([], () => undefined);
    } catch (thrown) {
      report([{ message: messageOf(thrown) }], ({ message }) => onProblem(message));
    }
  });
  return server;
}

function isSame(a: TlsFiles, b: TlsFiles): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca ?? a.cert).equals(b.ca ?? b.cert);
}

function valid<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new EchelonError({
      code: 'TLS_INVALID',
      message: `invalid certificate or key: ${messageOf(cause)}`,
      hint: 'pass matching PEM files with --tls-cert, --tls-key and --client-ca',
      cause,
    });
  }
}
