import { resolve } from 'node:path';
import { defined, EchelonError } from '../../base/index.ts';
import type { ConfiguredCredentials } from './config-file.ts';
import type { FilePorts } from './file-ports.ts';

/** Credentials for OCM, or for a service that accepts the same tokens. */
export type LoginCredentials =
  | { readonly kind: 'client-credentials'; readonly clientId: string; readonly clientSecret: string }
  /** An offline token. */
  | { readonly kind: 'refresh-token'; readonly token: string; readonly clientId?: string }
  | { readonly kind: 'access-token'; readonly token: string };

/** Reads the secret that a configuration refers to. From then on it is redacted in all output. */
export function readCredentials(ports: FilePorts, folder: string, given: ConfiguredCredentials): LoginCredentials {
  const secret = (variable: string | undefined, file: string | undefined): string | undefined => {
    if (variable !== undefined) return ofVariable(ports, variable);
    return file === undefined ? undefined : ofFile(ports, folder, file);
  };
  const { clientId } = given;
  const clientSecret = secret(given.clientSecretEnv, given.clientSecretFile);
  if (clientSecret !== undefined) return { kind: 'client-credentials', clientId: clientId ?? '', clientSecret };
  const offline = secret(given.offlineTokenEnv, given.offlineTokenFile);
  if (offline !== undefined) {
    return { kind: 'refresh-token', token: offline, ...defined({ clientId }) };
  }
  return { kind: 'access-token', token: secret(given.accessTokenEnv, given.accessTokenFile) ?? '' };
}

function ofVariable(ports: FilePorts, name: string): string {
  return known(ports, ports.env[name] ?? '', `the environment variable ${name} is not set`);
}

function ofFile(ports: FilePorts, folder: string, file: string): string {
  try {
    return known(ports, ports.readFile(resolve(folder, file)), `the file ${file} is empty`);
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw missing(`cannot read the file ${file}: ${(thrown as NodeJS.ErrnoException).code}`);
  }
}

function known({ onSecret }: FilePorts, value: string, otherwise: string): string {
  const secret = value.trim();
  if (secret === '') throw missing(otherwise);
  onSecret?.(secret);
  return secret;
}

function missing(message: string): EchelonError {
  return new EchelonError({
    code: 'SECRET_NOT_FOUND',
    message,
    hint: 'provide the secret where the credentials of the environment point, or correct them',
  });
}
