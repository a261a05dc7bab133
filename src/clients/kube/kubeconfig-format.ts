import * as z from 'zod';
import { EchelonError } from '../../base/index.ts';

/** Go writes what is not set as null or as nothing. */
const TEXT = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const FLAG = z
  .boolean()
  .nullish()
  .transform((value) => value === true);
const NAME = z.string().min(1);

function listOf<T extends z.ZodType>(entry: T) {
  return z
    .array(entry)
    .nullish()
    .transform((entries) => entries ?? []);
}

const CLUSTER = z.object({
  server: NAME,
  'certificate-authority': TEXT,
  'certificate-authority-data': TEXT,
  'insecure-skip-tls-verify': FLAG,
  'tls-server-name': TEXT,
  'proxy-url': TEXT,
});

const PLUGIN = z.object({
  command: NAME,
  args: listOf(z.string()),
  env: listOf(z.object({ name: NAME, value: z.string() })),
  apiVersion: TEXT,
  installHint: TEXT,
  provideClusterInfo: FLAG,
});

const USER = z.object({
  'client-certificate': TEXT,
  'client-certificate-data': TEXT,
  'client-key': TEXT,
  'client-key-data': TEXT,
  token: TEXT,
  tokenFile: TEXT,
  'token-file': TEXT,
  username: TEXT,
  password: TEXT,
  exec: PLUGIN.nullish(),
  'auth-provider': z.object({ name: NAME, config: z.record(z.string(), z.unknown()).nullish() }).nullish(),
  as: TEXT,
  'as-uid': TEXT,
  'as-groups': listOf(z.string()),
  'as-user-extra': z.record(z.string(), z.unknown()).nullish(),
});

const KUBECONFIG = z.object({
  clusters: listOf(z.object({ name: NAME, cluster: CLUSTER })),
  users: listOf(z.object({ name: NAME, user: USER.nullish() })),
  contexts: listOf(z.object({ name: NAME, context: z.object({ cluster: NAME, user: TEXT }) })),
  'current-context': TEXT,
});

/** What stands in a kubeconfig about a cluster, with the folder that its paths are relative to. */
export type KubeconfigCluster = z.output<typeof CLUSTER> & { readonly folder: string };
export type KubeconfigUser = z.output<typeof USER> & { readonly folder: string };
/** A program that prints an `ExecCredential`. */
export type LoginPlugin = z.output<typeof PLUGIN>;

/** What kubeconfig files define, by name. */
export interface KubeconfigEntries {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, { readonly cluster: string; readonly user?: string | undefined }>;
  readonly current?: string | undefined;
}

/** What the document of one file defines. */
export function kubeconfigEntries(document: unknown, file: string, folder: string): KubeconfigEntries {
  const read = KUBECONFIG.safeParse(document);
  if (!read.success) throw invalidKubeconfig(file, issueOf(read.error));
  const { clusters, users, contexts, 'current-context': current } = read.data;
  return {
    clusters: firstOf(clusters.map(({ name, cluster }) => [name, { ...cluster, folder }])),
    users: firstOf(users.map(({ name, user }) => [name, { ...(user ?? USER.parse({})), folder }])),
    contexts: firstOf(contexts.map(({ name, context }) => [name, context])),
    current,
  };
}

/** The first file that defines a name decides, as in kubectl. */
export function mergedEntries(files: readonly KubeconfigEntries[]): KubeconfigEntries {
  return {
    clusters: firstOf(files.flatMap(({ clusters }) => [...clusters])),
    users: firstOf(files.flatMap(({ users }) => [...users])),
    contexts: firstOf(files.flatMap(({ contexts }) => [...contexts])),
    current: files.find(({ current }) => current !== undefined)?.current,
  };
}

function firstOf<T>(entries: readonly (readonly [string, T])[]): ReadonlyMap<string, T> {
  const known = new Map<string, T>();
  for (const [name, entry] of entries) if (!known.has(name)) known.set(name, entry);
  return known;
}

export function invalidKubeconfig(file: string, why: string): EchelonError {
  return new EchelonError({
    code: 'KUBECONFIG_INVALID',
    message: `${file} is not a kubeconfig: ${why}`,
    hint: 'correct the file, or set another with KUBECONFIG',
  });
}

/** Names the field and never its value, which may be a secret. */
function issueOf({ issues: [issue] }: z.ZodError): string {
  const path = (issue?.path ?? []).reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : `${before}${before && '.'}${String(key)}`),
    '',
  );
  const why = issue?.message.replace(/^Invalid input: /, '') ?? 'invalid';
  return path === '' ? why : `${path}: ${why}`;
}
