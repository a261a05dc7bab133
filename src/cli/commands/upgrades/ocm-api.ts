import { EchelonError } from '../../../base/index.ts';
import type { OcmClient, PolicyTarget } from '../../../clients/ocm/index.ts';
import type { UpgradeApi, UpgradeTarget } from '../../../upgrades/index.ts';

const PRODUCTS = ['osd', 'rosa'];
const STATUSES = ['Active', 'Reserved'];

/** The scheduler's view of an OCM, through the client. */
export function ocmUpgradeApi(client: OcmClient): UpgradeApi {
  return {
    listLabels: (keyPrefix) => client.listBareLabels({ keyPrefix }),
    listSubscriptions: (ids) =>
      client.listOwners({ by: { field: 'id', values: ids }, managed: true, statuses: STATUSES }),
    listOrganizationSubscriptions: (ids) =>
      client.listOwners({ by: { field: 'organization_id', values: ids }, managed: true, statuses: STATUSES }),
    listClusters: (subscriptionIds) =>
      client.listClusters({
        by: { field: 'subscription.id', values: subscriptionIds },
        managed: true,
        productIds: PRODUCTS,
      }),
    organizationNames: async (ids) => {
      const { items } = await client.listOrganizations({ by: { field: 'id', values: ids } });
      return new Map(items.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])));
    },
    listVersionGates: () => client.listVersionGates(),
    listNodePools: (clusterId) => client.listNodePools(clusterId),
    listPolicies: (target) => client.listUpgradePolicies(targetOf(target)),
    listAgreements: async (clusterId) => {
      const { items, problems } = await client.listGateAgreements(clusterId);
      return { items: items.map(({ gateId }) => gateId), problems };
    },
    agreeToGate: async (clusterId, gateId) => {
      const creation = await client.createGateAgreement(clusterId, gateId);
      if (creation.outcome === 'created') return { outcome: 'agreed' };
      return creation.outcome === 'unconfirmed' ? creation : { outcome: 'refused', reason: creation.refusal.reason };
    },
    availableChannels: async (clusterId) => (await client.getCluster(clusterId))?.version.availableChannels ?? [],
    createPolicy: async (target, policy) => {
      const creation = await client.createUpgradePolicy(targetOf(target), policy);
      if (creation.outcome === 'created') return { outcome: 'created', id: creation.record.id };
      if (creation.outcome === 'unconfirmed') return creation;
      const { status, reason, missingGates } = creation.refusal;
      if (status === 404) throw gone(target.clusterId, reason);
      return { outcome: 'refused', reason, missingGates };
    },
    deletePolicy: async (target, id) => {
      const deletion = await client.deleteUpgradePolicy(targetOf(target), id);
      return deletion.outcome === 'refused' ? { outcome: 'refused', reason: deletion.refusal.reason } : deletion;
    },
    switchChannel: (clusterId, channel) => client.switchChannel(clusterId, channel),
    listServiceLogs: (clusterUuid, serviceName, since) => client.listServiceLogs({ clusterUuid, serviceName, since }),
    createServiceLog: async (log) => {
      const creation = await client.createServiceLog(log);
      if (creation.outcome === 'refused') throw notTaken(log.clusterUuid, creation.refusal.reason);
    },
  };
}

function targetOf({ kind, clusterId, nodePool }: UpgradeTarget): PolicyTarget {
  if (kind === 'cluster') return { kind: 'classic', clusterId };
  if (kind === 'control_plane') return { kind: 'control-plane', clusterId };
  return { kind: 'node-pool', clusterId, nodePoolId: nodePool ?? '' };
}

function gone(clusterId: string, reason: string): EchelonError {
  return new EchelonError({
    code: 'OCM_NOT_FOUND',
    message: `OCM does not have cluster ${clusterId}: ${reason}`,
    hint: 'check the id; the cluster may have been deleted',
  });
}

function notTaken(uuid: string, reason: string): EchelonError {
  return new EchelonError({
    code: 'SERVICE_LOG_REFUSED',
    message: `OCM refused a service log for cluster ${uuid}: ${reason}`,
    hint: 'check that these credentials may write service logs',
  });
}
