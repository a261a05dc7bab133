import { compileCron, fiveFields } from '../../../base/index.ts';
import { MINUTE } from '../instants.ts';
import type { Cluster, Policy, PolicyState, PolicyTarget, PolicyTimeline } from '../model.ts';
import { randomOf } from '../random.ts';
import { minorOf } from '../version-graph.ts';
import { nodePoolUpgrades } from './node-pools.ts';
import { descriptionOf, drawTimeline, nextStep, stalled } from './policy-timeline.ts';
import { reportUpgrade } from './service-logs.ts';
import { nodePoolId, slotOf, type View, type Workshop } from './state.ts';

/** The minimum time between request and start of an upgrade. */
export const LEAD_TIME = 5 * MINUTE;

/** Stores a policy and schedules its next step. */
export function follow(shop: Workshop, policy: Policy): Policy {
  shop.state.policies.put(policy, shop.now);
  shop.wake(policy.id, nextStep(policy).at);
  return policy;
}

/** Executes the step that is due now, if it still is: the policy may have changed since it was planned. */
export function takeStep(shop: Workshop, policyId: string): void {
  const policy = shop.state.policies.get(policyId);
  if (policy === undefined) return;
  const { at, to } = nextStep(policy);
  if (at > shop.now) return;
  if (to === 'gone') shop.state.policies.remove(policyId, shop.now);
  else if (to === 'replanned') follow(shop, replanned(shop, policy));
  else enterState(shop, policy, to);
}

/** Sets the state of a policy, with all consequences. */
export function enterState(shop: Workshop, policy: Policy, state: PolicyState, description?: string): Policy {
  const cluster = shop.state.clusters.get(policy.target.clusterId);
  const stuck = state === 'started' && cluster?.state !== 'ready';
  if (cluster !== undefined) act(shop, policy, cluster, state);
  return follow(shop, {
    ...policy,
    state,
    description: description ?? descriptionOf(state, policy.version),
    since: shop.now,
    updatedAt: shop.now,
    ...(stuck ? { timeline: stalled(policy.timeline) } : {}),
  });
}

function act(shop: Workshop, policy: Policy, cluster: Cluster, state: PolicyState): void {
  if (state === 'completed') finish(shop, policy, cluster);
  if (policy.target.kind !== 'cluster') return;
  const { version } = policy;
  if (state === 'started')
    reportUpgrade(shop, cluster, 'Info', `Upgrade to ${version} started`, descriptionOf(state, version));
  if (state === 'completed')
    reportUpgrade(shop, cluster, 'Info', `Upgrade to ${version} completed`, descriptionOf(state, version));
  if (state === 'failed')
    reportUpgrade(shop, cluster, 'Error', `Upgrade to ${version} failed`, descriptionOf(state, version));
}

/** A hosted control plane does not upgrade its node pools. */
function finish(shop: Workshop, { target, version }: Policy, cluster: Cluster): void {
  const { state, now, timing } = shop;
  if (target.kind === 'node_pool') {
    const pool = state.nodePools.get(nodePoolId(cluster.id, target.nodePool ?? ''));
    if (pool !== undefined) state.nodePools.put({ ...pool, version }, now);
    return;
  }
  const { low, high } = timing.settle;
  const settling = cluster.hypershift ? randomOf(shop.seed, 'settle', cluster.id, version).between(low, high) : 0;
  state.clusters.put({ ...cluster, version, settledAt: now + settling }, now);
}

/** Available upgrades of a target, ascending. */
export function upgradesOf(view: View, cluster: Cluster, target: PolicyTarget): readonly string[] {
  const { state, graph, now } = view;
  if (target.kind !== 'node_pool') return graph.upgrades(cluster.version, cluster.channel, now, cluster.hypershift);
  const pool = state.nodePools.get(nodePoolId(cluster.id, target.nodePool ?? ''));
  return pool === undefined ? [] : nodePoolUpgrades(view, cluster, pool);
}

/** The next run and version of an automatic policy; no version while it is up to date. */
export function automaticPlan(view: View, target: PolicyTarget, schedule: string, minorUpgrades: boolean) {
  const cluster = view.state.clusters.get(target.clusterId);
  const nextRun = nextMatch(schedule, view.now + LEAD_TIME);
  if (cluster === undefined) return { nextRun, version: '' };
  const current = minorOf(cluster.version);
  const offered = upgradesOf(view, cluster, target).filter((version) => minorUpgrades || minorOf(version) === current);
  return { nextRun, version: offered.at(-1) ?? '' };
}

function replanned(shop: Workshop, policy: Policy): Policy {
  const plan = automaticPlan(shop, policy.target, policy.schedule ?? '', policy.minorUpgrades);
  return {
    ...policy,
    ...plan,
    state: 'pending',
    description: descriptionOf('pending', plan.version),
    since: shop.now,
    updatedAt: shop.now,
    timeline: timelineOf(shop, policy.target, plan.version, plan.nextRun),
  };
}

/** Deterministic for an upgrade and its time, whatever else happens. Another key than `course` would change existing runs. */
export function timelineOf(shop: Workshop, target: PolicyTarget, version: string, nextRun: number): PolicyTimeline {
  const random = randomOf(shop.seed, 'course', slotOf(target), version, nextRun);
  return drawTimeline(random, target.kind, shop.timing, shop.outcomes);
}

/** The first match after a moment; throws when the expression is invalid or never matches. */
export function nextMatch(schedule: string, after: number): number {
  const cron = compileCron(fiveFields(schedule), 'either');
  const next = 'fault' in cron ? undefined : cron.next(after);
  if (next === undefined) throw new RangeError(`${schedule} never matches`);
  return next;
}
