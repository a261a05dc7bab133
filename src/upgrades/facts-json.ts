import * as z from 'zod';
import type { HeldCluster, OrgFacts, ScheduledUpgrade, ServedCluster } from './engine/facts.ts';
import type { ClusterId, ClusterUuid, SectorSpec, UpgradePolicy } from './policies/org-spec.ts';
import { instantShape, ledgerOf, stateShape, versionShape } from './scheduler/state.ts';

const texts = z.array(z.string());
const optionalTexts = texts.nullish();
const clusterId = z.string().transform((id) => id as ClusterId);
const kind = z.enum(['cluster', 'control_plane', 'node_pool']);

const sectorShape = z.object({
  name: z.string(),
  max_parallel_upgrades: z.string().nullish(),
  dependencies: texts.default([]),
});

const clusterShape = z.object({
  id: clusterId,
  uuid: z.string().transform((uuid) => uuid as ClusterUuid),
  name: z.string(),
  version: versionShape,
  available_upgrades: texts,
  channel: z.string(),
  available_channels: texts,
  hypershift: z.boolean(),
  product: z.enum(['rosa', 'osd']),
  sts: z.boolean(),
  soak_days: z.number().int().min(0),
  workloads: texts.min(1),
  schedule: z.string(),
  sector: z.string().nullish(),
  mutexes: optionalTexts,
  blocked_versions: optionalTexts,
  /** Beyond the vectors: times without upgrades. */
  freezes: optionalTexts,
  node_pools: z.array(z.object({ id: z.string(), version: versionShape })),
  /** Beyond the vectors: what an enforced health check reports, and why the cluster is held. */
  health_error: z.string().nullish(),
  held: z.string().nullish(),
});

const policyShape = z.object({
  kind,
  cluster_id: clusterId,
  id: z.string(),
  version: z.string(),
  state: z.string(),
  next_run: instantShape,
  schedule_type: z.enum(['manual', 'automatic']),
  node_pool: z.string().nullish(),
  /** Beyond the vectors: created by Echelon. */
  ours: z.boolean().default(false),
});

/** One organization at one time, in the shape of the `input` of a decision vector. */
export const factsShape = z.object({
  now: instantShape,
  org_blocked_versions: texts,
  /** Beyond the vectors: times without upgrades. */
  org_freezes: texts.default([]),
  sectors: z.array(sectorShape),
  clusters: z.array(clusterShape),
  existing_policies: z.array(policyShape),
  version_data: stateShape,
  version_gates: z.array(z.object({ id: z.string(), version_raw_id_prefix: z.string(), label: z.string() })),
  agreements: z.record(z.string(), texts),
});

type FactsJson = z.infer<typeof factsShape>;

/** The facts as engine types. The history is used unchanged. */
export function factsFromJson(input: FactsJson): OrgFacts {
  const clusters: ServedCluster[] = [];
  const held: HeldCluster[] = [];
  for (const raw of input.clusters) {
    const cluster = clusterOf(raw);
    if (raw.held) held.push({ ...cluster, known: cluster.policy, held: raw.held });
    else clusters.push(cluster);
  }
  return {
    blockedVersions: input.org_blocked_versions,
    freezes: input.org_freezes,
    sectors: input.sectors.map(sectorOf),
    clusters,
    held,
    problems: [],
    policies: input.existing_policies.map(policyOf),
    gates: input.version_gates.map(({ id, version_raw_id_prefix: prefix, label }) => ({ id, prefix, label })),
    agreements: new Map(Object.entries(input.agreements).map(([id, gates]) => [id as ClusterId, new Set(gates)])),
    ledger: ledgerOf(input.version_data),
    inherited: [],
  };
}

function clusterOf(raw: FactsJson['clusters'][number]): ServedCluster {
  return {
    id: raw.id,
    uuid: raw.uuid,
    name: raw.name,
    version: raw.version,
    availableUpgrades: raw.available_upgrades,
    channel: raw.channel,
    availableChannels: raw.available_channels,
    hosted: raw.hypershift && raw.product === 'rosa',
    sts: raw.sts,
    nodePools: raw.node_pools,
    state: 'ready',
    ...(raw.health_error ? { healthFault: raw.health_error } : {}),
    policy: upgradePolicyOf(raw),
  };
}

function upgradePolicyOf(raw: FactsJson['clusters'][number]): UpgradePolicy {
  return {
    soakDays: raw.soak_days,
    workloads: raw.workloads,
    schedule: raw.schedule,
    ...(raw.mutexes ? { mutexes: raw.mutexes } : {}),
    ...(raw.sector ? { sector: raw.sector } : {}),
    ...(raw.blocked_versions ? { blockedVersions: raw.blocked_versions } : {}),
    ...(raw.freezes ? { freezes: raw.freezes } : {}),
  };
}

function sectorOf({ name, max_parallel_upgrades: limit, dependencies }: FactsJson['sectors'][number]): SectorSpec {
  return { name, dependencies, ...(limit ? { maxParallelUpgrades: limit } : {}) };
}

function policyOf(raw: FactsJson['existing_policies'][number]): ScheduledUpgrade {
  return {
    kind: raw.kind,
    clusterId: raw.cluster_id,
    id: raw.id,
    version: raw.version,
    state: raw.state,
    nextRun: raw.next_run,
    ...(raw.node_pool ? { nodePool: raw.node_pool } : {}),
    ours: raw.ours,
  };
}
