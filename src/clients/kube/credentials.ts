import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import { defined, EchelonError, messageOf, type Quotation, Secrets, secretValues } from '../../base/index.ts';
import { type ProcessResult, runProcess } from '../process/index.ts';
import type { Credentials } from './connection.ts';
import type { KubeconfigCluster, KubeconfigUser, LoginPlugin } from './kubeconfig-format.ts';

/** The cluster and the user of a context. */
export interface KubeconfigLogin {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser | undefined;
}

/**
 * Reads the files that the entries name and runs the login plugin where the user has one. A name with a password comes
 * before a token, and a token before what a plugin prints.
 */
export async function kubeconfigCredentials(login: KubeconfigLogin, name: string): Promise<Credentials> {
  try {
    return await credentialsOf(login);
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    throw new EchelonError({
      code: 'KUBE_LOGIN',
      message: `${name}: login failed: ${secretsOf(login).quote(messageOf(thrown), LOGIN_REASON)}`,
      hint: hintOf(thrown),
    });
  }
}

/** What the files say about the user; a plugin may print what it was given. */
function secretsOf({ user, cluster }: KubeconfigLogin): Secrets {
  const { exec, 'auth-provider': provider } = user ?? {};
  const env = Object.fromEntries((exec?.env ?? []).map(({ name, value }) => [name, value]));
  const flags = [...(exec?.args ?? []).join('\n').matchAll(/^--?([^=\s]+)[=\n](?=(.+)$)/gm)];
  const config = Object.entries(provider?.config ?? {});
  const proxy = URL.parse(cluster['proxy-url'] ?? '');
  return new Secrets([
    ...[user?.token, user?.password, user?.['client-key-data'], proxy?.password],
    ...[process.env, env, Object.fromEntries(flags.map(([, name, value]) => [name, value]))].flatMap(secretValues),
    ...secretValues(Object.fromEntries(config.map(([name, value]) => [name, String(value)]))),
  ]);
}

/** A login that cannot succeed until the user has done something. */
class LoginRefused extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

function hintOf(thrown: unknown): string {
  const own = (thrown as { hint?: unknown }).hint;
  return typeof own === 'string'
    ? own
    : 'check the user of this context in the kubeconfig; its login plugin must be installed and run without input';
}

async function credentialsOf({ cluster, user }: KubeconfigLogin): Promise<Credentials> {
  const ca = await contentOf(cluster.folder, cluster['certificate-authority'], cluster['certificate-authority-data']);
  if (user === undefined) return { headers: {}, ...defined({ ca }) };
  const own = {
    cert: await contentOf(user.folder, user['client-certificate'], user['client-certificate-data']),
    key: await contentOf(user.folder, user['client-key'], user['client-key-data']),
  };
  const printed = user.exec ? await runLoginPlugin(user.exec, { cluster, folder: user.folder, ca }) : {};
  const bearer = (await tokenOf(user)) ?? printed.token;
  const authorization = basicOf(user) ?? (bearer === undefined ? undefined : `Bearer ${bearer}`);
  return {
    headers: { ...actAs(user), ...defined({ Authorization: authorization }) },
    ...defined({ ca, cert: printed.cert ?? own.cert, key: printed.key ?? own.key }),
  };
}

/** Data comes before a file, as in kubectl. */
async function contentOf(folder: string, file?: string, base64?: string): Promise<Buffer | undefined> {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return file === undefined ? undefined : readFile(resolve(folder, file));
}

