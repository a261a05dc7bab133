import type { OrgId } from '../../instance/index.ts';
import type { ClusterKey } from './cluster-key.ts';
import type { PolicyProblem } from './problem.ts';

/** When and under which conditions a cluster takes a new version. An absent list differs from an empty one only in labels. */
export interface UpgradePolicy {
  /** Days, summed over clusters with the same workload, that a version must have run elsewhere before. */
  readonly soakDays: number;
  readonly workloads: readonly string[];
  /** Cron in UTC. */
  readonly schedule: string;
  readonly mutexes?: readonly string[];
  readonly sector?: string;
  /** Regular expressions, matched anywhere in a version. */
  readonly blockedVersions?: readonly string[];
  readonly versionGateApprovals?: readonly string[];
  /** Times without upgrades, as `FROM/UNTIL=REASON`. */
  readonly freezes?: readonly string[];
}

/** The readable part of an invalid policy; enough to keep counting the cluster. */
export type KnownPolicy = Partial<UpgradePolicy>;

export interface SectorSpec {
  readonly name: string;
  /** `2` or `50%`. */
  readonly maxParallelUpgrades?: string;
  readonly dependencies: readonly string[];
}

/** A cluster and its policy; with an unreadable policy it is held: not upgraded, but still counted. */
export type ClusterSpec =
  | (ClusterKey & { readonly policy: UpgradePolicy })
  | (ClusterKey & { readonly known: KnownPolicy; readonly held: string });

/** An organization whose history may be used, and its environment. */
export interface InheritedFrom {
  readonly environment: string;
  readonly orgId: OrgId;
}

/** What one organization declares, from whichever source. */
export interface OrgSpec {
  readonly orgId: OrgId;
  readonly blockedVersions: readonly string[];
  /** Times without upgrades, as `FROM/UNTIL=REASON`. */
  readonly freezes: readonly string[];
  readonly sectors: readonly SectorSpec[];
  /** Verified: each of them publishes its history to this organization. */
  readonly inherit: readonly InheritedFrom[];
  /** In order of discovery, or of the file that declares them; this order decides ties. */
  readonly clusters: readonly ClusterSpec[];
  readonly problems: readonly PolicyProblem[];
}
