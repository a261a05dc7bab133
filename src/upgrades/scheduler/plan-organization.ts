import { defined } from '../../base/index.ts';
import type { CronDialect, Instant } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import type { Candidate } from '../engine/choose.ts';
import { dialectOf } from '../engine/context.ts';
import { type Decision, decide, planUpgrades } from '../engine/decide.ts';
import type { ClusterState, OrgFacts, VersionGate } from '../engine/facts.ts';
import { closedAt, type UpgradeGates } from '../engine/gate.ts';
import type { Rules } from '../engine/rules.ts';
import type { InheritedLedger } from '../engine/soak.ts';
import { inheritSoak } from '../engine/soak.ts';
import { isVersion, UNKNOWN_VERSION } from '../engine/versions.ts';
import type { Inheritance } from '../policies/inheritance.ts';
import type { Reading } from '../policies/label-keys.ts';
import { orgSpecFromLabels } from '../policies/labels.ts';
import type { ClusterId, ClusterKey, ClusterSpec, ClusterUuid, OrgSpec } from '../policies/org-spec.ts';
import { orgSpecFromInstance } from '../policies/organization-file.ts';
import type { DiscoveredCluster, DiscoveredOrganization, Network } from './discovery.ts';
import type { OrganizationMemory, SitePass } from './memory.ts';
import { type Health, type ListedCluster, OrganizationObservation, readHealth } from './observation.ts';
import { observedPast } from './past.ts';
import { type Fault, faultOf, type ServedOrganization } from './ports.ts';
import { reservationsFor, stillReserved } from './reservations.ts';
import { type Notice, noticesOf, unsentNotices } from './service-logs.ts';
import type { FreshLedgers, OrganizationState, OrganizationStates, StoredState } from './state.ts';

/** Whom it is about. */
export interface OrganizationKey {
  readonly environment: string;
  readonly orgId: OrgId;
  readonly name: string;
}

/** An organization that was decided on. */
export interface PlannedOrganization extends OrganizationKey {
  readonly decidedAt: Instant;
  /** How schedules are read. */
  readonly dialect: CronDialect;
  readonly spec: OrgSpec;
  readonly facts: OrgFacts;
  readonly decision: Decision;
  readonly clusters: readonly ListedCluster[];
  readonly health: Health;
  /** Service logs to send to users. */
  readonly notices: readonly Notice[];
  /** What could not be read; decided on the safe side. */
  readonly faults: readonly Fault[];
  /** The stored state, and the state to store before anything is applied. */
  readonly stored: StoredState;
  readonly next: OrganizationState;
}

/** An organization that could not be observed. Nothing is decided or stored for it. */
export interface SkippedOrganization extends OrganizationKey {
  readonly skipped: readonly Fault[];
}

export type OrganizationOutcome = PlannedOrganization | SkippedOrganization;

export function isSkipped(outcome: OrganizationKey): outcome is SkippedOrganization {
  return 'skipped' in outcome;
}

/** How much is read: what the decision needs, also what explanations show, or also what a forecast may come to. */
export type ReadingDepth = 'decision' | 'explanation' | 'forecast';

export interface PlanParts {
  readonly pass: SitePass;
  readonly memory: OrganizationMemory;
  readonly organization: ServedOrganization & OrganizationKey;
  readonly discovered: DiscoveredOrganization;
  readonly seenAt: Instant;
  readonly network: Network;
  readonly states: OrganizationStates;
  /** Histories that this pass observed, where it does not store them. */
  readonly fresh: FreshLedgers;
  readonly rules: Rules;
  readonly gates: UpgradeGates;
  readonly depth: ReadingDepth;
  readonly resync: number;
  /** The sender of service logs. */
  readonly serviceName: string;
  readonly now: () => Instant;
  readonly signal: AbortSignal;
}

/** Observes an organization and decides. Never throws, except when aborted. */
export async function planOrganization(parts: PlanParts): Promise<OrganizationOutcome> {
  const { environment, orgId, name } = parts.organization;
  const key = { environment, orgId, name };
  const unknown = parts.network.faultOf(orgId);
  const missing = [...parts.discovered.faults, ...(unknown === undefined ? [] : [unknown])];
  if (missing.length > 0) return { ...key, skipped: missing };
  try {
    return { ...key, ...(await observeAndDecide(parts)) };
  } catch (thrown) {
    parts.signal.throwIfAborted();
    return { ...key, skipped: [faultOf(thrown)] };
  }
}

