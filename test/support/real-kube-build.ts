import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './real-kube-lock.ts';
import { REPO } from './shared.ts';

const MODULE = join(REPO, 'test/e2e/kube');

const PACKAGES = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
} as const;

export type KubeBinary = keyof typeof PACKAGES;

/** A first build takes about ten minutes on two cores; another run may be at it already. */
const LOCK_TIMEOUT_SECONDS = 1800;
const LINES_IN_ERROR = 15;

/** Where everything is kept that is too expensive to rebuild for each run: outside the checkout. */
export function cacheFolder(): string {
  const { ECHELON_E2E_CACHE: own, XDG_CACHE_HOME: xdg } = process.env;
  return own || join(xdg || join(homedir(), '.cache'), 'echelon-e2e');
}

/** Where the binaries of exactly this module and these flags stand once they are built. */
export function kubeFolder(): string {
  const from = [readFileSync(join(MODULE, 'go.sum'), 'utf8'), ...buildFlags(), process.platform, process.arch];
  const hash = createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 16);
  return join(cacheFolder(), `kube-${hash}`);
}

/** The path of a binary of the pinned module, built if it is not in the cache. Needs Go, and says so where it is missing. */
export async function builtBinary(name: KubeBinary): Promise<string> {
  const folder = kubeFolder();
  const binary = join(folder, name);
  if (existsSync(binary)) return binary;
  return withLock(join(folder, 'lock'), LOCK_TIMEOUT_SECONDS, async () => {
    if (!existsSync(binary)) await build(name, binary);
    return binary;
  });
}

/** Built under another name and moved into place, so that one that is killed leaves no half a binary. */
async function build(name: KubeBinary, binary: string): Promise<void> {
  const unfinished = `${binary}.${process.pid}`;
  const started = performance.now();
  say(`building ${name} into ${binary}; all of the control plane takes 5 to 10 minutes, once`);
  await runGo(['build', ...buildFlags(), '-o', unfinished, PACKAGES[name]]);
  renameSync(unfinished, binary);
  say(`built ${name} in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** The version is linked in, as the clients of the server compare it; a module alone does not know its own. */
function buildFlags(): string[] {
  const [version = '', major, minor] =
    /(?<=^require k8s\.io\/kubernetes )v(\d+)\.(\d+)\.\d+/m.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8')) ?? [];
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor, gitCommit: '', gitTreeState: 'clean' };
  const links = Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-mod=readonly', '-modcacherw', '-trimpath', '-ldflags', ['-s -w', ...links].join(' ')];
}

function runGo(args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  mkdirSync(kubeFolder(), { recursive: true });
  const env = { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' };
  const go = spawn('go', args, { cwd: MODULE, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [go.stdout, go.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process.stderr.write(text);
    });
  }
  go.on('error', (cause: NodeJS.ErrnoException) =>
    reject(cause.code === 'ENOENT' ? new Error('there is no go on the PATH') : cause),
  );
  go.on('close', (code, signal) => {
    const last = output.trimEnd().split('\n').slice(-LINES_IN_ERROR).join('\n');
    if (code === 0) resolve();
    else reject(new Error(`go build ended with ${signal ?? `status ${code}`}:\n${last}`));
  });
  return promise;
}

function say(text: string): void {
  process.stderr.write(`real-kube: ${text}\n`);
}
