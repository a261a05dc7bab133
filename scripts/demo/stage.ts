import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const REPO = join(import.meta.dirname, '../..');
export const EXAMPLE = 'examples/instance';
export type Env = Readonly<Record<string, string>>;

export function say(text: string): void {
  console.log(`\n# ${text}`);
}

export function run(args: readonly string[], expected = 0): void {
  console.log(`$ echelon ${args.join(' ')}`);
  const { status } = spawnSync(join(REPO, 'bin/echelon'), args, { cwd: REPO, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === expected) return;
  console.error(`the demo expected exit code ${expected}, not ${status}`);
  process.exit(1);
}

interface Shown {
  readonly env?: Env;
  readonly expected?: number;
  /** How many lines of a longer output are shown, including the last. */
  readonly lines?: number;
  readonly cwd?: string;
  /** Whether to hide standard error. */
  readonly quiet?: boolean;
}

const SHOWN_LINES = 8;

/** Runs a command and shows the first lines and the last of a long output. */
export function runShort(args: readonly string[], shown: Shown = {}): void {
  const { env = {}, expected = 0, lines: most = SHOWN_LINES, cwd = REPO, quiet = false } = shown;
  console.log(`$ echelon ${args.join(' ')}`);
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(join(REPO, 'bin/echelon'), args, options);
  console.log(shorten(stdout, most));
  if (stderr !== '' && (!quiet || status !== expected)) console.error(stderr.trimEnd());
  if (status !== expected) throw new Error(`the demo expected exit code ${expected}, not ${status}`);
}

/** The first lines of a long output and its last. */
export function shorten(output: string, most: number): string {
  const lines = output.trimEnd().split('\n');
  const cut = [...lines.slice(0, Math.max(most - 2, 0)), `… ${lines.length - most + 1} more lines`, lines.at(-1)];
  return (lines.length > most ? cut : lines).join('\n');
}

const INTEGRATION_CLUSTERS = ['app-sre-prod-01', 'app-sre-prod-02', 'app-sre-stage-01', 'edge-lab-01'];

/** Runs a simulator while `act` runs, which gets the output that it printed when it was ready. */
export async function withServer(
  args: readonly string[],
  isReady: (told: string) => boolean,
  act: (told: string) => void | Promise<void>,
): Promise<void> {
  console.log(`$ echelon ${args.join(' ')} &`);
  const sim = spawn(join(REPO, 'bin/echelon'), args, { cwd: REPO, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const told = await new Promise<string>((resolve, reject) => {
      let text = '';
      sim.once('exit', (code) => reject(new Error(`echelon ${args.join(' ')} ended with ${code}`)));
      sim.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (isReady(text)) resolve(text);
      });
    });
    await act(told);
  } finally {
    sim.removeAllListeners('exit');
    sim.kill();
  }
}

/** Runs simulated clusters while `act` runs. */
export async function withClusters(scratch: string, act: (env: Env) => void | Promise<void>): Promise<void> {
  const kubeconfig = join(scratch, 'kubeconfig');
  const names = INTEGRATION_CLUSTERS.join(',');
  const args = ['sim', 'kube', '--any-namespace', '--clusters', names, '--kubeconfig', kubeconfig];
  const isReady = (told: string): boolean => told.split('\n').length > INTEGRATION_CLUSTERS.length;
  await withServer(args, isReady, () => act({ KUBECONFIG: kubeconfig }));
}

/** A temporary folder. */
export async function withScratch(act: (scratch: string) => void | Promise<void>): Promise<void> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'echelon-demo-')));
  try {
    await act(scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** A copy of the example instance. */
export async function withCopy(act: (copy: string, scratch: string) => void | Promise<void>): Promise<void> {
  await withScratch(async (scratch) => {
    cpSync(join(REPO, EXAMPLE), join(scratch, 'instance'), { recursive: true });
    await act(join(scratch, 'instance'), scratch);
  });
}