async function observeAndDecide(parts: PlanParts): Promise<Omit<PlannedOrganization, keyof OrganizationKey>> {
  const { organization, discovered, pass, states, network, rules } = parts;
  const stored = await states.read(organization.environment, organization.orgId);
  const spec = organizationSpec(discovered, network.inheritance, { strict: rules.strictPolicies });
  const inherited = await states.inherited(spec.inherit, parts.fresh);
  const health = await readHealth(organization, discovered.clusters, pass.site.health);
  const clusters = listedClusters(discovered, health.objections);
  const api = (await organization.connect?.()) ?? pass.api;
  const observation = new OrganizationObservation({ ...parts, api, spec, clusters });
  const settled = await settle(parts, observation, spec, stored.state, inherited);
  const { decision, decidedAt } = settled;
  const reservations =
    decision.fault === undefined
      ? stillReserved(stored.state.reservations, observation.details(), decidedAt)
      : stored.state.reservations.filter(({ nextRun }) => nextRun > decidedAt);
  const { unsent, faults } = await noticesFor(parts, spec);
  return {
    ...settled,
    dialect: dialectOf(rules),
    spec,
    clusters,
    health,
    notices: unsent,
    faults: [...health.faults, ...observation.faults, ...faults],
    stored,
    next: {
      ledger: decision.ledger,
      reservations: [...reservations, ...reservationsFor(decision.plan, decidedAt)],
      past: observedPast(stored.state.past, [...settled.facts.clusters, ...settled.facts.held], decidedAt),
    },
  };
}

/** A forecast sends nothing, and errors in a file are reported by its validation, to whoever changes it. */
function noticesFor({ pass, memory, discovered, depth, serviceName, now }: PlanParts, { problems, clusters }: OrgSpec) {
  const isSilent = depth === 'forecast' || discovered.declared !== undefined;
  const { api } = pass;
  return unsentNotices(isSilent ? [] : noticesOf(problems, clusters), { api, memory, serviceName, now });
}

type Settled = Pick<PlannedOrganization, 'facts' | 'decision' | 'decidedAt'>;

/** Each round reads what the one before showed to matter; normally few, and bounded in any case. */
const MOST_ROUNDS = 10;

async function settle(
  parts: PlanParts,
  observation: OrganizationObservation,
  spec: OrgSpec,
  state: OrganizationState,
  inherited: readonly InheritedLedger[],
): Promise<Settled> {
  const isForecast = parts.depth === 'forecast';
  // The change that a forecast tries may be the one that repairs it.
  if (stops(spec, parts.rules) && !isForecast) return decideOn(parts, observation, state, { gates: [], inherited });
  await Promise.all([observation.readPolicies(observation.mayBeBusy(state)), observation.readChannels()]);
  const gates: readonly VersionGate[] = isForecast || observation.leavesMinor() ? await parts.pass.gates() : [];
  if (isForecast) await observation.readAgreements(observation.meetGates(gates));
  for (let round = 1; ; round += 1) {
    const settled = decideOn(parts, observation, state, { gates, inherited });
    const recheck = clustersToRecheck(settled.facts, settled.decision, parts.depth !== 'decision');
    const all = round >= MOST_ROUNDS ? parts.discovered.clusters.map(({ row }) => row.id as ClusterId) : [];
    const policies = observation.unreadPolicies([...recheck.policies, ...all]);
    const agreements = observation.unreadAgreements([...recheck.agreements, ...all]);
    if (policies.length + agreements.length === 0) return settled;
    parts.signal.throwIfAborted();
    await Promise.all([observation.readPolicies(policies), observation.readAgreements(agreements)]);
  }
}

/** Then nothing is planned, whatever the clusters' state. */
function stops({ problems }: OrgSpec, { isolateFaults }: Rules): boolean {
  return problems.some(
    ({ severity, scope }) => severity === 'error' && (scope.kind === 'organization' || !isolateFaults),
  );
}

/** Soak counts up to when the clusters were observed; the decision uses the current time. */
function decideOn(
  { seenAt, now, rules, gates }: PlanParts,
  observation: OrganizationObservation,
  state: OrganizationState,
  around: Pick<OrgFacts, 'gates' | 'inherited'>,
): Settled {
  const decidedAt = now();
  const facts = observation.facts(state, around, decidedAt);
  const seen = decide(facts, seenAt, rules, gates);
  if (seen.fault !== undefined || seenAt === decidedAt) return { facts, decision: seen, decidedAt };
  const soak = inheritSoak(seen.ledger, facts.inherited);
  const planned = planUpgrades(facts, soak, decidedAt, rules, gates);
  return { facts, decision: { ...planned, ledger: seen.ledger }, decidedAt };
}

