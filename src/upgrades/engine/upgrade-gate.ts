import {
  firstClosed,
  type Gate,
  type GateList,
  type Instant,
  rowOf,
  type SoakPace,
  type Verdict,
} from '../../gates/index.ts';
import type { Context } from './context.ts';
import type { ServedCluster } from './facts.ts';
import type { Member } from './members.ts';
import type { Rules } from './rules.ts';
import type { Version } from './versions.ts';

/** Whose configuration keeps a gate from being read. */
export type FaultOwner = 'cluster' | 'organization';
export type UpgradeVerdict = Verdict<FaultOwner>;

/**
 * Where in the turn of a cluster a gate belongs, and so what becomes of a cluster that it stops:
 *
 * - `idle`, `fit`: the cluster as a whole; it is left alone altogether
 * - `window`: the time; it may move to its next channel meanwhile
 * - `room`: other upgrades under way; it waits for them
 * - `version`: one version; lower ones are tried, and where none is open it may move to its next channel
 * - `consent`: an agreement for one version; the user is asked, and the rules say whether lower ones are tried
 */
export type ClusterStage = 'idle' | 'fit' | 'window' | 'room';
export type VersionStage = 'version' | 'consent';
export type Stage = ClusterStage | VersionStage;

/** What a gate is asked about: a version, other text that OCM offers as one, or a node pool behind its control plane. */
export type CandidateKind = 'version' | 'text' | 'node-pool';

export interface ClusterSubject {
  readonly cluster: ServedCluster;
  readonly member: Member;
}

export interface CandidateSubject extends ClusterSubject {
  /** Checked, except for the kind `text`. */
  readonly version: Version;
}

interface Traits {
  /** Which kinds it judges; all when absent. */
  readonly concerns?: (kind: CandidateKind, rules: Rules) => boolean;
  /** Its faults are found before anything else is decided about the cluster. */
  readonly faultsFirst?: true;
  /** A version that it is closed on does not open by itself: another one is named as the next. */
  readonly bars?: true;
  /** Its reason has the numbers that let a version pass; the first such is told with what is planned. */
  readonly evidence?: true;
  /** When it opens at the pace of an outlook, where that is not what the verdict says; undefined when nobody knows. */
  readonly foresees?: (
    subject: Pick<CandidateSubject, 'cluster' | 'version'>,
    outlook: SoakPace,
  ) => Instant | undefined;
}

/** Says the same whatever the version, and is asked once per cluster. */
export interface ClusterGate extends Traits, Gate<ClusterSubject, Context, FaultOwner> {
  readonly stage: ClusterStage;
}

export interface CandidateGate extends Traits, Gate<CandidateSubject, Context, FaultOwner> {
  readonly stage: VersionStage;
}

export type UpgradeGate = ClusterGate | CandidateGate;
export type UpgradeGates = GateList<UpgradeGate>;

/** Node pools follow a control plane that has passed; other text than a version cannot be compared with one. */
export const versionsOnly = (kind: CandidateKind): boolean => kind === 'version';

/** Whether node pools wait for it is up to the rules. */
export const poolsBySchedule = (kind: CandidateKind, { nodePoolsFollowSchedule }: Rules): boolean =>
  kind !== 'node-pool' || nodePoolsFollowSchedule;

/** The first gate of some stages that is closed. */
export function closedAt(
  gates: UpgradeGates,
  verdicts: readonly UpgradeVerdict[],
  ...stages: readonly Stage[]
): UpgradeVerdict | undefined {
  return verdicts.find((verdict) => !verdict.ok && stages.includes(rowOf(gates, verdict).stage));
}

/** The gate to name for a candidate: the first that is closed. A cluster that is being upgraded takes up room itself. */
export function gateToName(gates: UpgradeGates, verdicts: readonly UpgradeVerdict[]): UpgradeVerdict | undefined {
  const closed = firstClosed(verdicts);
  if (closed === undefined || rowOf(gates, closed).stage !== 'room') return closed;
  return closedAt(gates, verdicts, 'idle') ?? closed;
}
