import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/org-spec.ts';

/** What a scheduler observed and requested in an organization. OCM keeps neither. Immutable. */
export interface Past {
  readonly clusters: ReadonlyMap<ClusterUuid, ClusterPast>;
  /** Upgrades that OCM accepted, oldest first. */
  readonly scheduled: readonly PastUpgrade[];
}

interface ClusterPast {
  readonly name: string;
  /** Oldest first. The first is what it had when it was first seen, or the oldest that is kept. */
  readonly versions: readonly SeenVersion[];
}

/** A change has the time of the first pass that saw it: it happened since the pass before. */
interface SeenVersion {
  readonly version: string;
  readonly since: Instant;
}

export interface PastUpgrade {
  readonly uuid: ClusterUuid;
  readonly name: string;
  readonly version: string;
  readonly nodePool?: string;
  /** When it was requested, and when it was to start. */
  readonly at: Instant;
  readonly startsAt: Instant;
}

export const EMPTY_PAST: Past = { clusters: new Map(), scheduled: [] };

/** So that the state of an organization stays small whatever happens to its clusters. */
export const PAST_LIMITS = { versions: 24, gone: 200, scheduled: 500 } as const;

/** A cluster as a pass sees it. */
interface SeenCluster {
  readonly uuid: ClusterUuid;
  readonly name: string;
  readonly version: string;
}

/**
 * Adds what a pass observed. Clusters that it did not see are kept, since they may only be unlabelled for a while: the
 * most recently changed ones. Linear in the number of clusters.
 */
export function observedPast(before: Past, seen: readonly SeenCluster[], now: Instant): Past {
  const clusters = new Map<ClusterUuid, ClusterPast>();
  for (const { uuid, name, version } of seen) {
    const versions = before.clusters.get(uuid)?.versions ?? [];
    const isSame = versions.at(-1)?.version === version;
    const after = isSame ? versions : [...versions, { version, since: now }].slice(-PAST_LIMITS.versions);
    clusters.set(uuid, { name, versions: after });
  }
  const gone = [...before.clusters]
    .filter(([uuid]) => !clusters.has(uuid))
    .sort(([, a], [, b]) => lastChange(b) - lastChange(a))
    .slice(0, PAST_LIMITS.gone);
  return { ...before, clusters: new Map([...clusters, ...gone]) };
}

function lastChange({ versions }: ClusterPast): number {
  return versions.at(-1)?.since ?? 0;
}

/** Adds upgrades that OCM accepted. */
export function scheduledPast(before: Past, upgrades: readonly Omit<PastUpgrade, 'name'>[]): Past {
  const added = upgrades.map(({ nodePool, ...upgrade }) => ({
    ...upgrade,
    name: before.clusters.get(upgrade.uuid)?.name ?? upgrade.uuid,
    ...defined({ nodePool }),
  }));
  return { ...before, scheduled: [...before.scheduled, ...added].slice(-PAST_LIMITS.scheduled) };
}
