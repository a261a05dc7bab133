export { firstOf } from './first-of.ts';
export { folderSecrets } from './folder-secrets.ts';
export { type OpenSecretsOptions, openSecrets } from './open-secrets.ts';
export { secretField } from './secret-field.ts';
export type { OnSecret, SecretFields, SecretReader, SecretReaderOptions, SecretRef } from './secret-reader.ts';
export { tomlSecrets } from './toml-secrets.ts';
export type { VaultTransport } from './vault-http.ts';
export { type VaultSecretsOptions, vaultSecrets } from './vault-secrets.ts';
export type { VaultAuth } from './vault-session.ts';
