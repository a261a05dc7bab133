import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { count, defined, EchelonError, messageOf, type Table, textTable } from '../../../base/index.ts';
import {
  badImagesIn,
  type FleetFile,
  loadFleet,
  manualClock,
  runningClock,
  type SimEnvironment,
  type SimOcm,
  type SimulatedTimeline,
  simKubeconfig,
  simNames,
  simulateFleet,
  startSimClusters,
  startSimOcm,
  timelineTables,
} from '../../../sim/index.ts';

import type { Context } from '../../context.ts';
import { EXIT, interruption } from '../../io.ts';
import { document, documentWriters, print, type Writer, type Writers } from '../../output/formats.ts';
import { progressOn } from '../../output/terminal.ts';
import type { SimKubeFlags, SimOcmFlags, SimulateFlags } from './commands.ts';

const DEFAULT_CLUSTER = 'sim';

/** Serves simulated Kubernetes clusters until it is interrupted. */
export async function simKube(ctx: Context, flags: SimKubeFlags): Promise<number> {
  const names = simNames(flags.clusters, '--clusters');
  const namespaces = simNames(flags.namespaces, '--namespaces');
  const badImages = badImagesIn(flags.badImage ?? []);
  if (flags.token !== undefined) ctx.onSecret?.(flags.token);
  const clusters = await startSimClusters(names.length === 0 ? [DEFAULT_CLUSTER] : names, {
    ...{ namespaces, badImages, anyNamespace: flags.anyNamespace ?? false },
    ...defined({ port: flags.port, token: flags.token }),
  });
  try {
    if (flags.kubeconfig !== undefined) {
      const text = await document('yaml', simKubeconfig(clusters, flags.token));
      writeKubeconfig(resolve(ctx.cwd, flags.kubeconfig), text);
    }
    for (const { name, sim } of clusters) ctx.out.write(`${name} ${sim.url}\n`);
    if (flags.token !== undefined) ctx.err.write('kubectl sends no token over http; omit --token to use kubectl\n');
    await interruption(ctx.signal);
  } finally {
    await Promise.all(clusters.map(({ sim }) => sim.close()));
  }
  return EXIT.ok;
}

/** Readable by its owner only: it may hold the token. */
function writeKubeconfig(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new EchelonError({
      code: 'KUBECONFIG_NOT_WRITTEN',
      message: `cannot write ${file}: ${messageOf(cause)}`,
      hint: 'pass another file with --kubeconfig',
      cause,
    });
  }
}

/** Serves a simulated OCM until it is interrupted. */
export async function simOcm(ctx: Context, flags: SimOcmFlags): Promise<number> {
  const real = flags.clock === 'real';
  if (!real && flags.speed !== undefined) throw speedOfVirtual();
  const started = Date.now();
  const clock = real ? runningClock(flags.speed ?? 1, Date.now, started) : undefined;
  const fleet = await loadFleet(resolve(ctx.cwd, flags.fleet), clock === undefined ? {} : { start: clock.now() });
  const sim = await startSimOcm({
    fleet,
    clock: clock ?? manualClock(new Date(fleet.start)),
    ...defined({ port: flags.port, seed: flags.seed, latencyMs: flags.latency }),
  });
  try {
    await print(ctx, OCM_WRITERS, flags.output, { flags, fleet, sim, started });
    await interruption(ctx.signal);
  } finally {
    await sim.close();
  }
  return EXIT.ok;
}

interface Serving {
  readonly flags: SimOcmFlags;
  readonly fleet: FleetFile;
  readonly sim: SimOcm;
  /** When a real clock began to run faster, in milliseconds. */
  readonly started: number;
}

