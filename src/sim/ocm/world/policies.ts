import type { Json } from '../../../base/index.ts';
import { defined } from '../../../base/index.ts';
import { uuidOf } from '../ids.ts';
import { stamp, wholeSeconds } from '../instants.ts';
import type { Cluster, Policy, PolicyKind, PolicyState, PolicyTarget } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import type { Field } from '../search/compile.ts';
import { requireCluster, requireClusterWriter } from './clusters.ts';
import { missingGates, wireGate } from './gates.ts';
import { policiesHref } from './hrefs.ts';
import { type ListQuery, matchingRows, type Page, pageOf } from './list.ts';
import { requireNodePool } from './node-pools.ts';
import { type Asked, nextRunIn, policyIn, refused, scheduleIn } from './policy-request.ts';
import { automaticPlan, enterState, follow, timelineOf, upgradesOf } from './policy-runs.ts';
import { descriptionOf, isOver, isRunning, mayBecome } from './policy-timeline.ts';
import { booleanIn, notFound, textIn } from './refusals.ts';
import { seesAll, slotOf, type View, type Workshop } from './state.ts';
import type { WirePolicy, WirePolicyState } from './wire.ts';

const SERVICE = 'clusters_mgmt';

const KIND: Readonly<Record<PolicyKind, WirePolicy['kind']>> = {
  cluster: 'UpgradePolicy',
  control_plane: 'ControlPlaneUpgradePolicy',
  node_pool: 'NodePoolUpgradePolicy',
};

const STATES: readonly PolicyState[] = [
  'pending',
  'scheduled',
  'started',
  'delayed',
  'completed',
  'failed',
  'cancelled',
];

const FIELDS: Readonly<Record<string, Field<Policy>>> = {
  id: { type: 'text', read: ({ id }) => id },
  upgrade_type: { type: 'text', read: ({ upgradeType }) => upgradeType },
  schedule_type: { type: 'text', read: ({ scheduleType }) => scheduleType },
  version: { type: 'text', read: ({ version }) => version },
  'state.value': { type: 'text', read: ({ state }) => state },
};

export function listPolicies(view: View, target: PolicyTarget, query: ListQuery): Page<WirePolicy> {
  requireTarget(view, target);
  const rows = matchingRows(SERVICE, view.state.policies.by('slot', slotOf(target)), (name) => FIELDS[name], query);
  return pageOf({ service: SERVICE, kind: KIND[target.kind] }, view, query, rows, wirePolicy);
}

export function getPolicy(view: View, target: PolicyTarget, id: string): WirePolicy {
  return wirePolicy(requirePolicy(view, target, id));
}

/** Only classic clusters have this resource; for others the state is part of the policy. */
export function getPolicyState(view: View, target: PolicyTarget, id: string): WirePolicyState {
  return wireState(requirePolicy(view, target, id));
}

/** Undefined for a dry run. */
export function createPolicy(shop: Workshop, target: PolicyTarget, body: Json, dryRun = false): WirePolicy | undefined {
  const cluster = requireTarget(shop, target);
  requireClusterWriter(shop, KIND[target.kind], `POST ${policiesHref(target)}`);
  const asked = policyIn(shop, target, body, dryRun);
  checkTarget(shop, cluster, target);
  checkVersion(shop, cluster, target, asked);
  if (dryRun) return undefined;
  for (const over of shop.state.policies.by('slot', slotOf(target))) shop.state.policies.remove(over.id, shop.now);
  return wirePolicy(addPolicy(shop, target, asked));
}

/** Adds a policy without any checks. */
export function addPolicy(shop: Workshop, target: PolicyTarget, asked: Asked): Policy {
  const { now } = shop;
  return follow(shop, {
    id: uuidOf(shop.freshKey('policy'), 1),
    slot: slotOf(target),
    target,
    ...asked,
    state: 'pending',
    description: descriptionOf('pending', asked.version),
    since: now,
    timeline: timelineOf(shop, target, asked.version, asked.nextRun),
    createdAt: now,
    updatedAt: now,
  });
}

/** Changes the time of a policy that is not in progress; it is scheduled again. */
export function patchPolicy(shop: Workshop, target: PolicyTarget, id: string, body: Json): WirePolicy {
  const policy = requirePolicy(shop, target, id);
  requireClusterWriter(shop, KIND[target.kind], `PATCH ${policiesHref(target)}/${id}`);
  refuseRunning(policy);
  const nextRun = nextRunIn(shop, body) ?? policy.nextRun;
  const schedule = scheduleIn(body) ?? policy.schedule;
  const minorUpgrades = booleanIn(SERVICE, body, 'enable_minor_version_upgrades') ?? policy.minorUpgrades;
  const plan =
    policy.scheduleType === 'automatic' ? automaticPlan(shop, target, schedule ?? '', minorUpgrades) : { nextRun };
  const changed: Policy = { ...policy, ...plan, schedule, minorUpgrades };
  const timeline = timelineOf(shop, target, changed.version, changed.nextRun);
  const state = { state: 'pending', description: descriptionOf('pending', changed.version) } as const;
  return wirePolicy(follow(shop, { ...changed, ...state, timeline, since: shop.now, updatedAt: shop.now }));
}

