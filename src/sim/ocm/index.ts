export { type ManualClock, manualClock, runningClock, type SimClock } from './clock.ts';
export { DEFAULT_CLIENT } from './fleet/expand.ts';
export {
  AUS_PREFIX,
  type FleetAccount,
  type FleetCluster,
  type FleetEnvironment,
  type FleetEvent,
  type FleetFile,
  type FleetOrganization,
  type Happening,
} from './fleet/fleet.ts';
export { type FleetOptions, loadFleet, parseFleet } from './fleet/read-fleet.ts';
export type { Effect, Fault } from './http/faults.ts';
export type { RecordedRequest } from './http/requests.ts';
export { TOKEN_LIFETIME_SECONDS } from './http/tokens.ts';
export { type ErrorBody, OcmError } from './ocm-error.ts';
export { type SimEnvironment, type SimOcm, type SimOcmOptions, startSimOcm } from './sim-ocm.ts';
export {
  type SimulatedScheduler,
  type SimulatedSchedulerOptions,
  simulatedScheduler,
} from './simulated-scheduler.ts';
export { OcmCalls, OcmReads } from './world/calls.ts';
export type { ListQuery, Page } from './world/list.ts';
export type {
  Account,
  Agreement,
  Cluster as SimCluster,
  Gate,
  Label as SimLabel,
  NodePool as SimNodePool,
  Organization as SimOrganization,
  Owner,
  Policy as SimPolicy,
  PolicyKind,
  PolicyState,
  PolicyTarget,
  ServiceLog,
  Subscription as SimSubscription,
} from './world/model.ts';
export type { Fetch } from './world/organizations.ts';
export { LEAD_TIME } from './world/policy-runs.ts';
export type { Limits, State } from './world/state.ts';
export type { SubscriptionQuery } from './world/subscriptions.ts';
export { type Release, VersionGraph } from './world/version-graph.ts';
export type {
  WireAccount,
  WireAgreement,
  WireCapability,
  WireCluster,
  WireGate,
  WireLabel,
  WireLog,
  WireNodePool,
  WireOrganization,
  WirePolicy,
  WirePolicyState,
  WireSubscription,
  WireVersion,
} from './world/wire.ts';
export { createWorld, createWorlds, World, type WorldOptions } from './world/world.ts';
export { type Intercept, type WorldCall, worldApi } from './world-upgrade-api.ts';