function basicOf({ username, password = '' }: KubeconfigUser): string | undefined {
  return username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A file with a token is renewed by somebody else, so it comes before a token that stands in the kubeconfig. */
async function tokenOf(user: KubeconfigUser): Promise<string | undefined> {
  const file = user.tokenFile ?? user['token-file'];
  if (file !== undefined) return (await readFile(resolve(user.folder, file), 'utf8')).trim();
  return user.token ?? providedToken(user);
}

/**
 * Of the older providers kubectl still has `oidc`. Its token is used as long as it is valid: to renew it here would
 * invalidate the refresh token in the user's kubeconfig where an identity provider issues each of them for one use.
 */
function providedToken({ 'auth-provider': provider }: KubeconfigUser): string | undefined {
  if (!provider) return undefined;
  if (provider.name !== 'oidc') {
    throw new LoginRefused(
      `the auth-provider ${provider.name} is not supported`,
      'use a login plugin (exec) in the kubeconfig, as kubectl 1.26 and newer require',
    );
  }
  const token = provider.config?.['id-token'];
  if (typeof token !== 'string' || token === '') {
    throw new LoginRefused('the auth-provider oidc has no id-token', 'log in again, or use a login plugin (exec)');
  }
  if (expiryOf(token) * 1000 > Date.now()) return token;
  throw new LoginRefused(
    'the id-token of the auth-provider oidc has expired',
    'run a kubectl command on this context, which renews it in the kubeconfig, or use a login plugin (exec)',
  );
}

/** In seconds; never where it does not say. */
function expiryOf(jwt: string): number {
  try {
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Leaving out a part would act as somebody with other rights than the file says. */
function actAs(user: KubeconfigUser): Record<string, string> {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  if (groups.length > 1 || Object.keys(extra ?? {}).length > 0) {
    throw new LoginRefused(
      'as-user-extra and more than one of as-groups are not supported',
      'use a user of the kubeconfig that acts as itself, or as one user and at most one group',
    );
  }
  return defined({ 'Impersonate-User': as, 'Impersonate-Uid': uid, 'Impersonate-Group': groups[0] });
}

/** What a plugin printed. */
interface Printed {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface PluginContext {
  readonly cluster: KubeconfigCluster;
  /** Of the kubeconfig: a command with a slash is relative to it. */
  readonly folder: string;
  readonly ca: Buffer | undefined;
}

/** Long enough for a user who logs in with a browser. */
const TIMEOUT_MS = 180_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const API_VERSION = 'client.authentication.k8s.io/v1';

const CREDENTIAL = z.object({
  status: z.object({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
  }),
});

/** How an error of a login is quoted. */
const LOGIN_REASON: Quotation = { longest: 300, tidy: (text) => text.trim().split(/\r?\n/)[0] ?? '' };

/** Runs the plugin without input. What it prints is never quoted: it may be the token itself. */
async function runLoginPlugin(plugin: LoginPlugin, context: PluginContext): Promise<Printed> {
  const { status } = credentialIn(await outputOf(plugin, context));
  const { token, clientCertificateData: cert, clientKeyData: key } = status;
  if (!token && !(cert && key)) throw new Error('the login plugin printed neither a token nor a certificate');
  return defined({ token: token || undefined, cert: cert || undefined, key: key || undefined });
}

async function outputOf(plugin: LoginPlugin, context: PluginContext): Promise<string> {
  const { command, args } = plugin;
  const file = command.includes('/') ? resolve(context.folder, command) : command;
  const env = {
    ...process.env,
    KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, context)),
    ...Object.fromEntries(plugin.env.map(({ name, value }) => [name, value])),
  };
  const result = await runProcess(file, args, { env, timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES });
  if (result.end === 'ended' && result.code === 0) return result.stdout.toString('utf8');
  throw failureOf(plugin, result);
}

/** The first line, without what the plugin printed before it failed: that may be the token. */
function reasonIn(stderr: string, stdout: string): string {
  const { token, clientKeyData: key } = CREDENTIAL.safeParse(jsonIn(stdout)).data?.status ?? {};
  return new Secrets([stdout, token ?? undefined, key ?? undefined]).quote(stderr, LOGIN_REASON);
}

/** What the protocol tells a plugin about the request. */
function execInfo({ apiVersion = API_VERSION, provideClusterInfo }: LoginPlugin, context: PluginContext): object {
  const { cluster, ca } = context;
  const place = {
    server: cluster.server,
    ...defined({
      'tls-server-name': cluster['tls-server-name'],
      'certificate-authority-data': ca?.toString('base64'),
      'proxy-url': cluster['proxy-url'],
    }),
    ...(cluster['insecure-skip-tls-verify'] ? { 'insecure-skip-tls-verify': true } : {}),
  };
  return {
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive: false, ...(provideClusterInfo ? { cluster: place } : {}) },
  };
}

function failureOf({ command, installHint }: LoginPlugin, result: ProcessResult): Error {
  if (result.end === 'not-started') {
    const { code } = result.cause;
    const [hint] = code === 'ENOENT' ? (installHint ?? '').trim().split('\n') : [];
    return Object.assign(new Error(`spawn ${command} ${code}`), hint ? { hint } : {});
  }
  if (result.end === 'too-large') return new Error('the login plugin printed more than 1 MiB');
  if (result.end === 'timed-out') return new Error(`the login plugin timed out after ${TIMEOUT_MS / 1000} s`);
  const [stderr, stdout] = [result.stderr.toString('utf8'), result.stdout.toString('utf8')];
  return new Error(reasonIn(stderr, stdout) || 'the login plugin failed without a message');
}

function credentialIn(text: string): z.output<typeof CREDENTIAL> {
  const printed = jsonIn(text);
  if (printed === undefined) throw new Error('the login plugin did not print JSON');
  const read = CREDENTIAL.safeParse(printed);
  if (read.success) return read.data;
  throw new Error('the login plugin did not print a credential');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
