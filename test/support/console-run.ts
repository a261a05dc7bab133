import type { ConsoleFlags } from '../../src/cli/commands/console/commands.ts';
import { openConsole } from '../../src/cli/commands/console/console.ts';
import { clockOf } from '../../src/cli/commands/upgrades/simulated-clock.ts';
import { contextOf } from '../../src/cli/context.ts';
import type { Io } from '../../src/cli/io.ts';
import type { ManagerRun } from './manager-run.ts';
import { testHelm } from './render-chart.ts';
import { REPO } from './shared.ts';
import { until } from './until.ts';
import { type UpgradesCli, upgradesCli } from './upgrades-cli.ts';

/** A console in this process, on a free port. */
export interface ConsoleRun {
  /** Without a slash at the end. */
  readonly url: string;
  readonly output: { stdout: string; stderr: string };
  /** Waits until both halves have been looked at, and the forecast is made. */
  ready(headers?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends it as Ctrl-C does; the exit code. */
  stop(): Promise<number>;
}

export const CONSOLE_FLAGS: ConsoleFlags = { listen: '127.0.0.1:0', refresh: 3_600, days: 30, cache: true };

/** Starts a console; what it throws before it listens is thrown here. */
export async function runConsole(
  io: Pick<Io, 'env' | 'cwd'>,
  flags: Partial<ConsoleFlags>,
  clock?: { now(): Date },
): Promise<ConsoleRun> {
  const ended = new AbortController();
  const output = { stdout: '', stderr: '' };
  const write = (name: keyof typeof output) => ({
    isTTY: false,
    write: (text: string) => {
      output[name] += text;
    },
  });
  const given: Io = { ...io, stdout: write('stdout'), stderr: write('stderr'), signal: ended.signal };
  const running = openConsole(contextOf(given, {}, clock ?? clockOf(given.env)), { ...CONSOLE_FLAGS, ...flags });
  let hasEnded = false;
  const noteEnd = (): void => {
    hasEnded = true;
  };
  running.then(noteEnd, noteEnd);
  const said = until(() => hasEnded || /^console on (\S+)\/ \(press Ctrl-C to stop\)\n$/.exec(output.stdout), {
    what: 'the console listens',
  });
  const listening = await said;
  const url = listening === true ? await running.then(() => '') : (listening[1] ?? '');
  return {
    url,
    output,
    ready: (headers = {}) => untilReady(url, headers),
    stop: () => {
      ended.abort();
      return running;
    },
  };
}

interface HalfJson {
  readonly state: string;
  readonly forecast?: { readonly state: string };
}

async function untilReady(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  await until(
    async () => {
      const response = await fetch(`${url}/overview.json`, { headers });
      const { upgrades, shards } = (await response.json()) as Record<'upgrades' | 'shards', HalfJson>;
      return upgrades.state !== 'waiting' && shards.state !== 'waiting' && upgrades.forecast?.state !== 'making';
    },
    { what: 'the first look is over' },
  );
}

/** A console on a simulated OCM, with nothing to see of shards. */
export interface FleetConsole extends ConsoleRun {
  readonly cli: UpgradesCli;
  dispose(): Promise<void>;
}

export async function fleetConsole(fleet: unknown, flags: Partial<ConsoleFlags> = {}): Promise<FleetConsole> {
  const cli = await upgradesCli(fleet);
  const run = await runConsole(cli.io, { configFile: 'upgrades.yml', ...flags }, cli.clock);
  await run.ready();
  return {
    ...run,
    cli,
    dispose: async () => {
      await run.stop();
      await cli.dispose();
    },
  };
}

/** What a console needs to see the shards of a fleet. */
export function shardsEnvironment({ manager }: { readonly manager: ManagerRun }, helm: string): Record<string, string> {
  return {
    KUBECONFIG: manager.path('kubeconfig'),
    HELM_BIN: helm,
    XDG_CACHE_HOME: manager.path('cache'),
    ECHELON_DATA: manager.path('instance'),
  };
}

/** A console of the shards of a fleet that has made its first observation. */
export async function consoleOf(
  fleet: { readonly manager: ManagerRun },
  flags: Partial<ConsoleFlags> = {},
  more: Readonly<Record<string, string>> = {},
  clock?: { now(): Date },
): Promise<ConsoleRun> {
  const env = { ...shardsEnvironment(fleet, await testHelm()), ...more };
  const run = await runConsole({ env, cwd: REPO }, flags, clock);
  await run.ready();
  return run;
}
