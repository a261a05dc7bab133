import { defined } from '../../base/index.ts';
import { rowOf, secondText, secondTextAfter } from '../../gates/index.ts';
import type { Cancellation, Candidate, Explanation } from '../engine/choose.ts';
import { closedAt, type Stage, type UpgradeGates, type UpgradeVerdict } from '../engine/gate.ts';
import { clockDoubt, clockDoubtText } from '../engine/soak.ts';
import type { ClusterKey, PolicyProblem } from '../policies/org-spec.ts';
import type { EnvironmentOutcome } from '../scheduler/fleet-view.ts';
import {
  isSkipped,
  type OrganizationKey,
  type OrganizationOutcome,
  type PlannedOrganization,
} from '../scheduler/plan-organization.ts';
import type { Fault } from '../scheduler/ports.ts';

export const CLUSTER_ACTIONS = [
  'upgrade',
  'upgrade-node-pool',
  'cancel',
  'switch-channel',
  'agree-gates',
  'wait',
  'hold',
  'none',
] as const;
/** `agree-gates` is an action for the user; `hold` is a cluster that cannot be served, `none` one with nothing newer. */
export type ClusterAction = (typeof CLUSTER_ACTIONS)[number];

/** The plan for one cluster, for users and programs. Times are ISO 8601. */
export interface ClusterPlan extends ClusterKey {
  readonly version: string;
  readonly channel: string;
  readonly sector?: string;
  readonly schedule?: string;
  readonly action: ClusterAction;
  /** The version, or the channel of a switch. */
  readonly to?: string;
  readonly nodePool?: string;
  /** When an upgrade is to start. */
  readonly startsAt?: string;
  /** The name of the gate that it waits for, if it does. */
  readonly gate?: string;
  readonly reason: string;
  /** The earliest time at which the gate can open, where that is known. */
  readonly until?: string;
}

/** A service log that an apply sends to the users of a cluster, and why. */
export interface PlannedServiceLog {
  readonly cluster: string;
  readonly uuid: string;
  readonly summary: string;
  readonly reason: string;
}

export interface OrganizationPlan extends OrganizationKey {
  /** In turn order; held ones last. */
  readonly clusters: readonly ClusterPlan[];
  /** Configuration that stops the whole organization. */
  readonly stopped?: string;
  /** Why its soak is not counted for now; ends by itself. */
  readonly delayed?: string;
  /** Why it could not be observed. */
  readonly skipped: readonly Fault[];
  /** What could not be read; decided on the safe side. */
  readonly faults: readonly Fault[];
  readonly problems: readonly PolicyProblem[];
  readonly serviceLogs: readonly PlannedServiceLog[];
}

export interface UpgradePlan {
  readonly environments: readonly EnvironmentOutcome[];
  readonly organizations: readonly OrganizationPlan[];
}

export function fleetPlan(fleet: {
  readonly environments: readonly EnvironmentOutcome[];
  readonly organizations: readonly OrganizationOutcome[];
}): UpgradePlan {
  return { environments: fleet.environments, organizations: fleet.organizations.map(organizationPlan) };
}

export function organizationPlan(outcome: OrganizationOutcome): OrganizationPlan {
  const { environment, orgId, name } = outcome;
  const key = { environment, orgId, name };
  if (isSkipped(outcome)) {
    return { ...key, clusters: [], skipped: outcome.skipped, faults: [], problems: [], serviceLogs: [] };
  }
  const { decision, decidedAt, faults, spec, notices } = outcome;
  const doubt = clockDoubt(decision.ledger, decidedAt);
  return {
    ...key,
    clusters: clusterPlans(outcome),
    ...defined({ stopped: decision.fault, delayed: doubt && clockDoubtText(doubt) }),
    skipped: [],
    faults,
    problems: spec.problems,
    serviceLogs: notices.map(({ cluster: { name: cluster, uuid }, summary, reason }) => ({
      ...{ cluster, uuid, summary, reason },
    })),
  };
}

type About = Pick<ClusterPlan, keyof ClusterKey | 'version' | 'channel' | 'sector' | 'schedule'>;

function clusterPlans({ decision, facts }: PlannedOrganization): ClusterPlan[] {
  const known = [
    ...facts.clusters.map((cluster) => aboutOf(cluster, cluster.policy)),
    ...facts.held.map((cluster) => aboutOf(cluster, cluster.known)),
  ];
  const byId = new Map(known.map((cluster) => [cluster.id, cluster]));
  const cancelled = new Map(
    decision.plan.flatMap((item) => (item.action === 'cancel' ? [[item.clusterId, item]] : [])),
  );
  const planned = decision.verdicts.flatMap((explanation) => {
    const cluster = byId.get(explanation.clusterId);
    const cancellation = cancelled.get(explanation.clusterId);
    if (cluster === undefined) return [];
    return [
      cancellation === undefined ? explained(cluster, explanation, decision.gates) : cancelling(cluster, cancellation),
    ];
  });
  const held = facts.held.flatMap(({ id, held: reason }) => {
    const cluster = byId.get(id);
    const cancellation = cancelled.get(id);
    if (cluster === undefined) return [];
    return [
      cancellation === undefined ? { ...cluster, action: 'hold' as const, reason } : cancelling(cluster, cancellation),
    ];
  });
  return [...planned, ...stoppedRows(decision, facts, byId), ...held];
}

/** The reason is reported once, for the organization. */
export const ORGANIZATION_STOPPED = 'its organization is stopped';

