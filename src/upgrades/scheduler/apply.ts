import { defined, mapLimited } from '../../base/index.ts';
import { type Instant, MICROS, secondText } from '../../gates/index.ts';
import type { Cancellation, PlanItem, Upgrade } from '../engine/choose.ts';
import type { Decision } from '../engine/decide.ts';
import type { OrgFacts, VersionGate } from '../engine/facts.ts';
import type { ClusterKey } from '../policies/org-spec.ts';
import type { Subject } from './fleet-view.ts';
import { scheduledPast } from './past.ts';
import {
  isSkipped,
  type OrganizationKey,
  type OrganizationOutcome,
  type PlannedOrganization,
  type SkippedOrganization,
} from './plan-organization.ts';
import { type Fault, faultOf, isGone, type UpgradeApi, type UpgradeTarget } from './ports.ts';
import { reservationsFor, type Settlement, settled } from './reservations.ts';
import { type Notice, sendNotices } from './service-logs.ts';
import { MOST_RACES, type OrganizationStates, raceLost, type StoredState } from './state.ts';

/** The result of one organization in one pass. */
export interface OrganizationReport<Outcome = OrganizationOutcome> {
  readonly outcome: Outcome;
  /** One per item of an applied plan; empty where the plan was not applied. */
  readonly results: readonly ItemResult[];
  /** Notices sent to users. */
  readonly notices: readonly Notice[];
  /** Errors of Echelon or OCM after the decision. */
  readonly faults: readonly Fault[];
}

export interface ApplyParts extends Pick<ExecuteParts, 'now' | 'mayWrite' | 'signal' | 'onResult'> {
  readonly states: OrganizationStates;
  readonly serviceName: string;
}

/** Whom it is applied to. */
type ApplySubject = Pick<Subject, 'pass' | 'memory' | 'organization'>;

/**
 * Stores the observation together with what is about to be requested, then requests it. `replan` decides again from a
 * fresh read when another process stored first; without it the organization is skipped. Never throws, except when aborted.
 */
export async function applyOrganization<Planned extends ApplicableOrganization>(
  outcome: Planned | SkippedOrganization,
  subject: ApplySubject,
  parts: ApplyParts,
  replan?: () => Promise<Planned | SkippedOrganization>,
): Promise<OrganizationReport<Planned | SkippedOrganization>> {
  try {
    const stored = await store(outcome, parts, replan);
    if (!('version' in stored)) return { outcome: stored.outcome, results: stored.results, notices: [], faults: [] };
    return await act(stored.outcome, stored.version, subject, parts);
  } catch (thrown) {
    parts.signal.throwIfAborted();
    return { outcome, results: [], notices: [], faults: [faultOf(thrown)] };
  }
}

type Stored<Planned> =
  | { readonly outcome: Planned; readonly version: string }
  /** Nothing to store, or not allowed to. */
  | { readonly outcome: Planned | SkippedOrganization; readonly results: readonly ItemResult[] };

async function store<Planned extends ApplicableOrganization>(
  first: Planned | SkippedOrganization,
  { states, mayWrite, signal }: ApplyParts,
  replan: (() => Promise<Planned | SkippedOrganization>) | undefined,
): Promise<Stored<Planned>> {
  let outcome = first;
  for (let race = 1; ; race += 1) {
    signal.throwIfAborted();
    if (isSkipped(outcome)) return { outcome, results: [] };
    if (!mayWrite()) return { outcome, results: outcome.decision.plan.map(notLeading) };
    const { environment, orgId, next, stored } = outcome;
    const version = await states.write(environment, orgId, next, stored.version);
    if (version !== 'lost-race') return { outcome, version };
    if (replan === undefined) throw raceLost(environment, orgId, 'since it was planned for');
    if (race === MOST_RACES) throw raceLost(environment, orgId, `${MOST_RACES} times in a row`);
    outcome = await replan();
  }
}

