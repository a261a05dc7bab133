import { defined, didYouMean, EchelonError } from '../../base/index.ts';
import { gateOpening, instantOf, jointOpening, type Opening, rowOf, secondText } from '../../gates/index.ts';
import { NOTHING_OFFERED } from '../engine/candidate-gates.ts';
import type { Candidate, Explanation } from '../engine/choose.ts';
import { dueAt } from '../engine/cluster-gates.ts';
import { UPGRADE_GATES } from '../engine/decide.ts';
import type { OrgFacts } from '../engine/facts.ts';
import type { UpgradeGates, UpgradeVerdict } from '../engine/gate.ts';
import type { Rules } from '../engine/rules.ts';
import type { KnownPolicy, PolicySource } from '../policies/org-spec.ts';
import {
  isSkipped,
  type OrganizationKey,
  type OrganizationOutcome,
  type PlannedOrganization,
} from '../scheduler/plan-organization.ts';
import { type ClusterPlan, ORGANIZATION_STOPPED, organizationPlan } from './plan.ts';

/** The verdict of one gate. `opens` is set exactly if it is closed. */
export interface GateExplanation {
  /** The name of a gate; `policy` or `organization` for what prevents the gates from being evaluated. */
  readonly gate: string;
  readonly state: 'pass' | 'wait' | 'broken';
  readonly reason: string;
  readonly opens?: Opening;
}

export interface CandidateExplanation {
  readonly version: string;
  readonly nodePool?: string;
  /** It is what the cluster gets now. */
  readonly chosen: boolean;
  /** In the order of the gates. */
  readonly gates: readonly GateExplanation[];
  /** The earliest moment at which all closed gates can be open; absent when none is closed. */
  readonly opens?: Opening;
  /** The first start that its schedule allows from then on, where that time is known. */
  readonly startsNotBefore?: string;
}

/** Everything that decides about one cluster at one time. */
export interface ClusterExplanation extends ClusterPlan {
  readonly environment: string;
  readonly orgId: string;
  readonly organization: string;
  readonly decidedAt: string;
  readonly policy: KnownPolicy;
  /** Why gates are not evaluated, or why there is no candidate. */
  readonly before: readonly GateExplanation[];
  /** Node pools first, then from the highest version to the lowest. */
  readonly candidates: readonly CandidateExplanation[];
}

/** Explains every cluster of the organizations that could be observed, in plan order. */
export function explainClusters(outcomes: readonly OrganizationOutcome[]): ClusterExplanation[] {
  return outcomes.flatMap((outcome) => (isSkipped(outcome) ? [] : explainOrganization(outcome)));
}

/** Those with this name, id or UUID; a name may match several. */
export function explanationsOf(all: readonly ClusterExplanation[], reference: string): ClusterExplanation[] {
  return all.filter(({ id, uuid, name }) => [id, uuid, name].some((own) => own === reference));
}

function explainOrganization(outcome: PlannedOrganization): ClusterExplanation[] {
  const { decision, facts } = outcome;
  const verdicts = new Map(decision.verdicts.map((explanation) => [explanation.clusterId, explanation]));
  const policies = policiesOf(facts);
  const invalid = new Set<string>(outcome.spec.clusters.filter((each) => 'held' in each).map(({ id }) => id));
  return organizationPlan(outcome).clusters.map((cluster) => ({
    ...cluster,
    ...aboutOf(outcome),
    policy: policies.get(cluster.id) ?? {},
    ...gatesOf(cluster, verdicts.get(cluster.id), outcome, invalid.has(cluster.id)),
  }));
}

function aboutOf({ environment, orgId, name, decidedAt }: PlannedOrganization & OrganizationKey) {
  return { environment, orgId, organization: name, decidedAt: secondText(decidedAt) };
}

function policiesOf({ clusters, held }: OrgFacts): ReadonlyMap<string, KnownPolicy> {
  return new Map<string, KnownPolicy>([
    ...clusters.map(({ id, policy }) => [id, policy] as const),
    ...held.map(({ id, known }) => [id, known] as const),
  ]);
}

function gatesOf(
  cluster: ClusterPlan,
  explanation: Explanation | undefined,
  organization: PlannedOrganization,
  isInvalid: boolean,
): Pick<ClusterExplanation, 'before' | 'candidates'> {
  if (explanation === undefined) return { before: [stopOf(cluster, organization, isInvalid)], candidates: [] };
  const { version, channel } = cluster;
  const candidates = explanation.candidates.map((candidate) =>
    withStart(candidateOf(candidate, explanation, organization.decision.gates), cluster, organization),
  );
  if (candidates.length > 0) return { before: [], candidates };
  const nothing = `OCM offers nothing newer than ${version} in ${channel}`;
  return {
    before: [{ gate: NOTHING_OFFERED, state: 'wait', reason: nothing, opens: { after: 'a newer version is offered' } }],
    candidates,
  };
}

