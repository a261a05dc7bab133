import { type Instant, MICROS } from '../../gates/index.ts';
import type { ClusterState, NodePool, ScheduledUpgrade, VersionGate } from '../engine/facts.ts';
import type { Labels } from '../policies/label-keys.ts';
import type { Site, UpgradeApi } from './ports.ts';

/** What was read about one cluster. */
export interface ClusterDetails {
  readonly readAt: Instant;
  /** In the order of the API. */
  readonly nodePools: readonly NodePool[];
  /** Includes a placeholder for unreadable ones. Ownership is not known here. */
  readonly policies: readonly Omit<ScheduledUpgrade, 'ours'>[];
  /** What could not be read. */
  readonly fault?: string;
  /** It was deleted since it was listed: not an error, unless it is listed again. */
  readonly gone?: true;
}

interface Aged<Value> {
  readonly readAt: Instant;
  readonly value: Value;
}

/** What is remembered between passes of the clusters of one organization. */
export interface OrganizationMemory {
  readonly details: Map<ClusterState['id'], ClusterDetails>;
  /** Ids of gates with an agreement. */
  readonly agreements: Map<ClusterState['id'], Aged<ReadonlySet<string>>>;
  /** By cluster, hashes of the notices sent to its users, with the time. */
  readonly notified: Map<string, Map<string, Instant>>;
}

/** What is remembered between passes over one OCM. It only saves calls; decisions do not depend on it. */
interface SiteMemory {
  readonly organizations: Map<string, OrganizationMemory>;
  /** By the id of a version. */
  readonly channels: Map<string, Aged<readonly string[]>>;
  readonly names: Map<string, string>;
  /** Subscriptions of organizations that are not served, and when that was seen. */
  readonly foreign: Map<string, Instant>;
  /** Labels of all organizations, from the last pass that could read them. */
  organizationLabels?: ReadonlyMap<string, Labels>;
}

export interface Memory {
  of(site: string): SiteMemory;
}

export function createMemory(): Memory {
  const sites = new Map<string, SiteMemory>();
  return {
    of: (name) => {
      const known = sites.get(name) ?? emptyMemory();
      sites.set(name, known);
      return known;
    },
  };
}

function emptyMemory(): SiteMemory {
  return { organizations: new Map(), channels: new Map(), names: new Map(), foreign: new Map() };
}

export function memoryOf({ organizations }: SiteMemory, orgId: string): OrganizationMemory {
  const known = organizations.get(orgId) ?? { details: new Map(), agreements: new Map(), notified: new Map() };
  organizations.set(orgId, known);
  return known;
}

/** Drops organizations that are not in view any more, so that memory does not grow over the life of a process. */
export function forgetOrganizations({ organizations }: SiteMemory, inView: Iterable<string>): void {
  const kept = new Set(inView);
  for (const orgId of organizations.keys()) if (!kept.has(orgId)) organizations.delete(orgId);
}

/** The same for clusters. */
export function forgetClusters(
  memory: OrganizationMemory,
  inView: readonly { readonly id: string; readonly uuid: string }[],
): void {
  const ids = new Set(inView.map(({ id }) => id));
  const uuids = new Set(inView.map(({ uuid }) => uuid));
  for (const id of memory.details.keys()) if (!ids.has(id)) memory.details.delete(id);
  for (const id of memory.agreements.keys()) if (!ids.has(id)) memory.agreements.delete(id);
  for (const uuid of memory.notified.keys()) if (!uuids.has(uuid)) memory.notified.delete(uuid);
}

/** Channels of a version change when a minor is released. */
const CHANNELS_LAST = MICROS.hour;

/** What the organizations of one OCM share during one pass; each thing is read once, and only on demand. */
export interface SitePass {
  readonly site: Site;
  readonly api: UpgradeApi;
  readonly memory: SiteMemory;
  gates(): Promise<readonly VersionGate[]>;
  /** Of a version, read through a cluster that runs it. */
  channels(versionId: string, clusterId: string): Promise<readonly string[]>;
}

export function sitePass(site: Site, api: UpgradeApi, memory: SiteMemory, now: () => Instant): SitePass {
  let gates: Promise<readonly VersionGate[]> | undefined;
  const channels = new Map<string, Promise<readonly string[]>>();
  return {
    site,
    api,
    memory,
    gates: () => {
      gates ??= readGates(api);
      return gates;
    },
    channels: (versionId, clusterId) => {
      const known = channels.get(versionId) ?? readChannels(api, memory, versionId, clusterId, now());
      channels.set(versionId, known);
      return known;
    },
  };
}

/** OCM itself enforces version gates, so an unreadable one lets nothing through. */
async function readGates(api: UpgradeApi): Promise<VersionGate[]> {
  const { items } = await api.listVersionGates();
  return items.map(({ id, versionPrefix, label }) => ({ id, prefix: versionPrefix, label }));
}

async function readChannels(
  api: UpgradeApi,
  { channels }: SiteMemory,
  versionId: string,
  clusterId: string,
  now: Instant,
): Promise<readonly string[]> {
  const known = channels.get(versionId);
  if (known !== undefined && now - known.readAt < CHANNELS_LAST) return known.value;
  const value = await api.availableChannels(clusterId);
  channels.set(versionId, { readAt: now, value });
  return value;
}
