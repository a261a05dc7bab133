import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import type { OcmCredentials } from '../../../clients/ocm/index.ts';
import type { Io } from '../../io.ts';
import type { ConfiguredCredentials } from './config-file.ts';

/** Reads the secret that a configuration names. From then on no output shows it. */
export function readCredentials(io: Io, folder: string, given: ConfiguredCredentials): OcmCredentials {
  const secret = (variable: string | undefined, file: string | undefined): string | undefined =>
    variable === undefined ? (file === undefined ? undefined : ofFile(io, folder, file)) : ofVariable(io, variable);
  const { clientId } = given;
  const clientSecret = secret(given.clientSecretEnv, given.clientSecretFile);
  if (clientSecret !== undefined) return { kind: 'client-credentials', clientId: clientId ?? '', clientSecret };
  const offline = secret(given.offlineTokenEnv, given.offlineTokenFile);
  if (offline !== undefined) {
    return { kind: 'refresh-token', token: offline, ...defined({ clientId }) };
  }
  return { kind: 'access-token', token: secret(given.accessTokenEnv, given.accessTokenFile) ?? '' };
}

function ofVariable(io: Io, name: string): string {
  return told(io, io.env[name] ?? '', `the variable ${name} is not set`);
}

function ofFile(io: Io, folder: string, file: string): string {
  try {
    return told(io, readFileSync(resolve(folder, file), 'utf8'), `the file ${file} is empty`);
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw missing(`the file ${file} cannot be read: ${(thrown as NodeJS.ErrnoException).code}`);
  }
}

function told(io: Io, value: string, otherwise: string): string {
  const secret = value.trim();
  if (secret === '') throw missing(otherwise);
  io.onSecret?.(secret);
  return secret;
}

function missing(message: string): EchelonError {
  return new EchelonError({
    code: 'SECRET_NOT_FOUND',
    message,
    hint: 'put the secret where the credentials of the environment say, or correct them',
  });
}
