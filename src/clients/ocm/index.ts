export { createOcmClient, type OcmClient } from './ocm-client.ts';
export type { OcmCall } from './transport.ts';
export type { PolicyTarget } from './upgrade-policies.ts';
