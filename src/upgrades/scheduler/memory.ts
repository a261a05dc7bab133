import type { Instant } from '../../gates/index.ts';
import type { ClusterState, NodePool, ScheduledUpgrade } from '../engine/facts.ts';
import type { Labels } from '../policies/label-keys.ts';

/** What calls about one cluster showed. */
export interface ClusterDetails {
  readonly readAt: Instant;
  /** In the order of the API. */
  readonly nodePools: readonly NodePool[];
  /** One that could not be read is among them. Whose they are is not known here. */
  readonly policies: readonly Omit<ScheduledUpgrade, 'ours'>[];
  /** What could not be read. */
  readonly fault?: string;
}

interface Aged<Value> {
  readonly readAt: Instant;
  readonly value: Value;
}

/** What passes over one OCM remember. It makes the next one cheaper; without it nothing is decided otherwise. */
export interface SiteMemory {
  readonly details: Map<ClusterState['id'], ClusterDetails>;
  /** Ids of gates that were agreed to. */
  readonly agreements: Map<ClusterState['id'], Aged<ReadonlySet<string>>>;
  /** By the id of a version. */
  readonly channels: Map<string, Aged<readonly string[]>>;
  readonly names: Map<string, string>;
  /** Subscriptions of organizations that are not served, and when that was seen. */
  readonly foreign: Map<string, Instant>;
  /** By cluster, the hashes of what its users were told and when that was. */
  readonly notified: Map<string, Map<string, Instant>>;
  /** Labels of all organizations, as the last pass that could read them saw them. */
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
  return {
    details: new Map(),
    agreements: new Map(),
    channels: new Map(),
    names: new Map(),
    foreign: new Map(),
    notified: new Map(),
  };
}

/** Forgets clusters that are gone, so that memory does not grow with the life of a process. */
export function forgetOthers(
  memory: SiteMemory,
  clusters: readonly { readonly id: string; readonly uuid: string }[],
): void {
  const ids = new Set(clusters.map(({ id }) => id));
  const uuids = new Set(clusters.map(({ uuid }) => uuid));
  for (const id of memory.details.keys()) if (!ids.has(id)) memory.details.delete(id);
  for (const id of memory.agreements.keys()) if (!ids.has(id)) memory.agreements.delete(id);
  for (const uuid of memory.notified.keys()) if (!uuids.has(uuid)) memory.notified.delete(uuid);
}
