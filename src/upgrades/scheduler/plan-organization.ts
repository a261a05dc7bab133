import type { CronDialect, Instant } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import { dialectOf } from '../engine/context.ts';
import { type Decision, decide, planUpgrades } from '../engine/decide.ts';
import type { InheritedLedger, OrgFacts, VersionGate } from '../engine/facts.ts';
import type { UpgradeGates } from '../engine/gate.ts';
import type { Rules } from '../engine/rules.ts';
import { inheritSoak } from '../engine/soak.ts';
import { observedPast } from '../past/past.ts';
import type { ClusterId, OrgSpec } from '../policies/org-spec.ts';
import { clustersToRecheck } from './clusters-to-recheck.ts';
import type { DiscoveredOrganization } from './discover.ts';
import { type Fault, faultOf } from './fault.ts';
import { type Health, readHealth } from './health.ts';
import { listedClusters, organizationSpec } from './listed-clusters.ts';
import type { OrganizationMemory } from './memory.ts';
import type { Network } from './network.ts';
import { type Notice, noticesOf, unsentNotices } from './notify-users.ts';
import { type ListedCluster, OrganizationObservation } from './organization-observation.ts';
import type { FreshLedgers, OrganizationStates, StoredState } from './organization-state.ts';
import { reservationsFor, stillReserved } from './reservations.ts';
import type { ServedOrganization } from './site.ts';
import type { SitePass } from './site-pass.ts';
import type { OrganizationState } from './state-document.ts';

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
