import { defined, mapLimited } from '../../base/index.ts';
import { type Instant, MICROS, secondText } from '../../gates/index.ts';
import type { Cancellation, PlanItem, Upgrade } from '../engine/choose.ts';
import type { VersionGate } from '../engine/facts.ts';
import { type Fault, faultOf, isGone } from './fault.ts';
import type { UpgradeApi, UpgradeTarget } from './upgrade-api.ts';

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

export function notLeading(item: PlanItem): ItemResult {
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
