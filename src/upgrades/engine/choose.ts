import { defined } from '../../base/index.ts';
import { firstClosed, type Instant, later, rowOf } from '../../gates/index.ts';
import type { Context } from './context.ts';
import type { Examined } from './examine.ts';
import type { ServedCluster } from './facts.ts';
import { NOTHING_OFFERED } from './gates/available.ts';
import { nextStart } from './gates/schedule.ts';
import { missingGates } from './gates/version-gate.ts';
import type { Panel } from './panel.ts';
import type { Candidate, ChannelSwitch, MissingGates, Upgrade } from './plan.ts';
import type { Rules } from './rules.ts';
import { CLUSTER_TIMING } from './schedule.ts';
import { type ClusterStage, closedAt, type Stage, type UpgradeGates, type UpgradeVerdict } from './upgrade-gate.ts';
import { isVersion, minorOf, type Version } from './versions.ts';
import { offeredChannel } from './y-stream.ts';

/** What happens to a cluster at its turn. A fault stops the organization. */
export interface Choice {
  readonly item?: Upgrade | ChannelSwitch;
  /** The name of the gate. */
  readonly waitsFor?: string;
  readonly missing?: readonly MissingGates[];
  readonly fault?: string;
}

/**
 * Reads the verdicts in stage order. That is not the order in which they are listed: nothing is done to a busy or limited
 * cluster, while one that only waits for its window may switch its channel.
 */
export function choose(examined: Examined, context: Context, { gates, hasFault }: Panel): Choice {
  const parts = { examined, context, gates, hasFault };
  const unreadable = firstFault(parts, (verdict) => rowOf(gates, verdict).faultsFirst === true);
  if (unreadable !== undefined && stopsAll(unreadable, context.rules)) return { fault: unreadable.reason };
  const hosted = examined.cluster.hosted ? choosePool(parts) : undefined;
  return hosted ?? stopOf(parts) ?? chooseVersion(parts);
}

interface Parts {
  readonly examined: Examined;
  readonly context: Context;
  readonly gates: UpgradeGates;
  /** Without any there is none to look for. */
  readonly hasFault: boolean;
}

const CLUSTER_STAGES: readonly ClusterStage[] = ['idle', 'fit', 'window', 'room'];
/** For control planes and their node pools, which count against the same limits. */
const HOSTED_STAGES: readonly ClusterStage[] = ['idle', 'room', 'fit'];

/** What stops the cluster regardless of the version. */
function stopOf({ examined, context, gates }: Parts): Choice | undefined {
  const closed = firstAt(CLUSTER_STAGES, examined.own, gates);
  if (closed === undefined) return undefined;
  const stop = stopBy(closed, context.rules);
  const mayLeave = rowOf(gates, closed).stage === 'window' && closed.fault === undefined;
  return mayLeave ? orSwitch(stop, examined) : stop;
}

/** Undefined when the control plane is next: no node pool is behind, or its version is not open any more. */
function choosePool({ examined, context, gates }: Parts): Choice | undefined {
  const { ofPools, pool, cluster } = examined;
  const { rules } = context;
  const limit = firstAt(HOSTED_STAGES, ofPools, gates);
  if (limit !== undefined) return stopBy(limit, rules);
  if (pool === undefined || closedAt(gates, pool.verdicts, 'version') !== undefined) return undefined;
  const closed = firstClosed(pool.verdicts);
  if (closed !== undefined) return stopBy(closed, rules);
  const item = hasPassed(pool) ? upgradeOf(cluster, pool, context) : undefined;
  return item && { item };
}

