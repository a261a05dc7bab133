export { Secrets } from '../base/index.ts';
export { type Clock, type SteadyClock, systemClock } from './clock.ts';
export { createHealth, type Health, type HealthState, type LoopHealth, silenceLimitSeconds } from './health.ts';
export { type HealthServer, type HealthServerOptions, startHealthServer } from './http.ts';
export { type AsLeader, runAsLeader } from './lead.ts';
export { type LeaderLease, type LeaseOptions, leaderLease } from './lease.ts';
export type { LeaseApi, LeaseRecord } from './lease-api.ts';
export type { Leadership } from './lease-term.ts';
export { type LogFields, type Logger, silentLogger } from './logger.ts';
export { createLogger, type LoggerOptions, type RootLogger } from './logs.ts';
export { type LoopEnd, type LoopOptions, type LoopParts, type PassContext, type PassResult, runLoop } from './loop.ts';
export { type MemoryLeaseApi, memoryLeaseApi } from './memory-lease-api.ts';
export {
  type CounterMetric,
  createMetrics,
  type GaugeMetric,
  type HistogramMetric,
  type Labels,
  type Metrics,
  type MetricsOptions,
  type RunResult,
} from './metrics.ts';
export { type ListenAddress, parseListen } from './pages/listen-address.ts';
export type { PageRequest, PageResponse } from './pages/page.ts';
export { type Protection, type ProtectionFlags, protectionOf } from './pages/protection.ts';
export { type PageServer, servePages } from './pages/server.ts';
export type { PassReason } from './pass-schedule.ts';
export {
  type Environment,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
  MANAGER_NAME,
  type PodContract,
  readPodContract,
} from './pod-contract.ts';
export { type Random, seededRandom, systemRandom } from './random.ts';
export {
  type IntegrationHost,
  type IntegrationRunner,
  type OpenIntegration,
  type RunFlags,
  runIntegration,
} from './run-integration.ts';
export { type VirtualClock, virtualClock } from './virtual-clock.ts';
