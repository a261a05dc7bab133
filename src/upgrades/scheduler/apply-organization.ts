import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { scheduledPast } from '../past/past.ts';
import type { ApplicableOrganization } from './applicable-organization.ts';
import { type ExecuteParts, executeItems, type ItemResult, notLeading } from './execute.ts';
import { type Fault, faultOf } from './fault.ts';
import type { Subject } from './fleet-view.ts';
import { type Notice, sendNotices } from './notify-users.ts';
import { MOST_RACES, type OrganizationStates, raceLost, type StoredState } from './organization-state.ts';
import { isSkipped, type OrganizationOutcome, type SkippedOrganization } from './plan-organization.ts';
import { reservationsFor, type Settlement, settled } from './reservations.ts';

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
export type ApplySubject = Pick<Subject, 'pass' | 'memory' | 'organization'>;

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