async function act<Planned extends ApplicableOrganization>(
  planned: Planned,
  version: string,
  { pass, memory, organization }: ApplySubject,
  parts: ApplyParts,
): Promise<OrganizationReport<Planned>> {
  const { decision, facts, decidedAt } = planned;
  const { now, mayWrite, signal } = parts;
  const api = (await organization.connect?.()) ?? pass.api;
  const results = await executeItems(decision.plan, { ...parts, api, gates: facts.gates });
  for (const { item } of results) memory.details.delete(item.clusterId);
  const settlements = results.flatMap((result) => settlementOf(result, decidedAt));
  const accepted = acceptedUpgrades(results, planned);
  const faults = await settleAll(planned, version, { settlements, accepted }, parts);
  const sender = { api: pass.api, memory, serviceName: parts.serviceName, now, mayWrite, signal };
  const notified = await sendNotices(planned.notices, sender);
  return { outcome: planned, results, notices: notified.sent, faults: [...faults, ...notified.faults] };
}

function settlementOf(result: ItemResult, at: Instant): Settlement[] {
  if (result.item.action === 'cancel') return result.outcome === 'done' ? [{ cancelled: result.item }] : [];
  const [reservation] = reservationsFor([result.item], at);
  if (reservation === undefined || result.outcome === 'unconfirmed') return [];
  const policyId = result.outcome === 'done' ? result.policyId : undefined;
  return [{ reservation, policyId: policyId ?? 'refused' }];
}

type Accepted = Parameters<typeof scheduledPast>[1][number];

/** Upgrades that OCM accepted in this pass. */
function acceptedUpgrades(results: readonly ItemResult[], { clusters, decidedAt }: ApplicableOrganization): Accepted[] {
  const uuids = new Map(clusters.map(({ id, uuid }) => [id, uuid]));
  return results.flatMap(({ item, outcome }): Accepted[] => {
    const uuid = uuids.get(item.clusterId);
    if (item.action !== 'upgrade' || outcome !== 'done' || uuid === undefined) return [];
    const { version, nodePool, nextRun: startsAt } = item;
    return [{ uuid, version, at: decidedAt, startsAt, ...defined({ nodePool }) }];
  });
}

/** Stores the results of reservations. If that fails they stay taken for a while. */
async function settleAll(
  { environment, orgId, next }: ApplicableOrganization,
  version: string,
  { settlements, accepted }: { readonly settlements: readonly Settlement[]; readonly accepted: readonly Accepted[] },
  { states, mayWrite }: ApplyParts,
): Promise<Fault[]> {
  if (settlements.length === 0) return [];
  try {
    let current: StoredState = { state: next, version };
    for (let race = 1; race <= MOST_RACES; race += 1) {
      if (!mayWrite()) return [];
      const { ledger, reservations, past } = current.state;
      const state = { ledger, reservations: settled(reservations, settlements), past: scheduledPast(past, accepted) };
      if ((await states.write(environment, orgId, state, current.version)) !== 'lost-race') return [];
      current = await states.read(environment, orgId);
    }
    return [faultOf(raceLost(environment, orgId, 'while its upgrades were requested'))];
  } catch (thrown) {
    return [faultOf(thrown)];
  }
}

/** What is needed of an organization that was decided on to apply its plan, and to report on that. */
interface ApplicableOrganization
  extends Pick<PlannedOrganization, keyof OrganizationKey | 'decidedAt' | 'notices' | 'faults' | 'next'> {
  readonly decision: Pick<Decision, 'plan'>;
  readonly facts: Pick<OrgFacts, 'gates'>;
  /** At least those that the plan changes. */
  readonly clusters: readonly ClusterKey[];
  readonly stored: Pick<StoredState, 'version'>;
}

/** Without what only the decision needed: a plan of a large fleet is kept until it is applied. */
export function applicable(outcome: OrganizationOutcome): ApplicableOrganization | SkippedOrganization {
  if (isSkipped(outcome)) return outcome;
  const { environment, orgId, name, decidedAt, notices, faults, next, decision, facts, clusters, stored } = outcome;
  const changed = new Set<string>(decision.plan.map(({ clusterId }) => clusterId));
  return {
    ...{ environment, orgId, name, decidedAt, notices, faults, next },
    decision: { plan: decision.plan },
    facts: { gates: facts.gates },
    clusters: clusters
      .filter(({ id }) => changed.has(id))
      .map(({ id, uuid, name: cluster }) => ({ id, uuid, name: cluster })),
    stored: { version: stored.version },
  };
}

