import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../src/base/index.ts';
import type { Io, Output } from '../../src/cli/io.ts';
import { shownText } from '../../src/cli/output/terminal.ts';
import { manualClock, parseFleet, type RecordedRequest, type SimOcm, startSimOcm } from '../../src/sim/index.ts';
import type { Ran, RunOptions } from './run-cli.ts';

export const SIM_SECRET = 'a-client-secret-that-nobody-may-see';

/** A simulated OCM over HTTP, a folder of its own, and what a user would see. */
export interface UpgradesCli {
  readonly sim: SimOcm;
  readonly folder: string;
  readonly io: Io;
  readonly clock: { now(): Date };
  /** Everything that was written to standard output and standard error, all of it together. */
  readonly written: { stdout: string; stderr: string };
  /** What was written since the last time. */
  take(): { stdout: string; stderr: string };
  write(name: string, text: string): string;
  /** Requests that would change something; tokens are no change. */
  writes(): string[];
  dispose(): Promise<void>;
}

export interface UpgradesCliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** A clock that runs, for what reads the time of the machine. */
  readonly clock?: { now(): Date };
  readonly ask?: Io['ask'];
}

export async function upgradesCli(fleet: unknown, options: UpgradesCliOptions = {}): Promise<UpgradesCli> {
  const start = options.clock?.now();
  const parsed = parseFleet(withClient(fleet), start === undefined ? {} : { start });
  const clock = options.clock ?? manualClock(new Date(parsed.start));
  const sim = await startSimOcm({ fleet: parsed, clock });
  const folder = mkdtempSync(join(tmpdir(), 'echelon-upgrades-'));
  const all = { stdout: '', stderr: '' };
  let seen = { stdout: 0, stderr: 0 };
  const output = (name: keyof typeof all) => ({
    isTTY: false,
    write: (text: string) => {
      all[name] += text;
    },
  });
  const io: Io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: { OCM_SECRET: SIM_SECRET, HOME: folder, ...options.env },
    cwd: folder,
    signal: options.signal ?? new AbortController().signal,
    ...defined({ ask: options.ask }),
  };
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  write('upgrades.yml', configText(sim));
  return {
    ...{ sim, folder, io, clock, written: all, write },
    take: () => {
      const taken = { stdout: all.stdout.slice(seen.stdout), stderr: all.stderr.slice(seen.stderr) };
      seen = { stdout: all.stdout.length, stderr: all.stderr.length };
      return taken;
    },
    writes: () => sim.requests.filter(isWrite).map(({ method, path }) => `${method} ${path}`),
    dispose: async () => {
      await sim.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isWrite({ method, collection }: RecordedRequest): boolean {
  return method !== 'GET' && collection !== 'token';
}

/** Runs an action of the command line as a user with these options would. */
export async function runUpgrades(
  { io }: Pick<UpgradesCli, 'io'>,
  act: (io: Io) => Promise<number>,
  { env, onStdout, onStderr, size, columns, tty, ...options }: RunOptions = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written, on: ((text: string) => void) | undefined): Output => ({
    isTTY: tty ?? false,
    get columns() {
      return size?.columns ?? columns;
    },
    get rows() {
      return size?.rows;
    },
    write: (text) => {
      written[name] += shownText(text);
      on?.(shownText(text));
    },
  });
  const code = await act({
    ...{ ...io, ...defined(options), env: { ...io.env, ...env } },
    stdout: output('stdout', onStdout),
    stderr: output('stderr', onStderr),
  });
  return { code, ...written };
}

/** Every environment gets a service that may log in with the secret. */
function withClient(fleet: unknown): unknown {
  const given = fleet as { environments: { accounts?: unknown[]; organizations: { id: string }[] }[] };
  const environments = given.environments.map((environment) => ({
    ...environment,
    accounts: [
      {
        username: 'robot',
        client_id: 'robot',
        client_secret: SIM_SECRET,
        organization: environment.organizations[0]?.id,
      },
    ],
  }));
  return { ...given, environments };
}

/** A configuration for all organizations, with state in a folder beside it. */
export function configText({ environments }: SimOcm, more = ''): string {
  const entries = [...environments.values()].map(
    ({ name, url, tokenUrl }) => `- name: ${name}
  url: ${url}
  tokenUrl: ${tokenUrl}
  credentials: { clientId: robot, clientSecretEnv: OCM_SECRET }
`,
  );
  return `environments:\n${entries.join('')}organizations: { allow: all }\nhealthChecks: [{ provider: ocm, enforced: true }]\nstate: state\n${more}`;
}
