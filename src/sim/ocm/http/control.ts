import * as z from 'zod';
import { defined, EchelonError, isJson } from '../../../base/index.ts';
import type { SimClock } from '../clock.ts';
import { fleetChange } from '../fleet/expand-events.ts';
import { DAY, parseInstant } from '../instants.ts';
import { CLUSTER_STATES, HEALTH_STATES, SUBSCRIPTION_STATUSES } from '../model.ts';
import type { World } from '../world/world.ts';
import { type Faults, parseFault } from './faults.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { RequestLog } from './requests.ts';

/** The path of the simulator's own API; it needs no login. */
export const CONTROL_PATH = '/_sim';

/** The simulator's control API. */
interface Controls {
  readonly worlds: ReadonlyMap<string, World>;
  readonly clock: SimClock;
  readonly faults: Faults;
  readonly requests: RequestLog;
  advanceTo(moment: Date): Promise<void>;
}

const labels = z.record(z.string(), z.union([z.string(), z.null()]));

const event = z.strictObject({
  environment: z.string().exactOptional(),
  cluster: z.string().exactOptional(),
  organization: z.string().exactOptional(),
  health: z.enum(HEALTH_STATES).exactOptional(),
  state: z.enum(CLUSTER_STATES).exactOptional(),
  status: z.enum(SUBSCRIPTION_STATUSES).exactOptional(),
  labels: labels.exactOptional(),
  aus: labels.exactOptional(),
  remove: z.literal(true).exactOptional(),
  release: z.string().exactOptional(),
  withdraw: z.string().exactOptional(),
});

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
  'POST /_sim/events': (controls, body) => {
    makeHappen(controls, body);
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

/** What the events of a fleet file, now; and releases, which need not be in the fleet. */
function makeHappen({ worlds }: Controls, body: unknown): void {
  const { release, withdraw, environment, cluster, organization, ...change } = event.parse(body);
  const chosen = [...worlds.values()].filter((world) => environment === undefined || world.environment === environment);
  for (const world of chosen) {
    if (release !== undefined) world.releaseVersion(release);
    if (withdraw !== undefined) world.withdrawVersion(withdraw);
    if (organization !== undefined && world.state.organizations.get(organization) !== undefined)
      world.apply(fleetChange(change, { type: 'Organization', id: organization }));
  }
  if (cluster === undefined) return;
  const { world, id } = findCluster(chosen, cluster);
  world.apply(fleetChange(change, { type: 'Cluster', id }));
}

function findCluster(worlds: readonly World[], reference: string): { world: World; id: string } {
  const failures: unknown[] = [];
  for (const world of worlds) {
    try {
      return { world, id: world.cluster(reference).id };
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  throw (
    failures[0] ??
    new EchelonError({
      code: 'SIM_ENVIRONMENT_UNKNOWN',
      message: 'unknown environment',
      hint: 'use an environment of the fleet',
    })
  );
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
