import { isJson, type Json } from '../../../base/index.ts';
import { stamp } from '../instants.ts';
import type { Cluster } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import type { Field, Fields } from '../search/compile.ts';
import { channelParts } from '../version-graph.ts';
import { ACCOUNTS, CLUSTERS, clusterHref, versionHref, versionId } from './hrefs.ts';
import { type Collection, type ListQuery, listPage, type Page } from './list.ts';
import { denied, notFound, textIn } from './refusals.ts';
import { seesOrganization, type View, type Workshop } from './state.ts';
import type { CollectionLink, Link, WireCluster, WireClusterVersion, WireSts } from './wire.ts';

const SERVICE = 'clusters_mgmt';
const DOMAIN = 'openshift.example.com';

const FIELDS: Readonly<Record<string, Field<Cluster>>> = {
  id: { type: 'text', read: ({ id }) => id },
  name: { type: 'text', read: ({ name }) => name },
  display_name: { type: 'text', read: ({ displayName }) => displayName },
  external_id: { type: 'text', read: ({ externalId }) => externalId },
  state: { type: 'text', read: ({ state }) => state },
  'status.state': { type: 'text', read: ({ state }) => state },
  health_state: { type: 'text', read: ({ health }) => health },
  managed: { type: 'boolean', read: ({ managed }) => managed },
  multi_az: { type: 'boolean', read: ({ multiAz }) => multiAz },
  openshift_version: { type: 'text', read: ({ version }) => version },
  channel: { type: 'text', read: ({ channel }) => channel },
  'version.raw_id': { type: 'text', read: ({ version }) => version },
  'version.channel_group': { type: 'text', read: ({ channel }) => channelParts(channel).group },
  'product.id': { type: 'text', read: ({ product }) => product },
  'subscription.id': { type: 'text', read: ({ subscriptionId }) => subscriptionId },
  'organization.id': { type: 'text', read: ({ organizationId }) => organizationId },
  'cloud_provider.id': { type: 'text', read: ({ cloudProvider }) => cloudProvider },
  'region.id': { type: 'text', read: ({ region }) => region },
  'hypershift.enabled': { type: 'boolean', read: ({ hypershift }) => hypershift },
  'aws.sts.enabled': { type: 'boolean', read: ({ sts }) => sts },
  'aws.sts.role_arn': { type: 'text', read: (cluster) => stsOf(cluster).role_arn },
  'dns.base_domain': { type: 'text', read: baseDomain },
  creation_timestamp: { type: 'time', read: ({ createdAt }) => createdAt },
};

const PROPERTY = /^properties\.(.+)$/;

export const clusterFields: Fields<Cluster> = (name) => {
  const property = PROPERTY.exec(name)?.[1];
  return property === undefined ? FIELDS[name] : { type: 'text', read: ({ properties }) => properties[property] };
};

const CLUSTER_LIST: Collection<Cluster, 'subscription' | 'uuid' | 'organization' | 'name'> = {
  service: SERVICE,
  kind: 'Cluster',
  table: ({ state }) => state.clusters,
  fields: () => clusterFields,
  indexed: {
    'subscription.id': { index: 'subscription', key: (id) => id },
    external_id: { index: 'uuid', key: (id) => id },
    'organization.id': { index: 'organization', key: (id) => id },
    name: { index: 'name', key: (name) => name },
  },
  visible: ({ organizationId }, { caller }) => seesOrganization(caller, organizationId),
};

export function listClusters(view: View, query: ListQuery): Page<WireCluster> {
  return listPage(CLUSTER_LIST, view, query, (cluster) => listedCluster(view, cluster));
}

export function getCluster(view: View, id: string): WireCluster {
  return wireCluster(view, requireCluster(view, id), 'single');
}

/** The cluster with an id, if visible to the caller. */
export function requireCluster(view: View, id: string): Cluster {
  const cluster = view.state.clusters.get(id);
  if (cluster !== undefined && seesOrganization(view.caller, cluster.organizationId)) return cluster;
  throw notFound(SERVICE, `Cluster '${id}' not found`);
}

export function requireClusterWriter({ caller }: Workshop, type: string, call: string): void {
  if (caller.role !== 'viewer') return;
  throw denied(SERVICE, caller, call.startsWith('DELETE') ? 'delete' : 'create', type, call);
}

/** Moves a cluster to another channel, which changes its available upgrades. Nothing else can be changed here. */
export function patchCluster(shop: Workshop, id: string, body: Json, dryRun: boolean): WireCluster | undefined {
  const cluster = requireCluster(shop, id);
  requireClusterWriter(shop, 'Cluster', `PATCH ${clusterHref(id)}`);
  if (shop.caller.organizationId === undefined)
    throw new SimOcmError(SERVICE, 'bad-request', `could not locate organization of account '${shop.caller.id}'`);
  const channel = channelIn(cluster, body);
  if (!shop.graph.channels(cluster.version, shop.now).includes(channel)) throw notInChannel(cluster, channel);
  if (dryRun) return undefined;
  const record = { ...cluster, channel };
  shop.state.clusters.put(record, shop.now);
  return wireCluster(shop, record, 'single');
}

