import { execFile, execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './real-kube-build.ts';
import { withLock } from './real-kube-lock.ts';
import { REPO } from './shared.ts';

export const INCUMBENT_RELEASE = 'qontract-reconcile==0.10.1';
const PYTHON = 'python3.11';
const FOLDER = join(cacheFolder(), `incumbent-${INCUMBENT_RELEASE}`);
const LOCK_SECONDS = 1_800;
const OUTPUT = 64 * 1024 * 1024;

/** Why the published release cannot run on this machine; undefined when it can. */
export function incumbentMissing(): string | undefined {
  try {
    execFileSync(PYTHON, ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${PYTHON} with pip is required`;
  }
}

/** The Python with the published release, installed outside the checkout on first use, which takes minutes. */
export async function incumbentPython(): Promise<string> {
  const ready = join(FOLDER, 'ready');
  await withLock(`${FOLDER}.lock`, LOCK_SECONDS, async () => {
    if (existsSync(ready)) return;
    rmSync(FOLDER, { recursive: true, force: true });
    process.stderr.write(`installing ${INCUMBENT_RELEASE} in ${FOLDER}, once\n`);
    await promisify(execFile)(PYTHON, ['-m', 'venv', FOLDER]);
    await promisify(execFile)(join(FOLDER, 'bin/pip'), ['install', '-q', INCUMBENT_RELEASE]);
    writeFileSync(ready, '');
  });
  return join(FOLDER, 'bin/python');
}

/** One line of JSON for each line of input, in the same order. The event loop goes on, so that the script can ask a server here. */
export async function incumbentLines(
  python: string,
  [script = '', ...flags]: readonly string[],
  input: readonly string[],
): Promise<unknown[]> {
  const command = ['-P', join(REPO, 'test/e2e/incumbent', script), ...flags];
  const running = promisify(execFile)(python, command, { maxBuffer: OUTPUT });
  running.child.stdin?.end(input.map((line) => `${line}\n`).join(''));
  return linesIn((await running).stdout);
}

/** One decision per fleet, in the same order. */
export function decideLikeIncumbent(python: string, fleets: readonly unknown[]): unknown[] {
  const output = execFileSync(python, [join(REPO, 'test/e2e/incumbent/decide.py')], {
    input: fleets.map((fleet) => `${JSON.stringify(fleet)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: OUTPUT,
  });
  return linesIn(output);
}

function linesIn(output: string): unknown[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
