import { setTimeout as sleepFor } from 'node:timers/promises';
import { EchelonError, Secrets } from '../../../base/index.ts';
import { isForgeConfigured } from '../../../clients/forge/index.ts';
import { lineChanges } from '../../../clients/git/index.ts';
import {
  createWatch,
  FEED_PATH,
  namedSources,
  type Observe,
  observeUpgrades,
  parseShardLink,
  respond,
  SECURITY_HEADERS,
  type ShardsData,
  STRICT_TRANSPORT,
  shardsData,
  type UpgradesData,
} from '../../../console/index.ts';
import { instantOf } from '../../../gates/index.ts';
import { targetOf } from '../../../manager/index.ts';
import { knownDistances, type ListedVersion, listVersions } from '../../../promotion/index.ts';
import { type ProtectionFlags, parseListen, protectionOf, servePages } from '../../../runtime/index.ts';
import { faultOf } from '../../../upgrades/index.ts';
import { EXIT, type Io, type Output } from '../../io.ts';
import { line } from '../../output/terminal.ts';
import { pinsOf } from '../images/pins.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { withManager } from '../manager/open.ts';
import { promotionPorts } from '../promotion/ports.ts';
import { openReadOnly } from '../upgrades/apply.ts';
import type { SourceFlags } from '../upgrades/ports.ts';
import { clockOf, type PlanClock } from '../upgrades/simulated-clock.ts';
import { forecastBeside } from './forecast-thread.ts';

export type ConsoleHalf = 'upgrades' | 'shards';

export interface ConsoleFlags extends SourceFlags, Omit<FleetFlags, 'output'>, ProtectionFlags {
  /** How far ahead the forecast goes. */
  readonly days: number;
  readonly listen: string;
  /** Seconds between two observations. */
  readonly refresh: number;
  readonly only?: ConsoleHalf;
  readonly link?: readonly string[];
}

/** Serves the console until it is interrupted. Read-only. */
export async function openConsole(
  given: Io,
  flags: ConsoleFlags,
  clock: PlanClock = clockOf(given.env),
): Promise<number> {
  const secrets = new Secrets();
  const io: Io = {
    ...given,
    onSecret: (secret) => {
      secrets.add(secret);
      given.onSecret?.(secret);
    },
  };
  const listen = parseListen(flags.listen);
  const onProblem = (message: string): void => void io.stderr.write(line(`error: ${message}`));
  const protection = protectionOf({ ...io, onProblem }, flags, listen);
  const watch = createWatch({
    upgrades: flags.only === 'shards' ? DISABLED : upgradesOf(io, flags, clock),
    shards: flags.only === 'upgrades' ? DISABLED : shardsSource(io, { ...flags, output: 'table' }, clock),
    refreshSeconds: flags.refresh,
    links: (flags.link ?? []).map(parseShardLink),
    clock,
    sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }),
    signal: io.signal,
    onChange: (half, failed) => io.stderr.write(line(`${half}: ${failed ?? 'works again'}`)),
  });
  const answer = (request: { readonly method: string; readonly target: string }) => {
    const response = respond(request, watch.state(), instantOf(clock.now().getTime()));
    return { ...response, body: secrets.redact(response.body) };
  };
  const onFault = (thrown: unknown): void => onProblem(faultOf(thrown).message);
  const headers = { always: SECURITY_HEADERS, secure: STRICT_TRANSPORT };
  const feed = { path: FEED_PATH, current: watch.current, subscribe: watch.subscribe };
  const server = await servePages({ listen, ...protection, headers, respond: answer, feed, onFault, onProblem });
  try {
    io.stdout.write(`console on ${server.url} (press Ctrl-C to stop)\n`);
    await watch.run();
  } finally {
    await server.close();
  }
  return EXIT.ok;
}

function upgradesOf(io: Io, flags: ConsoleFlags, clock: PlanClock): Observe<UpgradesData> {
  return observeUpgrades({
    open: (signal) => openReadOnly({ ...io, signal }, flags, clock),
    forecast: forecastBeside,
    ...{ days: flags.days, clock, named: namedSources(flags, io.env) },
  });
}

const DISABLED: Observe<never> = async () => ({
  kind: 'absent',
  message: 'Disabled for this console.',
  hint: 'start it without --only',
});

/** No progress output: no user waits for an observation. */
const SILENT: Output = { isTTY: false, write: () => undefined };

const CONFIGURE = 'pass a data repository, a bundle or a qontract-server with --data; see docs/guide/operating.md';

/** Observes the instance and the clusters that its integrations run on. The transport refuses every write. */
function shardsSource(io: Io, flags: FleetFlags, clock: PlanClock): Observe<ShardsData> {
  const known = knownDistances();
  return async (signal, early) => {
    const quiet: Io = { ...io, signal, stdout: SILENT, stderr: SILENT, now: () => clock.now() };
    try {
      const fleet = await withManager(quiet, flags, { readOnly: true }, ({ during }) =>
        during((manager) => manager.status()),
      );
      if (fleet.groups.length === 0)
        return { kind: 'absent', message: 'The instance has no integration to operate.', hint: CONFIGURE };
      const { pins } = await pinsOf(async () => fleet.instance, { now: () => clock.now() }).list({});
      const operated = new Set(fleet.groups.map(({ namespace }) => targetOf(namespace)));
      const data = (versions: readonly ListedVersion[]) => shardsData(fleet, { pins, versions });
      const versions = await listVersions({ ...promotionPorts(quiet), lineChanges }, fleet.instance, {
        ...{ known, clone: flags.upstreamClone, onEarly: (listed) => early(data(listed)) },
        isOperated: ({ namespace }) => operated.has(targetOf(namespace)),
        asksForge: (url) => isForgeConfigured(url, io.env),
      });
      return { kind: 'seen', data: data(versions) };
    } catch (thrown) {
      const nothingNamed = flags.data === undefined && !io.env['ECHELON_DATA'];
      if (!(thrown instanceof EchelonError) || thrown.code !== 'INSTANCE_NOT_FOUND' || !nothingNamed) throw thrown;
      return { kind: 'absent', message: 'No instance is configured.', hint: CONFIGURE };
    }
  };
}
