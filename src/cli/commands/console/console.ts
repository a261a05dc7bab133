import { setTimeout as sleepFor } from 'node:timers/promises';
import { Secrets } from '../../../base/index.ts';
import { clockOf, type PlanClock } from '../../../clients/ocm/index.ts';
import {
  createWatch,
  FEED_PATH,
  namedSources,
  type Observe,
  observeUpgrades,
  parseShardLink,
  respond,
  SECURITY_HEADERS,
  STRICT_TRANSPORT,
  type UpgradesData,
} from '../../../console/index.ts';
import { instantOf } from '../../../gates/index.ts';
import { type ProtectionFlags, parseListen, protectionOf, servePages } from '../../../runtime/index.ts';
import { faultOf } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { line } from '../../output/terminal.ts';
import type { FleetFlags } from '../manager/flags.ts';
import { openReadOnly } from '../upgrades/plan.ts';
import type { SourceFlags } from '../upgrades/ports.ts';
import { forecastBeside } from './forecast-thread.ts';
import { shardsSource } from './shards-source.ts';

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