/** No cluster had a turn. */
function stoppedRows(
  { fault }: PlannedOrganization['decision'],
  { clusters }: PlannedOrganization['facts'],
  byId: ReadonlyMap<string, About>,
): ClusterPlan[] {
  if (fault === undefined) return [];
  const reason = ORGANIZATION_STOPPED;
  return clusters.flatMap(({ id }) => {
    const cluster = byId.get(id);
    return cluster === undefined ? [] : [{ ...cluster, action: 'hold', reason }];
  });
}

interface Described extends ClusterKey {
  readonly version: string;
  readonly channel: string;
}

function aboutOf(
  { id, uuid, name, version, channel }: Described,
  { sector, schedule }: { readonly sector?: string; readonly schedule?: string },
): About {
  return {
    ...{ id, uuid, name, version, channel },
    ...defined({ sector, schedule }),
  };
}

function cancelling(cluster: About, { version, nodePool, reason }: Cancellation): ClusterPlan {
  return { ...cluster, action: 'cancel', to: version, ...defined({ nodePool }), reason };
}

function explained(cluster: About, explanation: Explanation, gates: UpgradeGates): ClusterPlan {
  const { item } = explanation;
  const { action, gate, reason, to, verdict } = shownOf(explanation, gates);
  if (item?.action === 'upgrade') {
    const { nodePool, nextRun } = item;
    return { ...cluster, action, ...defined({ nodePool, to }), startsAt: secondText(nextRun), reason };
  }
  const until = verdict?.until === undefined ? undefined : secondTextAfter(verdict.until);
  return { ...cluster, action, ...defined({ gate }), reason, ...defined({ until, to }) };
}

/** What is done to a cluster, or why not. */
export interface Shown extends Pick<ClusterPlan, 'action' | 'gate' | 'reason' | 'to'> {
  /** The one that the reason is of, and the version that it is about; absent for other reasons. */
  readonly verdict?: UpgradeVerdict;
  readonly judged?: string;
}

export function shownOf(explanation: Explanation, gates: UpgradeGates): Shown {
  const { item, candidates } = explanation;
  if (item?.action === 'upgrade') {
    const action = item.nodePool === undefined ? 'upgrade' : 'upgrade-node-pool';
    return { action, to: item.version, ...openBy(explanation, item.version, gates) };
  }
  const waiting = waitingFor(explanation, gates);
  if (item?.action === 'switch-channel') return { ...waiting, action: 'switch-channel', to: item.to };
  if (candidates.length === 0) return { action: 'none', ...waiting };
  return { action: stageOf(waiting.gate, gates) === 'consent' ? 'agree-gates' : 'wait', ...waiting };
}

function stageOf(gate: string | undefined, gates: UpgradeGates): Stage | undefined {
  return gate === undefined ? undefined : gates.get(gate)?.stage;
}

/** The numbers that let it pass. */
function openBy(
  { candidates }: Explanation,
  version: string,
  gates: UpgradeGates,
): Pick<Shown, 'reason' | 'verdict' | 'judged'> {
  const verdicts = candidates.find((candidate) => candidate.version === version)?.verdicts ?? [];
  const verdict = verdicts.find((each) => rowOf(gates, each).evidence);
  return verdict === undefined ? { reason: '' } : reasonOf(verdict, version);
}

type Waiting = Omit<Shown, 'action'>;

/** A gate on the version itself stays closed when the window opens. */
const CONDITIONS: readonly Stage[] = ['version', 'consent'];

/**
 * The most useful reason for a user. That is not always the decisive one: outside its window a cluster is not examined
 * further, but reporting the window is useless while no version has soaked. Version gates do not matter while the cluster
 * itself is stopped.
 */
function waitingFor({ candidates, waitsFor }: Explanation, gates: UpgradeGates): Waiting {
  if (candidates.length === 0) return { reason: 'no newer version is offered' };
  const stage = stageOf(waitsFor, gates);
  const next = stage === 'idle' || stage === 'fit' ? undefined : nextCandidate(candidates, gates);
  const condition = next && closedAt(gates, next.verdicts, ...CONDITIONS);
  if (next !== undefined && condition !== undefined)
    return { gate: condition.gate, ...reasonOf(condition, next.version), to: next.version };
  for (const { version, verdicts } of next === undefined ? candidates : [next, ...candidates]) {
    const verdict = verdicts.find((each) => each.gate === waitsFor && !each.ok);
    if (verdict !== undefined) return { gate: verdict.gate, ...reasonOf(verdict, version), to: version };
  }
  return { reason: 'no version passes all gates', ...defined({ gate: waitsFor }) };
}

/** The highest version that only waits for time, else the highest that can open by itself, else the highest. */
function nextCandidate(candidates: readonly Candidate[], gates: UpgradeGates): Candidate | undefined {
  const isOpen = ({ verdicts }: Candidate): boolean => closedAt(gates, verdicts, ...CONDITIONS) === undefined;
  const isBarred = ({ verdicts }: Candidate): boolean =>
    verdicts.some((verdict) => !verdict.ok && rowOf(gates, verdict).bars);
  return candidates.find(isOpen) ?? candidates.find((each) => !isBarred(each)) ?? candidates[0];
}

function reasonOf(verdict: UpgradeVerdict, judged: string): Pick<Shown, 'reason' | 'verdict' | 'judged'> {
  return { reason: verdict.reason, verdict, judged };
}
