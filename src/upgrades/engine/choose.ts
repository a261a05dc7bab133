import { defined } from '../../base/index.ts';
import { firstClosed, type Instant, later, rowOf } from '../../gates/index.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import { missingGates, NOTHING_OFFERED } from './candidate-gates.ts';
import { CLUSTER_TIMING, nextStart } from './cluster-gates.ts';
import type { Context } from './context.ts';
import { laggingPool, type Member, offeredChannel, type ServedCluster } from './facts.ts';
import {
  type CandidateKind,
  type ClusterGate,
  type ClusterStage,
  type ClusterSubject,
  closedAt,
  type Requirements,
  type Stage,
  type UpgradeGate,
  type UpgradeGates,
  type UpgradeVerdict,
} from './gate.ts';
import type { Rules } from './rules.ts';
import { compareVersions, isVersion, minorOf, type Version } from './versions.ts';

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

/** Every verdict on a cluster, at its turn: mutexes are as earlier clusters left them. */
export interface Examined extends ClusterSubject {
  /** Of the gates that do not depend on the version: those for its versions, and those for its node pools. */
  readonly own: readonly UpgradeVerdict[];
  readonly ofPools: readonly UpgradeVerdict[];
  readonly pool?: Candidate & { readonly nodePool: string };
  /** From the highest version to the lowest; text that is not a version comes last. */
  readonly candidates: readonly Candidate[];
}

/** Evaluates all gates. Every decision and report about the cluster is read from these verdicts. */
export function examine(cluster: ServedCluster, member: Member, panel: Panel): Examined {
  const subject = { cluster, member };
  const own = panel.ofCluster(subject);
  const judged = (kind: CandidateKind, versions: readonly Version[]): Candidate[] => {
    if (versions.length === 0) return [];
    const judge = panel.judgeOf(kind, subject, own);
    return versions.map((version) => ({ version, verdicts: judge(version) }));
  };
  const { versions: offered, others } = sorted(cluster.availableUpgrades);
  const versions = judged('version', offered);
  const lagging = laggingPool(cluster);
  const [candidate] = lagging === undefined ? [] : judged('node-pool', [cluster.version]);
  const pool = lagging && candidate && { ...candidate, nodePool: lagging.id };
  const ownOf = (kind: CandidateKind): UpgradeVerdict[] => panel.of(kind).flatMap((gate) => own.get(gate) ?? []);
  return {
    ...{ cluster, member, own: ownOf('version'), ofPools: ownOf('node-pool') },
    candidates: others.length === 0 ? versions : [...versions, ...judged('text', others)],
    ...defined({ pool }),
  };
}

interface Offers {
  readonly versions: readonly Version[];
  /** Not valid versions. */
  readonly others: readonly Version[];
}

/** A forecast examines the same offers many times. */
const SORTED = new WeakMap<readonly string[], Offers>();

function sorted(offers: readonly string[]): Offers {
  const known = SORTED.get(offers);
  if (known !== undefined) return known;
  const versions = offers.filter(isVersion).sort(highestFirst);
  const others = versions.length === offers.length ? [] : offers.filter((offer) => !isVersion(offer));
  const result: Offers = { versions, others: others as Version[] };
  SORTED.set(offers, result);
  return result;
}

function highestFirst(a: Version, b: Version): number {
  return compareVersions(b, a);
}

/** Undefined for a gate that judges each cluster by itself. */
type SharedVerdicts = readonly (UpgradeVerdict | undefined)[];

/** The gates of one pass. What a gate says about many clusters at once is asked once: a fleet has few different policies. */
export class Panel {
  readonly gates: UpgradeGates;
  readonly #context: Context;
  readonly #of: Readonly<Record<CandidateKind, readonly UpgradeGate[]>>;
  readonly #shared = new Map<string, Map<Version, SharedVerdicts>>();
  #hasFault = false;

  constructor(gates: UpgradeGates, context: Context) {
    const all = [...gates.values()];
    const of = (kind: CandidateKind): readonly UpgradeGate[] =>
      all.filter(({ concerns }) => concerns === undefined || concerns(kind, context.rules));
    this.gates = gates;
    this.#context = context;
    this.#of = { version: of('version'), text: of('text'), 'node-pool': of('node-pool') };
  }

  /** Whether a gate could not be evaluated, for any cluster so far. */
  get hasFault(): boolean {
    return this.#hasFault;
  }

