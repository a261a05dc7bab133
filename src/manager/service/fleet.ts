import type { ClusterAccess } from '../../instance/index.ts';
import type { Rendered } from '../desired/render.ts';
import type { ExecuteOptions } from '../plan/execute.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import type { LiveCluster } from '../plan/observe.ts';
import type { ObservedShards } from './observe-shards.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import type { RolloutPass } from './rollout-pass.ts';
import type { PassTargets } from './targets.ts';

export interface DesiredFleet extends OperatedFleet {
  readonly rendered: Rendered;
}

/** A plan with how to reach its clusters: all it takes to apply it. */
export interface ApprovedPlan {
  readonly plan: FleetPlan;
  readonly access: readonly ClusterAccess[];
  readonly vault?: boolean | undefined;
  /** What rollouts decided; absent without rollouts. */
  readonly rollout?: RolloutPass;
}

/** Everything known before a plan is applied. */
export interface PlannedFleet extends DesiredFleet, ApprovedPlan, PassTargets {
  readonly live: readonly LiveCluster[];
}

export type FleetStatus = DesiredFleet & ObservedShards;

export type ApplyOptions = Pick<ExecuteOptions, 'mayWrite' | 'onResult' | 'signal'>;
