import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './real-kube-build.ts';
import { withLock } from './real-kube-lock.ts';

export interface GoProgram {
  /** Of the binary. */
  readonly name: string;
  /** Of its folder in the cache. */
  readonly cache: string;
  /** The folder of a pinned module that requires the package. */
  readonly module: string;
  readonly package: string;
  readonly flags: readonly string[];
  /** What a first build takes on two cores, in words. */
  readonly takes: string;
  /** Another run may be at it already. */
  readonly lockSeconds: number;
}

const LINES_IN_ERROR = 15;

/** The path of a program of a pinned module, built if it is not in the cache. Needs Go, and says so where it is missing. */
export async function goBinary(program: GoProgram): Promise<string> {
  const folder = folderOf(program);
  const binary = join(folder, program.name);
  if (existsSync(binary)) return binary;
  return withLock(join(folder, 'lock'), program.lockSeconds, async () => {
    if (!existsSync(binary)) await build(program, binary);
    return binary;
  });
}

/** Where the program of exactly this module and these flags stands once it is built: outside the checkout. */
function folderOf({ cache, module, flags }: GoProgram): string {
  const from = [readFileSync(join(module, 'go.sum'), 'utf8'), ...flags, process.platform, process.arch];
  const hash = createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 16);
  return join(cacheFolder(), `${cache}-${hash}`);
}

/** Built under another name and moved into place, so that one that is killed leaves no half a binary. */
async function build(program: GoProgram, binary: string): Promise<void> {
  const unfinished = `${binary}.${process.pid}`;
  process.stderr.write(`building ${binary}, which takes ${program.takes}, once\n`);
  mkdirSync(folderOf(program), { recursive: true });
  await runGo(program.module, ['build', ...program.flags, '-o', unfinished, program.package]);
  renameSync(unfinished, binary);
}

function runGo(module: string, args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const env = { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' };
  const go = spawn('nice', ['-n', '19', 'go', ...args], { cwd: module, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
