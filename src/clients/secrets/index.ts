import { EchelonError, isJson, type Json } from '../../base/index.ts';
import { folderSecrets, tomlSecrets } from './local-secrets.ts';
import {
  type SecretFields,
  type SecretReader,
  type SecretReaderOptions,
  type SecretRef,
  secretNotFound,
} from './secret-reader.ts';
import type { VaultAuth, VaultTransport } from './vault-client.ts';
import { type VaultSecretsOptions, vaultSecrets } from './vault-secrets.ts';

export { secretField } from './secret-reader.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface OpenSecretsOptions extends VaultTransport, SecretReaderOptions {
  readonly env: Env;
  /** The parsed config.toml; empty when there is none. */
  readonly config: Json;
  /** Of --secrets-dir; ECHELON_SECRETS_DIR when absent. */
  readonly folder?: string;
  /** `vault` of the instance's settings. */
  readonly settingsVault?: boolean;
}

const VAULT_KEYS = ['server', 'role_id', 'secret_id', 'kube_auth_role', 'kube_auth_mount'] as const;

type VaultSection = Partial<Record<(typeof VAULT_KEYS)[number], string>>;

/**
 * The secrets of an instance, searched for in turn: the folder, if one is named; config.toml, if the settings say
 * `vault: false` or it has no [vault]; Vault, if its address is known and the settings do not say `vault: false`.
 */
export function openSecrets(options: OpenSecretsOptions): SecretReader {
  const { env, config, settingsVault } = options;
  const folder = options.folder || env['ECHELON_SECRETS_DIR'];
  const section = vaultSection(config);
  const vault = settingsVault === false ? undefined : vaultOptions(section ?? {}, env);
  const readers = [
    ...(folder ? [folderSecrets(folder, options)] : []),
    ...(settingsVault === false || section === undefined ? [tomlSecrets(config, options)] : []),
    ...(vault === undefined ? [] : [vaultSecrets({ ...options, ...vault })]),
  ];
  if (readers.length > 0) return firstOf(readers);
  throw invalid('[vault] of config.toml has no server', 'set server there, or VAULT_ADDR, or pass --secrets-dir');
}

function vaultSection({ vault }: Json): VaultSection | undefined {
  if (vault === undefined) return undefined;
  if (!isJson(vault)) throw invalid('vault of config.toml is not a table', 'write it as [vault] with server below');
  for (const key of VAULT_KEYS) {
    if (vault[key] === undefined || typeof vault[key] === 'string') continue;
    throw invalid(`${key} of [vault] in config.toml is not text`, 'write it in quotes');
  }
  return vault;
}

/** The environment comes before the file. Undefined when neither names an address. */
function vaultOptions(
  section: VaultSection,
  env: Env,
): Pick<VaultSecretsOptions, 'server' | 'auth' | 'namespace'> | undefined {
  const server = env['VAULT_ADDR'] || section.server;
  if (!server) return undefined;
  const auth = authOf(section, env, server);
  const namespace = env['VAULT_NAMESPACE'];
  if (auth !== undefined) return { server, auth, ...(namespace ? { namespace } : {}) };
  throw new EchelonError({
    code: 'VAULT_AUTH_MISSING',
    message: 'no credentials for Vault',
    hint: `set VAULT_TOKEN, or role_id and secret_id, or kube_auth_role, in [vault] of config.toml next to server`,
  });
}

/** Credentials of the file go to the server of the file and to no other. */
function authOf(section: VaultSection, env: Env, server: string): VaultAuth | undefined {
  const token = env['VAULT_TOKEN']?.trim();
  if (token) return { kind: 'token', token };
  if (section.server && originOf(section.server) !== originOf(server)) return undefined;
  const { role_id: roleId, secret_id: secretId, kube_auth_role: role, kube_auth_mount: mount } = section;
  const tokenFile = env['KUBE_SA_TOKEN_PATH'];
  if (role) return { kind: 'kubernetes', role, ...(mount ? { mount } : {}), ...(tokenFile ? { tokenFile } : {}) };
  return roleId && secretId ? { kind: 'approle', roleId, secretId } : undefined;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function invalid(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'CONFIG_INVALID', message, hint });
}

/**
 * The first reader that has the secret with its field; else the first that has the secret. A reader that fails for another
 * reason ends the search: what a later one has may not be what is meant.
 */
export function firstOf(readers: readonly SecretReader[]): SecretReader {
  const name = readers.map((reader) => reader.name).join(', ') || 'any secret store';
  return {
    name,
    read: async (ref) => {
      const without: SecretFields[] = [];
      const hints: string[] = [];
      for (const reader of readers) {
        const found = await readIfThere(reader, ref);
        if (found instanceof EchelonError) hints.push(found.hint);
        else if (found.has(ref.field)) return found;
        else without.push(found);
      }
      if (without[0] !== undefined) return without[0];
      throw secretNotFound(ref, name, hints.join('; or ') || 'pass a directory of secrets with --secrets-dir');
    },
  };
}

async function readIfThere(reader: SecretReader, ref: SecretRef): Promise<SecretFields | EchelonError> {
  try {
    return await reader.read(ref);
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'SECRET_NOT_FOUND') return thrown;
    throw thrown;
  }
}