  /** In the order in which verdicts are listed. */
  of(kind: CandidateKind): readonly UpgradeGate[] {
    return this.#of[kind];
  }

  /** The verdicts that do not depend on the version. */
  ofCluster(subject: ClusterSubject): ReadonlyMap<UpgradeGate, UpgradeVerdict> {
    const own = new Map<UpgradeGate, UpgradeVerdict>();
    for (const gate of this.gates.values()) {
      if (isClusterGate(gate)) own.set(gate, this.#noted(gate.judge(subject, this.#context)));
    }
    return own;
  }

  /** How versions of one kind are judged for a cluster, given its own verdicts. */
  judgeOf(
    kind: CandidateKind,
    { cluster, member }: ClusterSubject,
    own: ReadonlyMap<UpgradeGate, UpgradeVerdict>,
  ): (version: Version) => readonly UpgradeVerdict[] {
    const { policy } = cluster;
    const gates = this.#of[kind];
    const known = gates.map((gate) => own.get(gate));
    const shared = this.#sharedBy(kind, policy);
    return (version) => {
      const subject = { cluster, member, policy, version };
      const ask = (gate: UpgradeGate): UpgradeVerdict => this.#noted(gate.judge(subject, this.#context));
      const given = shared.get(version) ?? gates.map((gate) => (isShared(gate) ? ask(gate) : undefined));
      shared.set(version, given);
      return gates.map((gate, index) => known[index] ?? given[index] ?? ask(gate));
    };
  }

  #sharedBy(kind: CandidateKind, policy: Requirements): Map<Version, SharedVerdicts> {
    const key = `${kind} ${requirementsKey(policy)}`;
    const shared = this.#shared.get(key) ?? new Map<Version, SharedVerdicts>();
    this.#shared.set(key, shared);
    return shared;
  }

  #noted(verdict: UpgradeVerdict): UpgradeVerdict {
    if (verdict.fault !== undefined) this.#hasFault = true;
    return verdict;
  }
}

const KEYS = new WeakMap<Requirements, string>();

/** Equal for policies that require the same of a version. */
export function requirementsKey(policy: Requirements): string {
  const known = KEYS.get(policy);
  if (known !== undefined) return known;
  const { soakDays, workloads, sector, blockedVersions } = policy;
  const key = JSON.stringify([soakDays, workloads, sector, blockedVersions]);
  KEYS.set(policy, key);
  return key;
}

function isClusterGate(gate: UpgradeGate): gate is ClusterGate {
  return gate.stage !== 'version' && gate.stage !== 'consent';
}

function isShared(gate: UpgradeGate): boolean {
  return 'shared' in gate && gate.shared === true;
}

/** An upgrade policy to create. */
export interface Upgrade {
  readonly action: 'upgrade';
  readonly kind: 'cluster' | 'control_plane' | 'node_pool';
  readonly clusterId: ClusterId;
  readonly version: Version;
  readonly nextRun: Instant;
  readonly nodePool?: string;
}

export interface ChannelSwitch {
  readonly action: 'switch-channel';
  readonly clusterId: ClusterId;
  readonly from: string;
  readonly to: string;
}

/** An upgrade policy to delete before it starts. */
export interface Cancellation {
  readonly action: 'cancel';
  readonly kind: Upgrade['kind'];
  readonly clusterId: ClusterId;
  readonly policyId: string;
  readonly version: string;
  readonly nodePool?: string;
  readonly reason: string;
}

/** One step of a plan. An executor does exactly this and nothing else. */
export type PlanItem = Upgrade | ChannelSwitch | Cancellation;

/** A version that a cluster, or one of its node pools, could move to, with the verdict of every gate. */
export interface Candidate {
  readonly version: string;
  readonly nodePool?: string;
  readonly verdicts: readonly UpgradeVerdict[];
}

/** Why a cluster gets its plan item, or none. */
export interface Explanation {
  readonly clusterId: ClusterId;
  /** From the highest version to the lowest; node pools first. */
  readonly candidates: readonly Candidate[];
  readonly item?: Upgrade | ChannelSwitch;
  /** The name of the gate that kept the cluster waiting; `available` also without any candidate. */
  readonly waitsFor?: string;
}

/** Gates of a minor without an agreement that the cluster needs. */
export interface MissingGates {
  readonly clusterId: ClusterId;
  readonly minor: string;
  readonly count: number;
}
