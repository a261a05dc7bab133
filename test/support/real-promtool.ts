import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { goBinary } from './go-binary.ts';
import { REPO } from './shared.ts';

const RUN_TIMEOUT_MS = 120_000;

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

function builtPromtool(): Promise<string> {
  return built('promtool');
}

/** The path of the Prometheus server of the same pinned module. */
export function builtPrometheus(): Promise<string> {
  return built('prometheus');
}

function built(name: 'promtool' | 'prometheus'): Promise<string> {
  return goBinary({
    name,
    cache: name,
    module: join(REPO, 'test/e2e/promtool'),
    package: `github.com/prometheus/prometheus/cmd/${name}`,
    /** Without the clients of every cloud, which neither rules nor stored series need. */
    flags: ['-mod=readonly', '-modcacherw', '-trimpath', '-tags', 'remove_all_sd', '-ldflags', '-s -w'],
    takes: 'some minutes',
    lockSeconds: 1800,
  });
}