const OCM_WRITERS: Writers<Serving, SimOcmFlags['output']> = {
  table: ({ out, err }, serving) => {
    const { sim } = serving;
    const rows = environmentsOf(sim).map((each) => [each.name, each.url, clientsOf(each).join(', ') || '-']);
    out.write(textTable(['ENVIRONMENT', 'URL', 'CLIENTS'], rows, out.paint));
    err.write(notes(serving));
  },
  ...documentWriters('SimulatedOcm', ({ flags, sim, started }: Serving) => ({
    clock: flags.clock,
    ...defined({ simClock: simClockOf(flags, started) }),
    items: environmentsOf(sim).map((each) => ({
      name: each.name,
      url: each.url,
      tokenUrl: each.tokenUrl,
      telemetryUrl: each.telemetryUrl,
      clients: clientsOf(each),
    })),
  })),
};

function environmentsOf({ environments }: SimOcm): SimEnvironment[] {
  return [...environments.values()];
}

/** Secrets are not printed; they are in the fleet file. */
function notes({ flags, fleet, sim, started }: Serving): string {
  const organizations = fleet.environments.flatMap((environment) => environment.organizations);
  const clusters = organizations.flatMap((organization) => organization.clusters);
  const simClock = simClockOf(flags, started);
  const lines = [
    `${count(clusters.length, 'cluster')} of ${count(organizations.length, 'organization')}; client secrets are in ${flags.fleet}`,
    `tokens: POST ${new URL(sim.tokenUrl).pathname} in each environment`,
    flags.clock === 'virtual'
      ? `simulated time is ${sim.world.now().toISOString()}; advance it with: curl -d '{"days":1}' ${sim.url}/_sim/advance`
      : `simulated time starts now and runs ${flags.speed ?? 1} times as fast as real time`,
    ...(simClock === undefined
      ? []
      : [`run other commands with ECHELON_SIM_CLOCK='${simClock}', so that they see that time`]),
    `see ${sim.url}/_sim/state, /_sim/requests and /_sim/faults; stop with Ctrl-C`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The value of ECHELON_SIM_CLOCK with which other commands see the same time. */
function simClockOf({ speed = 1 }: SimOcmFlags, started: number): string | undefined {
  return speed === 1 ? undefined : `${new Date(started).toISOString()}*${speed}`;
}

function clientsOf({ world }: SimEnvironment): string[] {
  return world.accounts.flatMap(({ clientId }) => clientId ?? []);
}

function speedOfVirtual(): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: '--speed requires --clock real',
    hint: 'pass --clock real, or omit --speed and advance the virtual clock yourself',
  });
}

/** Runs the scheduler on a simulated fleet for some days, and shows what happened. */
export async function simulate(ctx: Context, flags: SimulateFlags): Promise<number> {
  const { days, every, seed } = flags;
  const fleet = await loadFleet(resolve(ctx.cwd, flags.fleet));
  const progress = progressOn(ctx);
  const options = { days, every, ...defined({ seed }), signal: ctx.signal, onStep: progress.step };
  const timeline = await simulateFleet(fleet, options).finally(() => progress.end());
  await print(ctx, SIMULATION_WRITERS, flags.output, { timeline, days });
  return EXIT.ok;
}

interface Simulated {
  readonly timeline: SimulatedTimeline;
  readonly days: number;
}

const SIMULATION_WRITERS: Writers<Simulated, SimulateFlags['output']> = {
  table: inText({ wide: false }),
  wide: inText({ wide: true }),
  ...documentWriters('Timeline', ({ timeline }: Simulated) => timeline),
};

function inText({ wide }: { readonly wide: boolean }): Writer<Simulated> {
  return ({ out }, { timeline, days }) => {
    const { paint } = out;
    const { upgraded, waiting, notices } = timelineTables(timeline, wide);
    const draw = ({ titles, rows }: Table): string => textTable(titles, rows, paint, out.style());
    const heading = `${count(timeline.clusters, 'cluster')}, ${days} days, ${timeline.passes} passes`;
    out.write(`${paint('bold', heading)}\n\n${draw(upgraded)}`);
    if (waiting.rows.length > 0) out.write(`\n${paint('bold', 'Waiting at the end:')}\n${draw(waiting)}`);
    if (notices.rows.length > 0) out.write(`\n${paint('bold', 'Notices to users:')}\n${draw(notices)}`);
  };
}
