export { manualClock, runningClock } from './clock.ts';
export { DEFAULT_CLIENT } from './fleet/expand.ts';
export { AUS_PREFIX, type FleetFile } from './fleet/fleet.ts';
export { loadFleet, parseFleet } from './fleet/read-fleet.ts';
export type { RecordedRequest } from './http/requests.ts';
export { OcmError } from './ocm-error.ts';
export { type SimEnvironment, type SimOcm, startSimOcm } from './sim-ocm.ts';
export {
  type SimulatedScheduler,
  type SimulatedSchedulerOptions,
  simulatedScheduler,
} from './simulated-scheduler.ts';
export { type SimulatedTimeline, type SimulatedUpgrade, simulateFleet } from './timeline.ts';
export { OcmCalls } from './world/calls.ts';
export type { Policy as SimPolicy } from './world/model.ts';
export { LEAD_TIME } from './world/policy-runs.ts';
export { createWorld, createWorlds, World } from './world/world.ts';
export { type Intercept, type WorldCall, worldApi } from './world-upgrade-api.ts';
