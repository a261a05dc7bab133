export { createOcmClient, type OcmClient } from './ocm-client.ts';
export { clockOf, type PlanClock, requireSimulated } from './simulated-clock.ts';
export type { OcmCall } from './transport.ts';
export type { PolicyTarget } from './upgrade-policies.ts';
