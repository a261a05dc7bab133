import { join, resolve } from 'node:path';
import * as z from 'zod';
import { EchelonError } from '../../base/index.ts';
import type { FilePorts, LoginCredentials } from './ports.ts';

/** Login settings of a user. */
export interface LoginSettings {
  readonly ocmUrl?: string;
  readonly tokenUrl?: string;
  readonly token?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
}

/** The OCM of a user, and the credentials for it. */
interface UserLogin {
  readonly credentials: LoginCredentials;
  readonly url: string;
  readonly tokenUrl: string | undefined;
}

/** Short names of the `ocm` command. */
const URLS: Readonly<Record<string, string>> = {
  production: 'https://api.openshift.com',
  staging: 'https://api.stage.openshift.com',
  integration: 'https://api.integration.openshift.com',
};
const DEFAULT_URL = 'https://api.openshift.com';

interface Login {
  readonly credentials: LoginCredentials;
  readonly url?: string | undefined;
  readonly tokenUrl?: string | undefined;
}

/** By settings, else as the `ocm` command is logged in, else by OCM_TOKEN. */
export function userLogin(ports: FilePorts, settings: LoginSettings): UserLogin {
  const login = loginOf(ports, settings);
  for (const secret of secretsIn(login.credentials)) ports.onSecret?.(secret);
  const named = settings.ocmUrl ?? (ports.env['OCM_URL'] || undefined) ?? login.url ?? DEFAULT_URL;
  return {
    credentials: login.credentials,
    url: Object.hasOwn(URLS, named) ? (URLS[named] ?? named) : named,
    tokenUrl: settings.tokenUrl ?? login.tokenUrl,
  };
}

function loginOf(ports: FilePorts, settings: LoginSettings): Login {
  const { clientId } = settings;
  const { OCM_CLIENT_ID, OCM_CLIENT_SECRET, OCM_TOKEN } = ports.env;
  const given = ofParts(clientId, clientId && (settings.clientSecret ?? OCM_CLIENT_SECRET), settings.token);
  if (given !== undefined) return { credentials: given };
  const kept = readOcmLogin(ports);
  const credentials = kept && ofParts(kept.login.client_id, kept.login.client_secret, tokenOf(kept.login));
  if (credentials !== undefined) {
    return { credentials, url: kept?.login.url || undefined, tokenUrl: kept?.login.token_url || undefined };
  }
  const ofEnvironment = ofParts(OCM_CLIENT_ID, OCM_CLIENT_SECRET, OCM_TOKEN);
  if (ofEnvironment !== undefined) return { credentials: ofEnvironment };
  throw new EchelonError({
    code: 'OCM_NOT_LOGGED_IN',
    message: 'not logged in to OCM',
    hint: 'run ocm login, or set OCM_TOKEN, or use --client-id and --client-secret',
  });
}

function tokenOf({
  refresh_token,
  access_token,
}: {
  refresh_token?: string | undefined;
  access_token?: string | undefined;
}) {
  return refresh_token || access_token;
}

function ofParts(clientId?: string, clientSecret?: string, token?: string): LoginCredentials | undefined {
  if (clientId && clientSecret) return { kind: 'client-credentials', clientId, clientSecret };
  if (!token) return undefined;
  if (isAccessToken(token)) return { kind: 'access-token', token };
  return { kind: 'refresh-token', token, ...(clientId ? { clientId } : {}) };
}

/** An access token says so itself; whatever does not is an offline token. */
function isAccessToken(token: string): boolean {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null && 'typ' in claims && claims.typ === 'Bearer';
  } catch {
    return false;
  }
}

function secretsIn(credentials: LoginCredentials): string[] {
  return credentials.kind === 'client-credentials' ? [credentials.clientSecret] : [credentials.token];
}

const text = z.string().optional().catch(undefined);

/** The login file of the `ocm` command, reduced to its credentials. */
const LOGIN = z.object({
  ...{ access_token: text, refresh_token: text, client_id: text, client_secret: text },
  ...{ token_url: text, url: text },
});
type KeptLogin = z.infer<typeof LOGIN>;

/** Reads the login of the `ocm` command, if there is one. */
function readOcmLogin(ports: FilePorts): { readonly file: string; readonly login: KeptLogin } | undefined {
  for (const file of placesOf(ports)) {
    const content = contentOf(ports, file);
    if (content !== undefined && content.trim() !== '') return { file, login: parse(file, content) };
  }
  return undefined;
}

/** Searched as by the `ocm` command: its variable, the home directory, the configuration directory. */
function placesOf({ env, cwd }: FilePorts): string[] {
  const named = env['OCM_CONFIG'] ?? '';
  if (named !== '') return [resolve(cwd, named)];
  const home = env['HOME'] ?? '';
  const configurations = env['XDG_CONFIG_HOME'] ?? '';
  return [
    ...(home === '' ? [] : [join(home, '.ocm.json')]),
    ...(configurations === '' ? [] : [join(configurations, 'ocm', 'ocm.json')]),
    ...(home === '' ? [] : [join(home, '.config/ocm/ocm.json')]),
    ...(home === '' ? [] : [join(home, 'Library/Application Support/ocm/ocm.json')]),
  ];
}

function contentOf({ readFile }: FilePorts, file: string): string | undefined {
  try {
    return readFile(file);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(`cannot read ${file}: ${code}`);
  }
}

function parse(file: string, content: string): KeptLogin {
  try {
    return LOGIN.parse(JSON.parse(content));
  } catch {
    throw unreadable(`${file} is not a login file of the ocm command`);
  }
}

function unreadable(message: string): EchelonError {
  return new EchelonError({
    code: 'OCM_LOGIN_UNREADABLE',
    message,
    hint: 'run ocm login again, or set OCM_CONFIG to the file',
  });
}
