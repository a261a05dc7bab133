import { EchelonError } from '../../base/index.ts';
import type { Listed, UpgradeApi, UpgradeTarget } from '../../upgrades/index.ts';
import { SimOcmError } from './ocm-error.ts';
import type { OcmCalls } from './world/calls.ts';
import type { ListQuery, Page } from './world/list.ts';
import type { WireCluster, WirePolicy } from './world/wire.ts';

/** A call from the scheduler to a world. */
export interface WorldCall {
  readonly name: keyof UpgradeApi;
  readonly args: readonly unknown[];
}

/**
 * Injects faults between the scheduler and a world: throw before `act` and nothing has changed, after it and the
 * world has changed without a response. Its return value is the response.
 */
export type Intercept = (call: WorldCall, act: () => unknown) => unknown;

const MANAGED = "managed='true'";

/** The scheduler's API to a world, without a network. The calls have the permissions of their caller, such as `world` itself. */
export function worldApi(world: OcmCalls, intercept: Intercept = (_, act) => act()): UpgradeApi {
  const api: { readonly [Name in keyof UpgradeApi]: (...args: Parameters<UpgradeApi[Name]>) => unknown } = {
    listLabels: (keyPrefix) =>
      listed(
        (query) => world.listLabels(query),
        { search: `key like '${keyPrefix}%'` },
        ({ key, value, subscription_id, organization_id }) => ({
          ...{ key, value, subscriptionId: subscription_id, organizationId: organization_id },
        }),
      ),
    listSubscriptions: (ids) => subscriptions(world, oneOf('id', ids)),
    listOrganizationSubscriptions: (ids) => subscriptions(world, oneOf('organization_id', ids)),
    listClusters: (ids) =>
      listed(
        (query) => world.listClusters(query),
        { search: `${MANAGED} and product.id in ('osd','rosa') and ${oneOf('subscription.id', ids)}` },
        clusterRow,
      ),
    organizationNames: (ids) => {
      const { items } = listed(
        (query) => world.listOrganizations(query),
        { search: oneOf('id', ids) },
        ({ id, name }) => [id, name] as const,
      );
      return new Map(items);
    },
    listVersionGates: () =>
      listed(
        (query) => world.listGates(query),
        {},
        ({ id, version_raw_id_prefix, label }) => ({ id, versionPrefix: version_raw_id_prefix, label }),
      ),
    listNodePools: (clusterId) =>
      listed(
        (query) => world.listNodePools(clusterId, query),
        {},
        ({ id, version }) => ({ id, version: { rawId: version.raw_id } }),
      ),
    listPolicies: (target) =>
      listed(
        (query) => world.listPolicies(target, query),
        {},
        (policy) => policyRow(world, target, policy),
      ),
    listAgreements: (clusterId) =>
      listed(
        (query) => world.listAgreements(clusterId, query),
        {},
        ({ version_gate }) => version_gate.id,
      ),
    agreeToGate: (clusterId, gateId) =>
      refusable(() => {
        world.createAgreement(clusterId, { version_gate: { id: gateId } });
        return { outcome: 'agreed' };
      }),
    availableChannels: (clusterId) => world.getCluster(clusterId).version.available_channels ?? [],
    createPolicy: (target, { version, nextRun }) =>
      refusable(() => {
        const body = { version, next_run: nextRun, schedule_type: 'manual', ...typeOf(target) };
        return { outcome: 'created', id: world.createPolicy(target, body)?.id ?? '' };
      }),
    deletePolicy: (target, id) =>
      refusable(() => {
        if (!world.listPolicies(target).items.some((policy) => policy.id === id)) return { outcome: 'absent' };
        world.deletePolicy(target, id);
        return { outcome: 'deleted' };
      }),
    switchChannel: (clusterId, channel) => void world.patchCluster(clusterId, { channel }),
    listServiceLogs: (clusterUuid, serviceName, since) =>
      listed(
        (query) => world.listClusterLogs({ clusterUuid }, query),
        { search: `created_at >= '${since}' and service_name='${serviceName}'` },
        ({ description, created_at }) => ({ description, createdAt: created_at }),
      ),
    createServiceLog: ({ clusterUuid, serviceName, ...log }) =>
      void world.createLog({ cluster_uuid: clusterUuid, service_name: serviceName, ...log }),
  };
  return intercepted(api, intercept);
}

