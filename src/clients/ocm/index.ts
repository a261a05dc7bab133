export type { ClusterApi, ClusterQuery, ClusterRecord, VersionRecord } from './clusters.ts';
export type { Creation } from './create-once.ts';
export type { GateAgreementRecord, GateApi, VersionGateRecord } from './gates.ts';
export type { LabelApi, LabelInput, LabelOwner, LabelQuery, LabelRecord, LabelType } from './labels.ts';
export type { OcmList, OcmProblem } from './listing.ts';
export type { NodePoolApi, NodePoolRecord } from './node-pools.ts';
export { createOcmClient, type OcmClient } from './ocm-client.ts';
export { OcmError, type OcmErrorCode, type OcmRefusal } from './ocm-error.ts';
export type { AccountRecord, OrganizationApi, OrganizationQuery, OrganizationRecord } from './organizations.ts';
export type { Selection } from './search.ts';
export type {
  ServiceLogApi,
  ServiceLogInput,
  ServiceLogQuery,
  ServiceLogRecord,
  ServiceLogSeverity,
} from './service-logs.ts';
export type { CapabilityRecord, SubscriptionApi, SubscriptionQuery, SubscriptionRecord } from './subscriptions.ts';
export type { OcmCredentials } from './token-source.ts';
export { OCM_CONCURRENCY, type OcmCall, type OcmOptions } from './transport.ts';
export type {
  PolicyDeletion,
  PolicyInput,
  PolicyState,
  PolicyTarget,
  UpgradePolicyApi,
  UpgradePolicyRecord,
} from './upgrade-policies.ts';
