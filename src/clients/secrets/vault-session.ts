import { readFile } from 'node:fs/promises';
import { EchelonError, isJson } from '../../base/index.ts';
import type { OnSecret } from './secret-reader.ts';
import { notVault, type VaultAnswer, type VaultHttp, type VaultRequest } from './vault-http.ts';

export type VaultAuth =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'approle';
      readonly roleId: string;
      readonly secretId: string;
      /** `approle` when absent. */
      readonly mount?: string;
    }
  | {
      readonly kind: 'kubernetes';
      readonly role: string;
      /** `kubernetes` when absent. */
      readonly mount?: string;
      /** Read at every login, because Kubernetes replaces it; the usual place when absent. */
      readonly tokenFile?: string;
    };

type Login = Exclude<VaultAuth, { kind: 'token' }>;

interface Lease {
  readonly token: string;
  readonly renewAt: number;
}

interface SessionOptions {
  readonly http: VaultHttp;
  readonly auth: VaultAuth;
  readonly now: () => number;
  readonly onSecret: OnSecret;
}

const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** Share of a lease after which the next request logs in again. */
const RENEW_AFTER = 0.8;
/** After a login that did not help, 403 is taken for a lack of rights for so long, instead of filling Vault with tokens. */
const RENEW_AGAIN_MS = 60_000;

/**
 * GET with a token. It logs in when it must: at first, before the lease ends, and once when the token is refused. Requests
 * at the same time share one login.
 */
export function vaultSession({ http, auth, now, onSecret }: SessionOptions): (path: string) => Promise<VaultAnswer> {
  let lease: Lease | undefined;
  let pending: Promise<Lease> | undefined;
  let renewAgainAt = Number.NEGATIVE_INFINITY;

  const start = async (): Promise<Lease> => {
    try {
      lease = await newLease(http, auth, now, onSecret);
      return lease;
    } finally {
      pending = undefined;
    }
  };
  const token = async (): Promise<string> => {
    if (lease !== undefined && now() < lease.renewAt) return lease.token;
    pending ??= start();
    return (await pending).token;
  };
  /** Undefined when there is no reason to expect more of another token. */
  const otherThan = async (refused: string): Promise<string | undefined> => {
    if (lease?.token === refused) {
      if (auth.kind === 'token' || now() < renewAgainAt) return undefined;
      lease = undefined;
    }
    return token();
  };

  return async (path) => {
    const used = await token();
    const answer = await http.call({ path, token: used });
    if (answer.status !== 403) return answer;
    const other = await otherThan(used);
    if (other === undefined) return answer;
    const second = await http.call({ path, token: other });
    if (second.status === 403) renewAgainAt = now() + RENEW_AGAIN_MS;
    return second;
  };
}

async function newLease(http: VaultHttp, auth: VaultAuth, now: () => number, onSecret: OnSecret): Promise<Lease> {
  if (auth.kind === 'token') {
    onSecret(auth.token);
    return { token: auth.token, renewAt: Number.POSITIVE_INFINITY };
  }
  const started = now();
  const { status, body } = await http.call(await loginRequest(auth, onSecret));
  if (status !== 200) throw refused(http.name, auth, status);
  const { client_token: token, lease_duration: seconds } = isJson(body['auth']) ? body['auth'] : {};
  if (typeof token !== 'string' || token === '') throw notVault(http.name, 'its response to a login has no token');
  onSecret(token);
  const endless = typeof seconds !== 'number' || seconds <= 0;
  return { token, renewAt: endless ? Number.POSITIVE_INFINITY : started + seconds * 1000 * RENEW_AFTER };
}

async function loginRequest(auth: Login, onSecret: OnSecret): Promise<VaultRequest> {
  const path = `auth/${mountOf(auth).split('/').map(encodeURIComponent).join('/')}/login`;
  if (auth.kind === 'approle') {
    for (const secret of [auth.roleId, auth.secretId]) onSecret(secret);
    return { path, body: { role_id: auth.roleId, secret_id: auth.secretId } };
  }
  const jwt = await serviceAccountToken(auth.tokenFile ?? SERVICE_ACCOUNT_TOKEN);
  onSecret(jwt);
  return { path, body: { role: auth.role, jwt } };
}

function mountOf({ kind, mount }: Login): string {
  return mount?.replace(/^\/+|\/+$/g, '') || kind;
}

async function serviceAccountToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw noServiceAccount(`cannot read ${file}: ${thrown.code}`);
  });
  const token = text.trim();
  if (token === '') throw noServiceAccount(`${file} is empty`);
  return token;
}

function noServiceAccount(message: string): EchelonError {
  return new EchelonError({
    code: 'VAULT_AUTH_MISSING',
    message: `the service account token for Vault: ${message}`,
    hint: 'run in a pod that mounts it, set KUBE_SA_TOKEN_PATH, or set VAULT_TOKEN',
  });
}

function refused(name: string, auth: Login, status: number): EchelonError {
  const mount = mountOf(auth);
  return new EchelonError({
    code: 'VAULT_LOGIN_REFUSED',
    message: `${name} returned ${status} for a login at auth/${mount}`,
    hint:
      auth.kind === 'approle'
        ? 'check role_id and secret_id in [vault] of config.toml: the secret_id may have expired'
        : `check kube_auth_role and kube_auth_mount in [vault] of config.toml, and that auth/${mount} knows this cluster`,
  });
}