function stopOf(
  { reason, action }: ClusterPlan,
  { decision }: PlannedOrganization,
  isInvalid: boolean,
): GateExplanation {
  const { fault } = decision;
  const isHeld = fault === undefined || reason !== ORGANIZATION_STOPPED;
  const shown = isHeld || action === 'cancel' ? reason : `${ORGANIZATION_STOPPED}: ${fault}`;
  const ofCluster = isInvalid ? 'the policy of the cluster is fixed' : 'the cluster is ready again';
  const after = isHeld ? ofCluster : 'the configuration of its organization is fixed';
  return { gate: isHeld ? 'policy' : 'organization', state: 'broken', reason: shown, opens: { after } };
}

function candidateOf(
  { version, nodePool, verdicts }: Candidate,
  { item }: Explanation,
  list: UpgradeGates,
): CandidateExplanation {
  const gates = verdicts.map((verdict) => gateOf(verdict, version, list));
  const opens = earliestOf(verdicts, version, list);
  return {
    version,
    ...defined({ nodePool }),
    chosen: item?.action === 'upgrade' && item.version === version && item.nodePool === nodePool,
    gates,
    ...defined({ opens }),
  };
}

/** Gates open when the upgrade can be booked; what users wait for is its start. */
function withStart(
  candidate: CandidateExplanation,
  { schedule }: ClusterPlan,
  { dialect }: PlannedOrganization,
): CandidateExplanation {
  const { opens } = candidate;
  if (opens === undefined || !('at' in opens) || schedule === undefined) return candidate;
  const due = dueAt(schedule, instantOf(Date.parse(opens.at)), { dialect });
  return 'slot' in due ? { ...candidate, startsNotBefore: secondText(due.slot) } : candidate;
}

function gateOf(verdict: UpgradeVerdict, version: string, list: UpgradeGates): GateExplanation {
  const { gate, ok, reason, fault } = verdict;
  if (ok) return { gate, state: 'pass', reason };
  return { gate, state: fault === undefined ? 'wait' : 'broken', reason, opens: openingOf(verdict, version, list) };
}

/** When one closed gate can open. */
export function openingOf(verdict: UpgradeVerdict, version: string, gates: UpgradeGates = UPGRADE_GATES): Opening {
  return gateOpening(verdict, version, gates);
}

/** When all gates can be open at once; undefined when none is closed. */
export function earliestOf(
  verdicts: readonly UpgradeVerdict[],
  version: string,
  gates: UpgradeGates = UPGRADE_GATES,
): Opening | undefined {
  return jointOpening(closedIn(verdicts, gates).map((verdict) => openingOf(verdict, version, gates)));
}

/** A busy cluster holds its own mutexes; that is reported once. */
function closedIn(verdicts: readonly UpgradeVerdict[], gates: UpgradeGates): UpgradeVerdict[] {
  const closed = verdicts.filter(({ ok }) => !ok);
  const isBusy = closed.some((verdict) => rowOf(gates, verdict).stage === 'idle' && verdict.fault === undefined);
  const isItself = ({ waitsOn, fault }: UpgradeVerdict): boolean => waitsOn === undefined && fault === undefined;
  return closed.filter((verdict) => !(isBusy && isItself(verdict) && rowOf(gates, verdict).stage === 'room'));
}

/** Explanations of the clusters that a reference matches. */
export type ClusterAnswer = { readonly clusters: readonly ClusterExplanation[] } | { readonly unknown: EchelonError };

interface Explained {
  /** The clusters that the reference matches. */
  readonly clusters: readonly ClusterExplanation[];
  readonly names: readonly string[];
}

/** What is kept of an organization to answer for a reference. */
export function explainedIn(outcome: OrganizationOutcome, reference: string): Explained {
  const all = explainClusters([outcome]);
  return { clusters: explanationsOf(all, reference), names: all.map(({ name }) => name) };
}

export function explainReference(
  organizations: readonly Explained[],
  reference: string,
  policies: PolicySource,
  { heldClustersCount }: Pick<Rules, 'heldClustersCount'>,
): ClusterAnswer {
  const clusters = organizations.flatMap((each) => each.clusters);
  if (clusters.length > 0) return { clusters };
  const onlyReady = heldClustersCount ? '' : '; by these rules one that is not ready does not count';
  const names = new Set(organizations.flatMap((each) => each.names));
  return {
    unknown: new EchelonError({
      code: 'CLUSTER_UNKNOWN',
      message:
        policies === 'files'
          ? `no file of a served organization names a cluster ${reference} that OCM has${onlyReady}`
          : `no served organization has a labelled cluster ${reference}${onlyReady}`,
      hint: didYouMean(reference, names, 'list them with: echelon upgrades plan -o wide'),
    }),
  };
}
