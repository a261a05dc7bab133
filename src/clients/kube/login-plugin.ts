import { resolve } from 'node:path';
import * as z from 'zod';
import { defined, type Quotation, Secrets } from '../../base/index.ts';
import { type ProcessResult, runProcess } from '../process/index.ts';
import type { KubeconfigCluster, LoginPlugin } from './kubeconfig-entries.ts';

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
export const LOGIN_REASON: Quotation = { longest: 300, tidy: (text) => text.trim().split(/\r?\n/)[0] ?? '' };

/** Runs the plugin without input. What it prints is never quoted: it may be the token itself. */
export async function runLoginPlugin(plugin: LoginPlugin, context: PluginContext): Promise<Printed> {
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
