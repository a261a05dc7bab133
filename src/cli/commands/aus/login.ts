import { defined, EchelonError } from '../../../base/index.ts';
import { createOcmClient, type OcmClient, type OcmCredentials } from '../../../clients/ocm/index.ts';
import type { Io } from '../../io.ts';
import { version } from '../../version.ts';
import { readOcmLogin } from './ocm-login-file.ts';

/** What all commands of users understand. */
export interface AusFlags {
  readonly orgId?: string;
  readonly ocmUrl?: string;
  readonly tokenUrl?: string;
  readonly token?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly color?: boolean;
}

export interface OpenOcm {
  readonly client: OcmClient;
  readonly url: string;
}

/** Short names of the `ocm` command. */
const URLS: Readonly<Record<string, string>> = {
  production: 'https://api.openshift.com',
  staging: 'https://api.stage.openshift.com',
  integration: 'https://api.integration.openshift.com',
};
const DEFAULT_URL = 'https://api.openshift.com';

interface Login {
  readonly credentials: OcmCredentials;
  readonly url?: string | undefined;
  readonly tokenUrl?: string | undefined;
}

/**
 * A client of the OCM that the user is logged in to: by flags, else as the `ocm` command is, else by OCM_TOKEN. Read-only,
 * it refuses every write before it is sent.
 */
export function openOcm(io: Io, flags: AusFlags, { readOnly }: { readonly readOnly: boolean }): OpenOcm {
  const login = loginOf(io, flags);
  for (const secret of secretsIn(login.credentials)) io.onSecret?.(secret);
  const named = flags.ocmUrl ?? (io.env['OCM_URL'] || undefined) ?? login.url ?? DEFAULT_URL;
  const url = URLS[named] ?? named;
  const tokenUrl = flags.tokenUrl ?? login.tokenUrl;
  const client = createOcmClient({
    ...{ url, credentials: login.credentials, readOnly, signal: io.signal, userAgent: `echelon/${version()}` },
    ...defined({ tokenUrl }),
  });
  return { client, url };
}

function loginOf(io: Io, flags: AusFlags): Login {
  const { OCM_CLIENT_ID, OCM_CLIENT_SECRET, OCM_TOKEN } = io.env;
  const given = ofParts(flags.clientId, flags.clientId && (flags.clientSecret ?? OCM_CLIENT_SECRET), flags.token);
  if (given !== undefined) return { credentials: given };
  const kept = readOcmLogin(io);
  const credentials = kept && ofParts(kept.login.client_id, kept.login.client_secret, tokenOf(kept.login));
  if (credentials !== undefined) {
    return { credentials, url: kept?.login.url || undefined, tokenUrl: kept?.login.token_url || undefined };
  }
  const ofEnvironment = ofParts(OCM_CLIENT_ID, OCM_CLIENT_SECRET, OCM_TOKEN);
  if (ofEnvironment !== undefined) return { credentials: ofEnvironment };
  throw new EchelonError({
    code: 'OCM_NOT_LOGGED_IN',
    message: 'nobody is logged in to OCM here',
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

function ofParts(clientId?: string, clientSecret?: string, token?: string): OcmCredentials | undefined {
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

function secretsIn(credentials: OcmCredentials): string[] {
  return credentials.kind === 'client-credentials' ? [credentials.clientSecret] : [credentials.token];
}
