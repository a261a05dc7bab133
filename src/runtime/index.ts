export { systemClock } from './clock.ts';
export { commandIntegration } from './command/command-integration.ts';
export { createHealth } from './health.ts';
export {
  hostIntegration,
  type IntegrationHost,
  type IntegrationRunner,
  type OpenIntegration,
  type RunFlags,
} from './host-integration.ts';
export type { LeaseApi, LeaseRecord } from './lease-api.ts';
export { leaseObject } from './lease-object.ts';
export { type Logger, silentLogger } from './logger.ts';
export { runLoop } from './loop.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { parseListen } from './pages/listen-address.ts';
export { type ProtectionFlags, protectionOf } from './pages/protection.ts';
export { servePages } from './pages/server.ts';
export { readPodContract } from './pod-contract.ts';
export { type Random, seededRandom, systemRandom } from './random.ts';
export { underLease } from './under-lease.ts';
export { type WritePermits, writePermits } from './write-permits.ts';