function channelIn(cluster: Cluster, body: Json): string {
  const channel = textIn(SERVICE, body, 'channel');
  if (channel !== undefined) return channel;
  const version = isJson(body['version']) ? body['version'] : {};
  const group = textIn(SERVICE, version, 'channel_group');
  if (group === undefined)
    throw new SimOcmError(SERVICE, 'bad-request', 'only channel and version.channel_group can be changed');
  return `${group}-${channelParts(cluster.channel).minor}`;
}

function notInChannel({ version, channel: current }: Cluster, channel: string): SimOcmError {
  const { group } = channelParts(channel);
  const reason =
    group === channelParts(current).group
      ? `The current version '${version}' is not available for the desired channel '${channel}'`
      : `The current version '${version}' is not available for the desired channel group '${group}'`;
  return new SimOcmError(SERVICE, 'bad-request', reason);
}

/** Cache for lists; valid until the cluster or its available upgrades change. */
const listed = new WeakMap<Cluster, WireCluster>();

function listedCluster(view: View, cluster: Cluster): WireCluster {
  const known = listed.get(cluster);
  if (known?.version.available_upgrades === upgradesOf(view, cluster)) return known;
  const wire = wireCluster(view, cluster, 'list');
  listed.set(cluster, wire);
  return wire;
}

/** The graph returns the same array as long as nothing changes. */
function upgradesOf({ graph, now }: View, { version, channel, hypershift }: Cluster): readonly string[] {
  return graph.upgrades(version, channel, now, hypershift);
}

/** Lists omit the available channels of a cluster; only a single read has them. */
function wireCluster(view: View, cluster: Cluster, as: 'list' | 'single'): WireCluster {
  const { id, name } = cluster;
  const href = clusterHref(id);
  const host = `${name}.${baseDomain(cluster)}`;
  return {
    kind: 'Cluster',
    id,
    href,
    name,
    display_name: cluster.displayName,
    external_id: cluster.externalId,
    creation_timestamp: stamp(cluster.createdAt),
    managed: cluster.managed,
    state: cluster.state,
    health_state: cluster.health,
    openshift_version: cluster.version,
    channel: cluster.channel,
    version: wireVersion(view, cluster, as),
    hypershift: { enabled: cluster.hypershift },
    product: link('Product', cluster.product, `${CLUSTERS}/products/${cluster.product}`),
    cloud_provider: link(
      'CloudProvider',
      cluster.cloudProvider,
      `${CLUSTERS}/cloud_providers/${cluster.cloudProvider}`,
    ),
    region: link(
      'CloudRegion',
      cluster.region,
      `${CLUSTERS}/cloud_providers/${cluster.cloudProvider}/regions/${cluster.region}`,
    ),
    subscription: link('Subscription', cluster.subscriptionId, `${ACCOUNTS}/subscriptions/${cluster.subscriptionId}`),
    identity_providers: collection('IdentityProvider', `${href}/identity_providers`),
    groups: collection('Group', `${href}/groups`),
    addons: collection('AddOnInstallation', `${href}/addons`),
    machine_pools: collection('MachinePool', `${href}/machine_pools`),
    ...(cluster.hypershift ? { node_pools: collection('NodePool', `${href}/node_pools`) } : {}),
    ...(cluster.cloudProvider === 'aws' ? { aws: { sts: stsOf(cluster) } } : {}),
    console: { url: `https://console-openshift-console.apps.${host}` },
    api: { url: `https://api.${host}:6443`, listening: 'external' },
    dns: { base_domain: baseDomain(cluster) },
    multi_az: cluster.multiAz,
    nodes: { compute: cluster.computeNodes },
    properties: cluster.properties,
    status: { state: cluster.state, limited_support_reason_count: 0 },
  };
}

function wireVersion(view: View, cluster: Cluster, as: 'list' | 'single'): WireClusterVersion {
  const { version, channel } = cluster;
  const { group } = channelParts(channel);
  return {
    kind: 'Version',
    id: versionId(version, group),
    href: versionHref(version, group),
    raw_id: version,
    channel_group: group,
    available_upgrades: upgradesOf(view, cluster),
    ...(as === 'single' ? { available_channels: view.graph.channels(version, view.now) } : {}),
  };
}

function stsOf({ sts, subscriptionId, name }: Cluster): WireSts {
  if (!sts) return { enabled: false };
  const account = accountOf(subscriptionId);
  return {
    enabled: true,
    role_arn: `arn:aws:iam::${account}:role/ManagedOpenShift-Installer-Role`,
    support_role_arn: `arn:aws:iam::${account}:role/ManagedOpenShift-Support-Role`,
    operator_role_prefix: name,
  };
}

/** Twelve stable digits. */
function accountOf(text: string): string {
  let number = 7;
  for (const char of text) number = (number * 31 + char.charCodeAt(0)) % 900_000_000_000;
  return String(100_000_000_000 + number);
}

function baseDomain({ id }: Cluster): string {
  return `${id.slice(0, 4)}.p1.${DOMAIN}`;
}

function link(kind: string, id: string, href: string): Link {
  return { kind: `${kind}Link`, id, href };
}

function collection(kind: string, href: string): CollectionLink {
  return { kind: `${kind}ListLink`, href };
}