function subscriptions(world: OcmCalls, which: string) {
  return listed(
    (query) => world.listSubscriptions(query),
    { search: `${MANAGED} and status in ('Active','Reserved') and ${which}` },
    ({ id, organization_id }) => ({ id, organizationId: organization_id }),
  );
}

function intercepted(
  api: { readonly [Name in keyof UpgradeApi]: (...args: never) => unknown },
  intercept: Intercept,
): UpgradeApi {
  const calls = Object.entries(api).map(([name, act]) => [
    name,
    async (...args: unknown[]) =>
      intercept({ name: name as keyof UpgradeApi, args }, () =>
        found(() => (act as (...given: unknown[]) => unknown)(...args)),
      ),
  ]);
  return Object.fromEntries(calls) as unknown as UpgradeApi;
}

function listed<Wire, Row>(
  list: (query: ListQuery) => Page<Wire>,
  query: ListQuery,
  row: (wire: Wire) => Row,
): Listed<Row> {
  const items: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { items: found, total } = list({ ...query, order: 'id', page, size: -1 });
    items.push(...found.map(row));
    if (found.length === 0 || items.length >= total) return { items, problems: [] };
  }
}

function oneOf(field: string, values: readonly string[]): string {
  return `${field} in (${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(',')})`;
}

function clusterRow(cluster: WireCluster) {
  const { version } = cluster;
  return {
    ...{ id: cluster.id, externalId: cluster.external_id, name: cluster.name, state: cluster.state },
    ...{ subscriptionId: cluster.subscription.id, productId: cluster.product.id, channel: cluster.channel },
    version: {
      ...{ id: version.id, rawId: version.raw_id, channelGroup: version.channel_group },
      availableUpgrades: version.available_upgrades,
    },
    ...{ hypershift: cluster.hypershift.enabled, sts: cluster.aws?.sts.enabled ?? false },
    ...{ healthState: cluster.health_state, createdAt: cluster.creation_timestamp },
  };
}

function policyRow(world: OcmCalls, target: UpgradeTarget, policy: WirePolicy) {
  const { id, version, schedule_type, next_run } = policy;
  const state = policy.state ?? world.getPolicyState(target, id);
  return {
    ...{ id, version: version || undefined, scheduleType: schedule_type, nextRun: next_run },
    state: { value: state.value },
  };
}

function typeOf({ kind, clusterId, nodePool }: UpgradeTarget): Readonly<Record<string, string>> {
  if (kind === 'cluster') return {};
  if (kind === 'control_plane') return { upgrade_type: 'ControlPlane', cluster_id: clusterId };
  return { upgrade_type: 'NodePool', cluster_id: clusterId, node_pool_id: nodePool ?? '' };
}

/** What is not there has the code that the client gives it. */
function found<T>(act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (!(thrown instanceof SimOcmError) || thrown.kind !== 'not-found') throw thrown;
    throw new EchelonError({ code: 'OCM_NOT_FOUND', message: thrown.message, hint: 'check the id' });
  }
}

/** A rejection by OCM is a value; anything else that it throws is an error. */
function refusable<T>(act: () => T): T | { outcome: 'refused'; reason: string; missingGates: string[] } {
  try {
    return act();
  } catch (thrown) {
    if (!(thrown instanceof SimOcmError) || thrown.status >= 500 || thrown.kind === 'not-found') throw thrown;
    return { outcome: 'refused', reason: thrown.message, missingGates: gatesIn(thrown.details) };
  }
}

function gatesIn(details: readonly unknown[] = []): string[] {
  return details.flatMap((gate) => {
    const { kind, id } = gate as { kind?: unknown; id?: unknown };
    return kind === 'VersionGate' && typeof id === 'string' ? [id] : [];
  });
}
