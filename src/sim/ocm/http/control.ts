import * as z from 'zod';
import { defined, EchelonError, isJson } from '../../../base/index.ts';
import type { SimClock } from '../clock.ts';
import { DAY, parseInstant } from '../instants.ts';
import type { World } from '../world/world.ts';
import { makeHappen } from './events.ts';
import { type Faults, parseFault } from './faults.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { RequestLog } from './requests.ts';
import type { OfflineToken } from './tokens.ts';

/** The path of the simulator's own API; it needs no login. */
export const CONTROL_PATH = '/_sim';

/** The simulator's control API. */
interface Controls {
  readonly worlds: ReadonlyMap<string, World>;
  readonly clock: SimClock;
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** Of the users of all environments, as `ocm login --token` takes them. */
  offlineTokens(): readonly OfflineToken[];
  advanceTo(moment: Date): Promise<void>;
}

type Work = (controls: Controls, body: unknown) => unknown | Promise<unknown>;

const WORK: Readonly<Record<string, Work>> = {
  'GET /_sim/state': ({ worlds, clock }) => stateOf(worlds, clock),
  'POST /_sim/advance': advance,
  'GET /_sim/faults': ({ faults }) => ({ faults: faults.list() }),
  'POST /_sim/faults': ({ faults }, body) => {
    faults.add(parseFault(body));
    return { faults: faults.list() };
  },
  'DELETE /_sim/faults': ({ faults }) => {
    faults.clear();
    return { faults: [] };
  },
  'GET /_sim/requests': ({ requests }) => ({ requests: requests.all }),
  'DELETE /_sim/requests': ({ requests }) => {
    requests.clear();
    return { requests: [] };
  },
  'GET /_sim/offline-tokens': ({ offlineTokens }) => ({ tokens: offlineTokens() }),
  'POST /_sim/events': (controls, body) => {
    makeHappen(controls.worlds, body);
    return { now: controls.clock.now().toISOString() };
  },
};

export async function control(controls: Controls, method: string, path: string, body: string): Promise<Reply> {
  const work = WORK[`${method} ${path.replace(/\/+$/, '')}`];
  if (work === undefined) return jsonReply(404, { error: `${method} ${path} not found`, try: Object.keys(WORK) });
  try {
    for (const world of controls.worlds.values()) world.advanceTo(controls.clock.now());
    return jsonReply(200, await work(controls, body.trim() === '' ? {} : JSON.parse(body)));
  } catch (thrown) {
    if (thrown instanceof EchelonError || thrown instanceof SyntaxError || thrown instanceof z.ZodError)
      return jsonReply(400, { error: thrown.message });
    throw thrown;
  }
}

/** `{"to": "2026-03-09T06:00:00Z"}`, or any of `days`, `hours` and `minutes`. */
async function advance({ clock, advanceTo }: Controls, body: unknown): Promise<{ now: string }> {
  await advanceTo(momentIn(clock, isJson(body) ? body : {}));
  return { now: clock.now().toISOString() };
}

function momentIn(clock: SimClock, { to, days = 0, hours = 0, minutes = 0 }: Readonly<Record<string, unknown>>): Date {
  if (to !== undefined) return new Date(parseInstant(String(to)) ?? Number.NaN);
  const ahead = Number(days) + Number(hours) / 24 + Number(minutes) / (24 * 60);
  return new Date(clock.now().getTime() + Math.round(ahead * DAY));
}

/** An overview of the state. */
function stateOf(worlds: ReadonlyMap<string, World>, clock: SimClock) {
  const environments = [...worlds.values()].map((world) => ({
    name: world.environment,
    clusters: [...world.state.clusters.all()].map((cluster) => ({
      name: cluster.name,
      id: cluster.id,
      organization: world.state.organizations.get(cluster.organizationId)?.name,
      version: cluster.version,
      channel: cluster.channel,
      state: cluster.state,
      health: cluster.health,
      policies: world.state.policies.by('cluster', cluster.id).map(({ target, version, state, nextRun }) => ({
        kind: target.kind,
        ...defined({ node_pool: target.nodePool }),
        version,
        state,
        next_run: new Date(nextRun).toISOString(),
      })),
    })),
  }));
  return { now: clock.now().toISOString(), environments };
}
