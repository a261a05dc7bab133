import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './real-kube-build.ts';
import { withLock } from './real-kube-lock.ts';
import { REPO } from './shared.ts';

const MODULE = join(REPO, 'test/e2e/s3');
const PACKAGE = 'github.com/versity/versitygw/cmd/versitygw';
const FLAGS = ['-mod=readonly', '-modcacherw', '-trimpath', '-ldflags', '-s -w'];

/** A first build takes one to three minutes on two cores; another run may be at it already. */
const LOCK_TIMEOUT_SECONDS = 900;
const LINES_IN_ERROR = 15;

/** The path of the server of the pinned module, built if it is not in the cache. Needs Go, and tells so where there is none. */
export async function builtS3Server(): Promise<string> {
  const folder = serverFolder();
  const binary = join(folder, 'versitygw');
  if (existsSync(binary)) return binary;
  return withLock(join(folder, 'lock'), LOCK_TIMEOUT_SECONDS, async () => {
    if (!existsSync(binary)) await build(binary);
    return binary;
  });
}

/** Where the server of exactly this module and these flags stands once it is built: outside the checkout. */
function serverFolder(): string {
  const from = [readFileSync(join(MODULE, 'go.sum'), 'utf8'), ...FLAGS, process.platform, process.arch];
  const hash = createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 16);
  return join(cacheFolder(), `s3-${hash}`);
}

/** Built under another name and moved into place, so that one that is killed leaves no half a server. */
async function build(binary: string): Promise<void> {
  const unfinished = `${binary}.${process.pid}`;
  process.stderr.write(`real-s3: building ${binary}, which takes one to three minutes, once\n`);
  mkdirSync(serverFolder(), { recursive: true });
  await runGo(['build', ...FLAGS, '-o', unfinished, PACKAGE]);
  renameSync(unfinished, binary);
}

function runGo(args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const env = { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' };
  const go = spawn('nice', ['-n', '19', 'go', ...args], { cwd: MODULE, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [go.stdout, go.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  go.on('error', reject);
  go.on('close', (code, signal) => {
    const last = output.trimEnd().split('\n').slice(-LINES_IN_ERROR).join('\n');
    if (code === 0) resolve();
    else if (code === 127) reject(new Error('there is no go on the PATH'));
    else reject(new Error(`go build ended with ${signal ?? `status ${code}`}:\n${last}`));
  });
  return promise;
}
