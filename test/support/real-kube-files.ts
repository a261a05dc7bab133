import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_POLICY, FILES } from './real-kube-arguments.ts';

export interface KubeconfigFacts {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** Everyone who is in by a token of the start: name and token. All of them may do everything. */
export type Users = Readonly<Record<string, string>>;

/** Writes what the API server reads at its start. */
export function writeServerFiles(folder: string, users: Users): void {
  mkdirSync(join(folder, 'certificates'));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  write(join(folder, FILES.signingKey), privateKey);
  write(join(folder, FILES.verifyingKey), publicKey);
  write(join(folder, FILES.auditPolicy), JSON.stringify(AUDIT_POLICY));
  const lines = Object.entries(users).map(([name, token]) => `${token},${name},${name},"system:masters"\n`);
  write(join(folder, FILES.tokens), lines.join(''));
}

/** The certificate authority that the server made for itself: the last in the file of its own certificate. */
export function authorityOf(folder: string): string {
  const chain = readFileSync(join(folder, FILES.certificate), 'utf8');
  return chain.slice(chain.lastIndexOf('-----BEGIN CERTIFICATE-----'));
}

/** The server's own certificate and its key, for those who stand in for the server. */
export function certificateOf(folder: string): { readonly cert: string; readonly key: string } {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { cert: read(FILES.certificate), key: read(FILES.key) };
}

export function writeKubeconfig(file: string, { server, ca, token }: KubeconfigFacts): string {
  const name = 'e2e';
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': name },
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  write(file, JSON.stringify(config, null, 2));
  return file;
}

function write(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600 });
}