/** What an organization declares. A cluster whose labels could not all be read is held, and its users are not notified. */
function organizationSpec(
  { orgId, labels, clusters, declared }: DiscoveredOrganization,
  network: ReadonlyMap<string, Inheritance>,
  reading: Reading,
): OrgSpec {
  if (declared !== undefined) return orgSpecFromInstance(declared, clusters.map(keyOf), network, reading);
  const labelled = clusters.map((cluster) => ({ ...keyOf(cluster), labels: cluster.labels }));
  const spec = orgSpecFromLabels({ orgId, labels, clusters: labelled }, network, reading);
  const unread = new Map(clusters.flatMap(({ row, unread: why }) => (why === undefined ? [] : [[row.id, why]])));
  if (unread.size === 0) return spec;
  return {
    ...spec,
    clusters: spec.clusters.map((cluster) => heldIf(unread.get(cluster.id), cluster)),
    problems: spec.problems.filter(({ scope }) => scope.kind === 'organization' || !unread.has(scope.cluster.id)),
  };
}

function heldIf(held: string | undefined, cluster: ClusterSpec): ClusterSpec {
  if (held === undefined) return cluster;
  const { id, uuid, name } = cluster;
  return { id, uuid, name, known: 'held' in cluster ? cluster.known : cluster.policy, held };
}

function keyOf({ row: { id, externalId, name } }: DiscoveredCluster): ClusterKey {
  return { id: id as ClusterId, uuid: externalId as ClusterUuid, name };
}

const HOSTED_PRODUCT = 'rosa';

/** Clusters as engine types; one without a valid version is held. `objections` are by UUID. */
function listedClusters(
  { clusters }: DiscoveredOrganization,
  objections: ReadonlyMap<string, string>,
): ListedCluster[] {
  return clusters.map((cluster) => {
    const { row } = cluster;
    const { rawId, id: versionId = rawId, channelGroup = '', availableUpgrades } = row.version;
    const healthFault = objections.get(row.externalId);
    return {
      ...keyOf(cluster),
      version: isVersion(rawId) ? rawId : UNKNOWN_VERSION,
      versionId,
      availableUpgrades,
      channel: row.channel ?? channelGroup,
      hosted: row.hypershift && row.productId === HOSTED_PRODUCT,
      sts: row.sts,
      state:
        isVersion(rawId) || row.state !== 'ready' ? row.state : `without a valid version (${JSON.stringify(rawId)})`,
      product: row.productId ?? '',
      hypershift: row.hypershift,
      ...defined({ healthFault }),
    };
  });
}

type Id = ClusterState['id'];

/** Clusters that must be read again before a decision may be applied. */
interface Recheck {
  /** Their upgrade policies, as they are now. */
  readonly policies: readonly Id[];
  /** Their gate agreements. */
  readonly agreements: readonly Id[];
}

/**
 * A decision from remembered state is rechecked: the clusters that would be changed, and for an upgrade those that could
 * hold one of its mutexes. Agreements matter where only a version gate is closed, or with `thorough` everywhere.
 */
function clustersToRecheck(
  facts: OrgFacts,
  { plan, missingGates, verdicts, gates }: Decision,
  thorough: boolean,
): Recheck {
  const upgraded = new Set(plan.flatMap((item) => (item.action === 'upgrade' ? [item.clusterId] : [])));
  const isGated = (candidate: Candidate): boolean => closedAt(gates, candidate.verdicts, 'consent') !== undefined;
  const gated = thorough
    ? verdicts.filter(({ candidates }) => candidates.some(isGated)).map(({ clusterId }) => clusterId)
    : missingGates.map(({ clusterId }) => clusterId);
  return {
    policies: [...plan.map(({ clusterId }) => clusterId), ...sharingMutexes(facts, upgraded)],
    agreements: gated,
  };
}

function sharingMutexes({ clusters, held }: OrgFacts, ids: ReadonlySet<Id>): Id[] {
  if (ids.size === 0) return [];
  const members = [
    ...clusters.map(({ id, policy }) => ({ id, mutexes: policy.mutexes ?? [] })),
    ...held.map(({ id, known }) => ({ id, mutexes: known.mutexes ?? [] })),
  ];
  const taken = new Set(members.filter(({ id }) => ids.has(id)).flatMap(({ mutexes }) => mutexes));
  return members.filter(({ mutexes }) => mutexes.some((mutex) => taken.has(mutex))).map(({ id }) => id);
}