/** The result of one plan item. */
export type ItemResult = { readonly item: PlanItem } & (
  | { readonly outcome: 'done'; readonly policyId?: string }
  /** OCM refused it. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** The outcome is unknown; it counts as done until the next passes have observed it. */
  | { readonly outcome: 'unconfirmed'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly fault: Fault }
  /** It was not tried. */
  | { readonly outcome: 'skipped'; readonly reason: string }
);

export interface ExecuteParts {
  readonly api: UpgradeApi;
  /** For naming the gates that OCM requires. */
  readonly gates: readonly VersionGate[];
  readonly now: () => Instant;
  /** Checked before every write. */
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
  readonly onResult?: (result: ItemResult) => void;
}

const ITEMS_AT_ONCE = 8;
/** OCM refuses an upgrade that would start sooner. */
const LEAST_LEAD = 5 * MICROS.minute;

/** Applies exactly these items. A failing item does not affect others. Never throws. */
export async function executeItems(items: readonly PlanItem[], parts: ExecuteParts): Promise<ItemResult[]> {
  return mapLimited(items, ITEMS_AT_ONCE, async (item) => {
    const result = await executeItem(item, parts);
    parts.onResult?.(result);
    return result;
  });
}

async function executeItem(item: PlanItem, parts: ExecuteParts): Promise<ItemResult> {
  if (parts.signal.aborted) return { item, outcome: 'skipped', reason: 'interrupted' };
  if (!parts.mayWrite()) return notLeading(item);
  try {
    if (item.action === 'upgrade') return await createPolicy(item, parts);
    if (item.action === 'cancel') return await deletePolicy(item, parts);
    await parts.api.switchChannel(item.clusterId, item.to);
    return { item, outcome: 'done' };
  } catch (thrown) {
    if (isGone(thrown)) return { item, outcome: 'skipped', reason: 'the cluster was deleted' };
    const fault = faultOf(thrown);
    return fault.code === 'LEASE_LOST' ? notLeading(item) : { item, outcome: 'failed', fault };
  }
}

function notLeading(item: PlanItem): ItemResult {
  return { item, outcome: 'skipped', reason: 'another replica is the leader now' };
}

async function createPolicy(item: Upgrade, { api, gates, now }: ExecuteParts): Promise<ItemResult> {
  if (item.nextRun - now() < LEAST_LEAD) {
    return { item, outcome: 'skipped', reason: `too late for a start at ${secondText(item.nextRun)}` };
  }
  const policy = { version: item.version, nextRun: secondText(item.nextRun) };
  const creation = await api.createPolicy(targetOf(item), policy);
  if (creation.outcome === 'created') return { item, outcome: 'done', policyId: creation.id };
  if (creation.outcome === 'unconfirmed') return { item, outcome: 'unconfirmed', reason: creation.reason };
  const missing = creation.missingGates.map((id) => gateName(gates.find((gate) => gate.id === id)) ?? id);
  const named = missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`;
  return { item, outcome: 'refused', reason: creation.reason + named };
}

function gateName(gate: VersionGate | undefined): string | undefined {
  return gate === undefined ? undefined : `${gate.label} for ${gate.prefix}`;
}

async function deletePolicy(item: Cancellation, { api }: ExecuteParts): Promise<ItemResult> {
  const deletion = await api.deletePolicy(targetOf(item), item.policyId);
  return deletion.outcome === 'refused'
    ? { item, outcome: 'refused', reason: deletion.reason }
    : { item, outcome: 'done' };
}

function targetOf({ kind, clusterId, nodePool }: Upgrade | Cancellation): UpgradeTarget {
  return { kind, clusterId, ...defined({ nodePool }) };
}
