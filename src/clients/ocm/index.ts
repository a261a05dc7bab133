import { type AccountApi, accountApi } from './accounts.ts';
import { type ClusterApi, clusterApi, type NodePoolApi, nodePoolApi } from './clusters.ts';
import { type LabelApi, labelApi } from './labels.ts';
import { type ServiceLogApi, serviceLogApi } from './service-logs.ts';
import { type OcmOptions, transportOf } from './transport.ts';
import { type GateApi, gateApi, type UpgradePolicyApi, upgradePolicyApi } from './upgrade-policies.ts';

export type { OcmCall } from './transport.ts';
export type { PolicyTarget } from './upgrade-policies.ts';

/** What Echelon asks of OCM. Records are plain data; what they mean is up to the caller. */
export interface OcmClient
  extends LabelApi,
    AccountApi,
    ClusterApi,
    NodePoolApi,
    UpgradePolicyApi,
    GateApi,
    ServiceLogApi {}

/** A client of one OCM with one set of credentials. It sends nothing before it is asked something. */
export function createOcmClient(options: OcmOptions): OcmClient {
  const transport = transportOf(options);
  return {
    ...labelApi(transport),
    ...accountApi(transport),
    ...clusterApi(transport),
    ...nodePoolApi(transport),
    ...upgradePolicyApi(transport),
    ...gateApi(transport),
    ...serviceLogApi(transport),
  };
}