function chooseVersion(parts: Parts): Choice {
  const { examined, context, gates } = parts;
  const { cluster, candidates } = examined;
  const { rules } = context;
  const refusal = ({ verdicts }: Candidate): UpgradeVerdict | undefined => closedAt(gates, verdicts, 'version');
  const unsound = firstFault(parts, (verdict) => rowOf(gates, verdict).stage === 'version');
  if (unsound !== undefined && stopsAll(unsound, rules)) return { fault: unsound.reason };
  const open = candidates.filter((candidate) => refusal(candidate) === undefined);
  const tried = rules.tryLowerWhenGated ? open : open.slice(0, 1);
  const chosen = tried.find(hasPassed);
  const gated = chosen === undefined ? tried : tried.slice(0, tried.indexOf(chosen));
  const missing = missingFor(cluster, gated, context);
  const item = chosen && upgradeOf(cluster, chosen, context);
  if (item !== undefined) return { item, missing };
  const [first] = gated;
  const closed = first === undefined ? undefined : firstClosed(first.verdicts);
  if (closed !== undefined) return { waitsFor: closed.gate, missing };
  const [best] = candidates;
  const waitsFor = (best === undefined ? undefined : refusal(best)?.gate) ?? NOTHING_OFFERED;
  return orSwitch({ waitsFor }, examined);
}

/** Per minor, the version gates that kept versions from being chosen. */
function missingFor(cluster: ServedCluster, gated: readonly Candidate[], context: Context): MissingGates[] {
  const minors = new Set(gated.flatMap(({ version }) => (isVersion(version) ? [minorOf(version)] : [])));
  return [...minors]
    .map((minor) => ({ clusterId: cluster.id, minor, count: missingGates(cluster, minor, context).length }))
    .filter(({ count }) => count > 0);
}

/** The upgrade to what passed all gates; undefined for a schedule without a future date. */
export function upgradeOf(
  cluster: ServedCluster,
  { version, nodePool }: Pick<Upgrade, 'version' | 'nodePool'>,
  context: Context,
): Upgrade | undefined {
  const ofCluster = cluster.hosted ? 'control_plane' : 'cluster';
  const kind = nodePool === undefined ? ofCluster : 'node_pool';
  const nextRun = startOf(kind, cluster, context);
  if (nextRun === undefined) return undefined;
  return { action: 'upgrade', kind, clusterId: cluster.id, version, nextRun, ...defined({ nodePool }) };
}

function startOf(kind: Upgrade['kind'], cluster: ServedCluster, context: Context): Instant | undefined {
  const isAtOnce = kind === 'node_pool' && !context.rules.nodePoolsFollowSchedule;
  return isAtOnce ? later(context.now, CLUSTER_TIMING.lead) : nextStart(cluster, context);
}

/** To become a plan item a candidate must have passed every gate that judged it, whatever its stage. */
type Passed = Candidate & { readonly version: Version };

function hasPassed(candidate: Candidate): candidate is Passed {
  return firstClosed(candidate.verdicts) === undefined && isVersion(candidate.version);
}

function orSwitch(choice: Choice, { cluster }: Examined): Choice {
  const to = offeredChannel(cluster);
  if (to === undefined) return choice;
  return { ...choice, item: { action: 'switch-channel', clusterId: cluster.id, from: cluster.channel, to } };
}

function firstAt(
  stages: readonly Stage[],
  verdicts: readonly UpgradeVerdict[],
  gates: UpgradeGates,
): UpgradeVerdict | undefined {
  if (firstClosed(verdicts) === undefined) return undefined;
  for (const stage of stages) {
    const closed = closedAt(gates, verdicts, stage);
    if (closed !== undefined) return closed;
  }
  return undefined;
}

function firstFault(
  { examined: { candidates }, hasFault }: Parts,
  matters: (verdict: UpgradeVerdict) => boolean,
): UpgradeVerdict | undefined {
  if (!hasFault) return undefined;
  for (const { verdicts } of candidates) {
    const found = verdicts.find((verdict) => verdict.fault !== undefined && matters(verdict));
    if (found !== undefined) return found;
  }
  return undefined;
}

function stopBy(closed: UpgradeVerdict, rules: Rules): Choice {
  return stopsAll(closed, rules) ? { fault: closed.reason } : { waitsFor: closed.gate };
}

function stopsAll({ fault }: UpgradeVerdict, { isolateFaults }: Rules): boolean {
  return fault === 'organization' || (fault === 'cluster' && !isolateFaults);
}
