import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changedOnly, defined, EchelonError, isLoopbackHost } from '../../base/index.ts';
import { type AccessRules, digestOf } from './access.ts';
import type { TlsFiles } from './fresh-tls.ts';
import type { ListenAddress } from './listen-address.ts';

/** The folder of relative paths, and the redaction of secrets. */
interface ProtectionPorts {
  readonly cwd: string;
  readonly onSecret?: (secret: string) => void;
  /** Called when the token can no longer be read, once for each reason. */
  readonly onProblem?: (message: string) => void;
}

export interface ProtectionFlags {
  readonly tokenFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly clientCa?: string;
  readonly insecureHttpBehindProxy?: boolean;
  readonly hostName?: readonly string[];
}

/** Access control of a console. */
export interface Protection {
  readonly access: AccessRules;
  /** Reads the files again. */
  readonly tls?: () => TlsFiles;
}

const SHORTEST_TOKEN = 16;

/** The access control set by the flags. Rejects open access and tokens in clear text. */
export function protectionOf(io: ProtectionPorts, flags: ProtectionFlags, listen: ListenAddress): Protection {
  refuseOpen(flags, listen);
  const tls = tlsOf(io, flags);
  const tokenDigest = flags.tokenFile === undefined ? undefined : tokenReader(io, flags.tokenFile);
  const hostNames = isLoopbackHost(listen.host) ? [...(flags.hostName ?? [])] : flags.hostName;
  return { access: defined({ hostNames, tokenDigest }), ...defined({ tls }) };
}

function refuseOpen(flags: ProtectionFlags, { host }: ListenAddress): void {
  const { tokenFile, tlsCert, clientCa, insecureHttpBehindProxy } = flags;
  if (isLoopbackHost(host)) return;
  if (tokenFile === undefined && clientCa === undefined)
    throw new EchelonError({
      code: 'CONSOLE_UNPROTECTED',
      message: `${host} is reachable from other machines and no access control is set`,
      hint: 'pass --token-file, or --tls-cert, --tls-key and --client-ca, or listen on 127.0.0.1',
    });
  if (tlsCert === undefined && insecureHttpBehindProxy !== true)
    throw new EchelonError({
      code: 'CONSOLE_UNENCRYPTED',
      message: `the token would be sent in clear text to ${host}`,
      hint: 'pass --tls-cert and --tls-key, or --insecure-http-behind-proxy behind a proxy with TLS',
    });
}

function tlsOf(io: ProtectionPorts, { tlsCert, tlsKey, clientCa }: ProtectionFlags): (() => TlsFiles) | undefined {
  if ((tlsCert === undefined) !== (tlsKey === undefined) || (clientCa !== undefined && tlsCert === undefined))
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: '--tls-cert and --tls-key must be used together, and --client-ca requires both',
      hint: 'pass the certificate and the key of the server, as PEM',
    });
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return () => ({
    ...{ cert: read(io, '--tls-cert', tlsCert), key: read(io, '--tls-key', tlsKey) },
    ...(clientCa === undefined ? {} : { ca: read(io, '--client-ca', clientCa) }),
  });
}

/** Reads the token for every request, so that a new one counts at once. While it cannot be read, no one has access. */
function tokenReader(io: ProtectionPorts, file: string): () => Buffer | undefined {
  const report = changedOnly();
  const digest = (): Buffer => digestOf(tokenOf(io, file));
  digest();
  return () => {
    try {
      const read = digest();
      report([], () => undefined);
      return read;
    } catch (thrown) {
      if (!(thrown instanceof EchelonError)) throw thrown;
      report([{ message: thrown.message }], ({ message }) => io.onProblem?.(message));
      return undefined;
    }
  };
}

function tokenOf(io: ProtectionPorts, file: string): string {
  const token = read(io, '--token-file', file).toString('utf8').trim();
  if (token.length >= SHORTEST_TOKEN && !/\s/.test(token)) {
    io.onSecret?.(token);
    return token;
  }
  throw new EchelonError({
    code: 'TOKEN_INVALID',
    message: `the token in ${file} is shorter than ${SHORTEST_TOKEN} characters, or contains spaces`,
    hint: 'create one with: openssl rand -hex 32',
  });
}

function read(io: ProtectionPorts, flag: string, file: string): Buffer {
  try {
    return readFileSync(resolve(io.cwd, file));
  } catch (cause) {
    throw new EchelonError({
      code: 'FILE_UNREADABLE',
      message: `cannot read ${flag} ${file}: ${(cause as NodeJS.ErrnoException).code ?? 'unknown'}`,
      hint: 'pass a file that this user can read',
      cause,
    });
  }
}
