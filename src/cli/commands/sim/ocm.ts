import { resolve } from 'node:path';
import { count, defined, EchelonError, textTable } from '../../../base/index.ts';
import {
  type FleetFile,
  loadFleet,
  manualClock,
  runningClock,
  type SimEnvironment,
  type SimOcm,
  startSimOcm,
} from '../../../sim/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { interruption } from '../../interruption.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';

export interface SimOcmFlags {
  readonly fleet: string;
  readonly port?: number;
  readonly clock: 'virtual' | 'real';
  /** Simulated seconds per real second, with a real clock. */
  readonly speed?: number;
  readonly seed?: number;
  readonly latency?: number;
  readonly output: Format;
  readonly color?: boolean;
}

/** Serves a simulated OCM until it is interrupted. */
export async function simOcm(io: Io, flags: SimOcmFlags): Promise<number> {
  const announce = writerFor(WRITERS, flags.output, 'sim ocm');
  const real = flags.clock === 'real';
  if (!real && flags.speed !== undefined) throw speedOfVirtual();
  const started = Date.now();
  const clock = real ? runningClock(flags.speed ?? 1, Date.now, started) : undefined;
  const fleet = await loadFleet(resolve(io.cwd, flags.fleet), clock === undefined ? {} : { start: clock.now() });
  const sim = await startSimOcm({
    fleet,
    clock: clock ?? manualClock(new Date(fleet.start)),
    ...defined({ port: flags.port, seed: flags.seed, latencyMs: flags.latency }),
  });
  try {
    await announce(io, { flags, fleet, sim, started }, paintFor(io.stdout, io.env, flags.color));
    await interruption(io.signal);
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

const WRITERS: Writers<Serving> = {
  table: (io, serving, paint) => {
    const { sim } = serving;
    const rows = environmentsOf(sim).map((each) => [each.name, each.url, clientsOf(each).join(', ') || '-']);
    io.stdout.write(textTable(['ENVIRONMENT', 'URL', 'CLIENTS'], rows, paint));
    io.stderr.write(notes(serving));
  },
  wide: undefined,
  ...documentWriters(({ flags, sim, started }: Serving) => ({
    apiVersion: API_VERSION,
    kind: 'SimulatedOcm',
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
  name: undefined,
  markdown: undefined,
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

/** What other commands need to know to see the same time. */
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
