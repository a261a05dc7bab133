import type { Instant } from '../../gates/index.ts';
import type { ClusterState, NodePool, ScheduledUpgrade } from '../engine/facts.ts';
import type { Labels } from '../policies/label-keys.ts';

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

/** What is remembered between passes over one OCM. It only saves calls; decisions do not depend on it. */
export interface SiteMemory {
  readonly details: Map<ClusterState['id'], ClusterDetails>;
  /** Ids of gates with an agreement. */
  readonly agreements: Map<ClusterState['id'], Aged<ReadonlySet<string>>>;
  /** By the id of a version. */
  readonly channels: Map<string, Aged<readonly string[]>>;
  readonly names: Map<string, string>;
  /** Subscriptions of organizations that are not served, and when that was seen. */
  readonly foreign: Map<string, Instant>;
  /** By cluster, hashes of the notices sent to its users, with the time. */
  readonly notified: Map<string, Map<string, Instant>>;
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
  return {
    details: new Map(),
    agreements: new Map(),
    channels: new Map(),
    names: new Map(),
    foreign: new Map(),
    notified: new Map(),
  };
}

/** Drops clusters that are gone, so that memory does not grow over the life of a process. */
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
