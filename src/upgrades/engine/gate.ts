import {
  firstClosed,
  type Gate,
  type GateList,
  type Instant,
  rowOf,
  type SoakPace,
  type Verdict,
} from '../../gates/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import type { Context, PassContext } from './context.ts';
import type { Member, ServedCluster } from './facts.ts';
import type { Rules } from './rules.ts';
import type { Version } from './versions.ts';

/** Whose configuration prevents a gate from being evaluated. */
type FaultOwner = 'cluster' | 'organization';
export type UpgradeVerdict = Verdict<FaultOwner>;

/**
 * When in a cluster's turn a gate applies, and so what happens to a cluster that it stops:
 *
 * - `idle`, `fit`: the cluster as a whole; nothing is done
 * - `window`: the time; the cluster may still switch to its next channel
 * - `room`: other upgrades in progress; the cluster waits for them
 * - `version`: one version; lower ones are tried, and if none is open the cluster may switch to its next channel
 * - `consent`: an agreement for one version; the user has to give it, and the rules say whether lower ones are tried
 */
export type ClusterStage = 'idle' | 'fit' | 'window' | 'room';
type VersionStage = 'version' | 'consent';
export type Stage = ClusterStage | VersionStage;

/** What a gate judges: a version, other text that OCM offers as one, or a node pool behind its control plane. */
export type CandidateKind = 'version' | 'text' | 'node-pool';

export interface ClusterSubject {
  readonly cluster: ServedCluster;
  readonly member: Member;
}

/** What a policy requires of a version. */
export type Requirements = Pick<UpgradePolicy, 'soakDays' | 'workloads' | 'sector' | 'blockedVersions'>;

interface VersionSubject {
  readonly policy: Requirements;
  /** Validated, except for the kind `text`. */
  readonly version: Version;
}

type CandidateSubject = ClusterSubject & VersionSubject;

/**
 * What a verdict can depend on besides the cluster, its own upgrades and what never changes: the time, by nothing but the
 * schedule and the freezes of the policy; soak of what the policy requires; versions in sectors; inherited minima; mutexes.
 */
export type Influence = 'window' | 'soak' | 'sectors' | 'inheritance' | 'room';

interface Traits {
  /** What clusters behind it wait for, as in `30 clusters wait for soak`; its name when absent. */
  readonly awaited?: string;
  /** A forecast judges again only when one of these changed; when absent, in every pass. */
  readonly influences?: readonly Influence[];
  /** With `window`: the earliest time at which it can open or close. */
  readonly steadyUntil?: (subject: ClusterSubject, context: PassContext) => number;
  /** Which kinds it judges; all when absent. */
  readonly concerns?: (kind: CandidateKind, rules: Rules) => boolean;
  /** Whether it can be evaluated for every cluster of the organization at any time; unknown when absent. */
  readonly isSound?: (context: Pick<Context, 'occupancy'>) => boolean;
  /** It says the same about all versions of a minor. */
  readonly byMinor?: true;
  /** Its faults are checked before anything else about the cluster. */
  readonly faultsFirst?: true;
  /** A version that it closes does not open by itself: another one is reported as the next. */
  readonly bars?: true;
  /** Its reason has the numbers that let a version pass; the first such is reported with the plan. */
  readonly evidence?: true;
  /** When it opens at the pace of a forecast, where that differs from the verdict; undefined when unknown. */
  readonly forecastOpening?: (
    subject: Pick<CandidateSubject, 'cluster' | 'version'>,
    outlook: SoakPace,
  ) => Instant | undefined;
}

/** Independent of the version: evaluated once per cluster. */
export interface ClusterGate extends Traits, Gate<ClusterSubject, Context, FaultOwner> {
  readonly stage: ClusterStage;
}

interface VersionGateRow extends Traits, Gate<CandidateSubject, Context, FaultOwner> {
  readonly stage: VersionStage;
  /** The same verdict for all clusters with the same requirements: evaluated once for them and a version. */
  readonly shared?: true;
}

/** Evaluated for each cluster and version. */
export interface CandidateGate extends VersionGateRow {
  readonly shared?: never;
}

/** Sees nothing but what clusters with the same requirements have in common. */
export interface SharedGate extends Traits, Gate<VersionSubject, PassContext, FaultOwner> {
  readonly stage: 'version';
  readonly shared: true;
}

export type UpgradeGate = ClusterGate | VersionGateRow;
export type UpgradeGates = GateList<UpgradeGate>;

/** Node pools follow a control plane that passed already; text that is not a version cannot be compared. */
export const versionsOnly = (kind: CandidateKind): boolean => kind === 'version';

/** The rules say whether node pools wait for it. */
export const poolsBySchedule = (kind: CandidateKind, { nodePoolsFollowSchedule }: Rules): boolean =>
  kind !== 'node-pool' || nodePoolsFollowSchedule;

/** The first closed gate among some stages. */
export function closedAt(
  gates: UpgradeGates,
  verdicts: readonly UpgradeVerdict[],
  ...stages: readonly Stage[]
): UpgradeVerdict | undefined {
  return verdicts.find((verdict) => !verdict.ok && stages.includes(rowOf(gates, verdict).stage));
}

/** The gate to report for a candidate: the first closed one. A cluster that is being upgraded holds its own mutexes. */
export function gateToName(gates: UpgradeGates, verdicts: readonly UpgradeVerdict[]): UpgradeVerdict | undefined {
  const closed = firstClosed(verdicts);
  if (closed === undefined || rowOf(gates, closed).stage !== 'room') return closed;
  return closedAt(gates, verdicts, 'idle') ?? closed;
}
