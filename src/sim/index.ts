export { badImagesIn } from './kube/controllers/bad-images.ts';
export { simKubeconfig, simNames, startSimClusters } from './kube/sim-clusters.ts';
export { type SimKube, type SimKubeOptions, startSimKube } from './kube/sim-kube.ts';
export { manualClock, runningClock } from './ocm/clock.ts';
export { DEFAULT_CLIENT } from './ocm/fleet/expand.ts';
export { AUS_PREFIX, type FleetFile } from './ocm/fleet/fleet.ts';
export { loadFleet, parseFleet } from './ocm/fleet/read-fleet.ts';
export type { RecordedRequest } from './ocm/http/requests.ts';
export type { Policy as SimPolicy } from './ocm/model.ts';
export { SimOcmError } from './ocm/ocm-error.ts';
export { type SimEnvironment, type SimOcm, startSimOcm } from './ocm/sim-ocm.ts';
export {
  type SimulatedScheduler,
  type SimulatedSchedulerOptions,
  simulatedScheduler,
} from './ocm/simulated-scheduler.ts';
export { type SimulatedTimeline, simulateFleet } from './ocm/timeline.ts';
export { timelineTables } from './ocm/timeline-tables.ts';
export { OcmCalls } from './ocm/world/calls.ts';
export { LEAD_TIME } from './ocm/world/policy-runs.ts';
export { createWorld, createWorlds, World } from './ocm/world/world.ts';
export { type Intercept, type WorldCall, worldApi } from './ocm/world-upgrade-api.ts';
