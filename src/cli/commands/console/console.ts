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
import { parseListen, protectionOf, servePages } from '../../../runtime/index.ts';
import { faultOf } from '../../../upgrades/index.ts';
import { type Context, rewired } from '../../context.ts';
import { EXIT, type Output } from '../../io.ts';
import { pinsOf } from '../images/pins.ts';
import { withManager } from '../manager/open.ts';
import { promotionPorts } from '../promotion/ports.ts';
import { openReadOnly } from '../upgrades/apply.ts';
import type { ConsoleFlags } from './commands.ts';
import { forecastBeside } from './forecast-thread.ts';

/** Serves the console until it is interrupted. Read-only. */
export async function openConsole(given: Context, flags: ConsoleFlags): Promise<number> {
  const secrets = new Secrets();
  const ctx: Context = {
    ...given,
    onSecret: (secret) => {
      secrets.add(secret);
      given.onSecret?.(secret);
    },
  };
  const { clock } = ctx;
  const listen = parseListen(flags.listen);
  const onProblem = (message: string): void => ctx.err.line(`error: ${message}`);
  const protection = protectionOf({ ...ctx, onProblem }, flags, listen);
  const watch = createWatch({
    upgrades: flags.only === 'shards' ? DISABLED : upgradesOf(ctx, flags),
    shards: flags.only === 'upgrades' ? DISABLED : shardsSource(ctx, flags),
    refreshSeconds: flags.refresh,
    links: (flags.link ?? []).map(parseShardLink),
    clock,
    sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }),
    signal: ctx.signal,
    onChange: (half, failed) => ctx.err.line(`${half}: ${failed ?? 'works again'}`),
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
    ctx.out.write(`console on ${server.url} (press Ctrl-C to stop)\n`);
    await watch.run();
  } finally {
    await server.close();
  }
  return EXIT.ok;
}

function upgradesOf(ctx: Context, flags: ConsoleFlags): Observe<UpgradesData> {
  return observeUpgrades({
    open: (signal) => openReadOnly({ ...ctx, signal }, flags),
    forecast: forecastBeside,
    ...{ days: flags.days, clock: ctx.clock, named: namedSources(flags, ctx.env) },
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
function shardsSource(ctx: Context, flags: ConsoleFlags): Observe<ShardsData> {
  const known = knownDistances();
  return async (signal, early) => {
    const quiet = rewired(ctx, { signal, stdout: SILENT, stderr: SILENT });
    try {
      const fleet = await withManager(quiet, flags, { readOnly: true }, ({ during }) =>
        during((manager) => manager.status()),
      );
      if (fleet.groups.length === 0)
        return { kind: 'absent', message: 'The instance has no integration to operate.', hint: CONFIGURE };
      const { pins } = await pinsOf(quiet, async () => fleet.instance).list({});
      const operated = new Set(fleet.groups.map(({ namespace }) => targetOf(namespace)));
      const data = (versions: readonly ListedVersion[]) => shardsData(fleet, { pins, versions });
      const versions = await listVersions({ ...promotionPorts(quiet), lineChanges }, fleet.instance, {
        ...{ known, clone: flags.upstreamClone, onEarly: (listed) => early(data(listed)) },
        isOperated: ({ namespace }) => operated.has(targetOf(namespace)),
        asksForge: (url) => isForgeConfigured(url, ctx.env),
      });
      return { kind: 'seen', data: data(versions) };
    } catch (thrown) {
      const nothingNamed = flags.data === undefined && !ctx.env['ECHELON_DATA'];
      if (!(thrown instanceof EchelonError) || thrown.code !== 'INSTANCE_NOT_FOUND' || !nothingNamed) throw thrown;
      return { kind: 'absent', message: 'No instance is configured.', hint: CONFIGURE };
    }
  };
}
