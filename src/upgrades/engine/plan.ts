import type { Instant } from '../../gates/index.ts';
import type { ClusterId } from '../policies/cluster-key.ts';
import type { UpgradeVerdict } from './upgrade-gate.ts';
import type { Version } from './versions.ts';

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
