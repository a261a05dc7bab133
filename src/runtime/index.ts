export { type Random, seededRandom, systemClock } from './clock.ts';
export {
  hostIntegration,
  type IntegrationHost,
  type IntegrationRunner,
  type OpenIntegration,
  type RunFlags,
} from './host.ts';
export { type ProtectionFlags, parseListen, protectionOf, servePages } from './http/access.ts';
export { type WritePermits, withHeldLease, writePermits } from './leader-election/leader.ts';
export { leaseObject } from './leader-election/lease-object.ts';
export type { LeaseApi, LeaseRecord } from './leader-election/term.ts';
export type { Logger } from './logs.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { type PodContract, readPodContract } from './pod-contract.ts';
