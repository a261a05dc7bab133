import { type Instant, later } from '../../gates/index.ts';
import type { Context } from './context.ts';
import type { Examined } from './explain.ts';
import type { ServedCluster } from './facts.ts';
import { missingGates } from './gates/version-gate.ts';
import type { Candidate, ChannelSwitch, MissingGates, Upgrade } from './plan.ts';
import type { Rules } from './rules.ts';
import { CLUSTER_TIMING } from './schedule.ts';
import type { GateName, Verdict } from './verdict.ts';
import { isVersion, minorOf, type Version } from './versions.ts';
import { offeredChannel } from './y-stream.ts';

/** What becomes of a cluster at its turn. A fault stops the organization. */
export interface Choice {
  readonly item?: Upgrade | ChannelSwitch;
  readonly waitsFor?: GateName;
  readonly missing?: readonly MissingGates[];
  readonly fault?: string;
}

/**
 * Goes through the gates in the order in which they are decisive. That is not the order in which they are listed: a busy
 * or limited cluster is left alone altogether, while one that only waits for its window may change its channel.
 */
export function choose(examined: Examined, context: Context): Choice {
  const { own, cluster } = examined;
  const { rules } = context;
  const unreadable = examined.candidates.map((candidate) => verdictOf(candidate, 'blocked')).find(({ fault }) => fault);
  if (unreadable !== undefined && stopsAll(unreadable, rules)) return { fault: unreadable.reason };
  const hosted = cluster.hosted ? choosePool(examined, context) : undefined;
  if (hosted !== undefined) return hosted;
  const left = firstStop([own.busy, own.health], rules);
  if (left !== undefined) return left;
  const outside = firstStop([own.schedule], rules);
  if (outside !== undefined) return own.schedule.fault === undefined ? orSwitch(outside, examined) : outside;
  return firstStop([own.mutex], rules) ?? chooseVersion(examined, own.slot, context);
}

/** Nothing when the control plane is to be looked at: no node pool is behind, or its version is blocked meanwhile. */
function choosePool({ own, pool, cluster }: Examined, { rules, now }: Context): Choice | undefined {
  const busy = rules.nodePoolsFollowSchedule ? [own.busy] : [];
  const limited = firstStop([...busy, own.mutex, own.health], rules);
  if (limited !== undefined || pool === undefined) return limited;
  const upgrade = (nextRun: Instant): Choice => ({
    item: {
      action: 'upgrade',
      kind: 'node_pool',
      clusterId: cluster.id,
      version: cluster.version,
      nextRun,
      nodePool: pool.nodePool,
    },
  });
  if (!rules.nodePoolsFollowSchedule) return upgrade(later(now, CLUSTER_TIMING.lead));
  if (!verdictOf(pool, 'blocked').ok) return undefined;
  const stop = firstStop([own.schedule], rules);
  return stop !== undefined || own.slot === undefined ? stop : upgrade(own.slot);
}

function chooseVersion(examined: Examined, slot: Instant | undefined, context: Context): Choice {
  const { cluster, candidates } = examined;
  const { rules } = context;
  const unsound = candidates.find(({ version }) => !isVersion(version));
  if (unsound !== undefined && !rules.isolateFaults) return { fault: verdictOf(unsound, 'available').reason };
  const open = candidates.filter((candidate) => refusal(candidate) === undefined);
  const tried = rules.tryLowerWhenGated ? open : open.slice(0, 1);
  const chosen = tried.findIndex((candidate) => verdictOf(candidate, 'version-gate').ok);
  const missing = missingFor(cluster, chosen === -1 ? tried : tried.slice(0, chosen), context);
  const version = tried[chosen]?.version;
  if (version !== undefined && isVersion(version) && slot !== undefined)
    return { item: upgradeOf(cluster, version, slot), missing };
  if (missing.length > 0) return { waitsFor: 'version-gate', missing };
  const [best] = candidates;
  return orSwitch({ waitsFor: (best === undefined ? undefined : refusal(best)?.gate) ?? 'available' }, examined);
}

/** Per minor, the gates that kept versions from being chosen. */
function missingFor(cluster: ServedCluster, gated: readonly Candidate[], context: Context): MissingGates[] {
  const minors = new Set(gated.flatMap(({ version }) => (isVersion(version) ? [minorOf(version)] : [])));
  return [...minors].map((minor) => ({
    clusterId: cluster.id,
    minor,
    count: missingGates(cluster, minor, context).length,
  }));
}

function upgradeOf({ id, hosted }: ServedCluster, version: Version, nextRun: Instant): Upgrade {
  return { action: 'upgrade', kind: hosted ? 'control_plane' : 'cluster', clusterId: id, version, nextRun };
}

const CONDITIONS: ReadonlySet<GateName> = new Set(['available', 'blocked', 'inherited-floor', 'sector', 'soak']);

/** The first of the gates on the version itself that is closed. */
function refusal({ verdicts }: Candidate): Verdict | undefined {
  return verdicts.find(({ gate, ok }) => !ok && CONDITIONS.has(gate));
}

function orSwitch(choice: Choice, { cluster }: Examined): Choice {
  const to = offeredChannel(cluster);
  if (to === undefined) return choice;
  return { ...choice, item: { action: 'switch-channel', clusterId: cluster.id, from: cluster.channel, to } };
}

function firstStop(verdicts: readonly Verdict[], rules: Rules): Choice | undefined {
  const closed = verdicts.find(({ ok }) => !ok);
  if (closed === undefined) return undefined;
  return stopsAll(closed, rules) ? { fault: closed.reason } : { waitsFor: closed.gate };
}

function stopsAll({ fault }: Verdict, { isolateFaults }: Rules): boolean {
  return fault === 'organization' || (fault === 'cluster' && !isolateFaults);
}

function verdictOf({ verdicts, version }: Candidate, gate: GateName): Verdict {
  const verdict = verdicts.find((each) => each.gate === gate);
  if (verdict === undefined) throw new TypeError(`no verdict of ${gate} on ${version}`);
  return verdict;
}