export function deletePolicy(shop: Workshop, target: PolicyTarget, id: string): void {
  const policy = requirePolicy(shop, target, id);
  requireClusterWriter(shop, KIND[target.kind], `DELETE ${policiesHref(target)}/${id}`);
  refuseRunning(policy);
  shop.state.policies.remove(policy.id, shop.now);
}

/** As the operator inside a classic cluster, or support, does. */
export function patchPolicyState(shop: Workshop, target: PolicyTarget, id: string, body: Json): WirePolicyState {
  const policy = requirePolicy(shop, target, id);
  requireClusterWriter(shop, 'UpgradePolicyState', `PATCH ${policiesHref(target)}/${id}/state`);
  const value = textIn(SERVICE, body, 'value');
  const state = STATES.find((known) => known === value);
  if (state === undefined)
    throw new SimOcmError(SERVICE, 'bad-request', `Upgrade policy state '${value}' is not valid`);
  if (!seesAll(shop.caller) || !mayBecome(policy.state, state))
    throw new SimOcmError(
      SERVICE,
      'bad-request',
      `Upgrade policy '${id}' cannot go from '${policy.state}' to '${state}'`,
    );
  return wireState(enterState(shop, policy, state, textIn(SERVICE, body, 'description')));
}

function checkTarget(shop: Workshop, cluster: Cluster, target: PolicyTarget): void {
  if (cluster.hypershift === (target.kind === 'cluster'))
    throw refused(`Cluster '${cluster.id}' has no upgrade policies of this kind`);
  if (cluster.state !== 'ready') throw refused(`Cluster '${cluster.id}' is in state '${cluster.state}', not 'ready'`);
  const existing = shop.state.policies.by('slot', slotOf(target)).find(({ state }) => !isOver(state));
  if (existing !== undefined)
    throw refused(`There is already an upgrade policy '${existing.id}' in '${existing.state}' state`);
  if (target.kind === 'control_plane' && shop.now < cluster.settledAt)
    throw refused('An update is already in progress and the details are in the Progressing condition');
}

function checkVersion(shop: Workshop, cluster: Cluster, target: PolicyTarget, asked: Asked): void {
  const { version, upgradeType } = asked;
  if (version === '') return;
  if (!upgradesOf(shop, cluster, target).includes(version))
    throw refused(`Version '${version}' is not an available upgrade of ${named(cluster, target)}`);
  if (target.kind === 'node_pool' || upgradeType === 'ControlPlaneCVE') return;
  const missing = missingGates(shop, cluster, version);
  if (missing.length === 0) return;
  const reason = 'There are missing version gate agreements for this cluster. See details.';
  throw new SimOcmError(SERVICE, 'bad-request', reason, missing.map(wireGate));
}

function named({ id }: Cluster, { nodePool }: PolicyTarget): string {
  return nodePool === undefined ? `cluster '${id}'` : `node pool '${nodePool}'`;
}

/** The wording is the same for a change and a deletion. */
function refuseRunning({ id, state }: Policy): void {
  if (isRunning(state)) throw refused(`Upgrade policy '${id}' is in '${state}' state and cannot be updated`);
}

function requireTarget(view: View, { clusterId, nodePool }: PolicyTarget): Cluster {
  const cluster = requireCluster(view, clusterId);
  if (nodePool !== undefined) requireNodePool(view, clusterId, nodePool);
  return cluster;
}

function requirePolicy(view: View, target: PolicyTarget, id: string): Policy {
  requireTarget(view, target);
  const policy = view.state.policies.get(id);
  if (policy?.slot === slotOf(target)) return policy;
  throw notFound(SERVICE, `Upgrade policy '${id}' not found`);
}

function wirePolicy(policy: Policy): WirePolicy {
  const { target } = policy;
  const classic = target.kind === 'cluster';
  const { value, description } = wireState(policy);
  return {
    kind: KIND[target.kind],
    id: policy.id,
    href: `${policiesHref(target)}/${policy.id}`,
    cluster_id: target.clusterId,
    ...defined({ node_pool_id: target.nodePool }),
    schedule_type: policy.scheduleType,
    upgrade_type: policy.upgradeType,
    version: policy.version,
    next_run: wholeSeconds(policy.nextRun),
    ...defined({ schedule: policy.schedule }),
    enable_minor_version_upgrades: policy.scheduleType === 'manual' || policy.minorUpgrades,
    ...(classic
      ? {}
      : {
          state: { kind: 'UpgradePolicyState', value, description },
          creation_timestamp: stamp(policy.createdAt),
          last_update_timestamp: stamp(policy.updatedAt),
        }),
  };
}

function wireState({ target, id, state, description }: Policy): WirePolicyState {
  return { kind: 'UpgradePolicyState', href: `${policiesHref(target)}/${id}/state`, value: state, description };
}
