import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './real-kube-build.ts';
import { withLock } from './real-kube-lock.ts';
import { REPO } from './shared.ts';

const MODULE = join(REPO, 'test/e2e/promtool');
const PACKAGE = 'github.com/prometheus/prometheus/cmd/promtool';
/** Without the clients of every cloud, which rules do not need. */
const FLAGS = ['-mod=readonly', '-modcacherw', '-trimpath', '-tags', 'remove_all_sd', '-ldflags', '-s -w'];

/** A first build takes several minutes on two cores; another run may be at it already. */
const LOCK_TIMEOUT_SECONDS = 1800;
const RUN_TIMEOUT_MS = 120_000;
const LINES_IN_ERROR = 15;

export interface PromtoolRun {
  readonly code: number;
  /** Of both streams. */
  readonly output: string;
}

/** The path of promtool: `PROMTOOL_BIN`, else that of the PATH, else the pinned module's, built if it is not in the cache. */
export async function promtool(): Promise<string> {
  const { PROMTOOL_BIN: own, PATH: path = '' } = process.env;
  if (own) return own;
  const found = path.split(delimiter).map((folder) => join(folder, 'promtool'));
  return found.find(isExecutable) ?? builtPromtool();
}

/** Runs promtool in the folder of the alerts. */
export function runPromtool(binary: string, args: readonly string[]): Promise<PromtoolRun> {
  const { promise, resolve, reject } = Promise.withResolvers<PromtoolRun>();
  const options = { cwd: join(REPO, 'deploy/alerts'), timeout: RUN_TIMEOUT_MS };
  execFile(binary, args, options, (error, stdout, stderr) => {
    const code = error === null ? 0 : error.code;
    if (typeof code === 'number') resolve({ code, output: stdout + stderr });
    else reject(error);
  });
  return promise;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Needs Go, and tells so where there is none. */
async function builtPromtool(): Promise<string> {
  const from = [readFileSync(join(MODULE, 'go.sum'), 'utf8'), ...FLAGS, process.platform, process.arch];
  const hash = createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `promtool-${hash}`);
  const binary = join(folder, 'promtool');
  if (existsSync(binary)) return binary;
  return withLock(join(folder, 'lock'), LOCK_TIMEOUT_SECONDS, async () => {
    if (!existsSync(binary)) await build(folder, binary);
    return binary;
  });
}

/** Built under another name and moved into place, so that one that is killed leaves no half a binary. */
async function build(folder: string, binary: string): Promise<void> {
  const unfinished = `${binary}.${process.pid}`;
  process.stderr.write(`real-promtool: building ${binary}, which takes some minutes, once\n`);
  mkdirSync(folder, { recursive: true });
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
