import { defined, mapLimited, messageOf } from '../../base/index.ts';
import { type Instant, instantOf } from '../../gates/index.ts';
import type { ClusterState } from '../engine/facts.ts';
import { isVersion } from '../engine/versions.ts';
import { isGone } from './fault.ts';
import type { ClusterDetails } from './memory.ts';
import type { PolicyRow, Unread, UpgradeApi, UpgradeTarget } from './upgrade-api.ts';

type Cluster = Pick<ClusterState, 'id' | 'hosted'>;

const NODE_POOLS_AT_ONCE = 4;

/**
 * Upgrade policies of a cluster, and its node pools where the control plane is hosted. Never throws: a cluster whose
 * policies cannot all be read gets a placeholder policy, and so counts as busy.
 */
export async function readDetails(api: UpgradeApi, cluster: Cluster, now: Instant): Promise<ClusterDetails> {
  try {
    return cluster.hosted ? await readHosted(api, cluster, now) : await readClassic(api, cluster, now);
  } catch (thrown) {
    const details = unreadable(cluster, now, messageOf(thrown));
    return isGone(thrown) ? { ...details, gone: true } : details;
  }
}

async function readClassic(api: UpgradeApi, cluster: Cluster, readAt: Instant): Promise<ClusterDetails> {
  const { policies, problems } = await readPolicies(api, { kind: 'cluster', clusterId: cluster.id });
  return withProblems({ readAt, nodePools: [], policies }, cluster, problems);
}

async function readHosted(api: UpgradeApi, cluster: Cluster, readAt: Instant): Promise<ClusterDetails> {
  const { id: clusterId } = cluster;
  const pools = await api.listNodePools(clusterId);
  const targets: UpgradeTarget[] = [
    { kind: 'control_plane', clusterId },
    ...pools.items.map(({ id }) => ({ kind: 'node_pool', clusterId, nodePool: id }) as const),
  ];
  const lists = await mapLimited(targets, NODE_POOLS_AT_ONCE, (target) => readPolicies(api, target));
  const nodePools = pools.items.flatMap(({ id, version: { rawId } }) =>
    isVersion(rawId) ? [{ id, version: rawId }] : [],
  );
  const odd = nodePools.length < pools.items.length ? [{ message: 'a node pool has no version' }] : [];
  return withProblems({ readAt, nodePools, policies: lists.flatMap(({ policies }) => policies) }, cluster, [
    ...pools.problems,
    ...odd,
    ...lists.flatMap(({ problems }) => problems),
  ]);
}

interface ReadPolicies {
  readonly policies: ClusterDetails['policies'];
  readonly problems: readonly Unread[];
}

async function readPolicies(api: UpgradeApi, target: UpgradeTarget): Promise<ReadPolicies> {
  const { items, problems } = await api.listPolicies(target);
  return { policies: items.map((row) => policyOf(target, row)), problems };
}

/** An automatic policy may have no version yet; it may get one at any time. */
function policyOf({ kind, clusterId, nodePool }: UpgradeTarget, row: PolicyRow): ClusterDetails['policies'][number] {
  const nextRun = row.nextRun === undefined ? Number.NaN : Date.parse(row.nextRun);
  return {
    kind,
    clusterId: clusterId as ClusterState['id'],
    id: row.id,
    version: row.version ?? 'the next version',
    state: row.state?.value ?? 'in an unknown state',
    ...(Number.isNaN(nextRun) ? {} : { nextRun: instantOf(nextRun) }),
    ...defined({ nodePool }),
  };
}

function withProblems(
  details: ClusterDetails,
  cluster: Cluster,
  problems: readonly Pick<Unread, 'message'>[],
): ClusterDetails {
  const [first] = problems;
  if (first === undefined) return details;
  const { policies } = details.policies.length > 0 ? details : unreadable(cluster, details.readAt, first.message);
  return { ...details, policies, fault: first.message };
}

function unreadable(cluster: Cluster, readAt: Instant, why: string): ClusterDetails {
  const unknown = {
    kind: cluster.hosted ? 'control_plane' : 'cluster',
    clusterId: cluster.id,
    id: 'unreadable',
    version: 'an unknown version',
    state: 'possible: cannot read its upgrade policies',
  } as const;
  return { readAt, nodePools: [], policies: [unknown], fault: why };
}
