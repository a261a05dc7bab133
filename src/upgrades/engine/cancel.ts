import { defined } from '../../base/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import type { FullContext } from './context.ts';
import type { ScheduledUpgrade } from './facts.ts';
import { blockedGate } from './gates/blocked.ts';
import { frozen } from './gates/freeze.ts';
import type { Cancellation } from './plan.ts';
import type { UpgradeVerdict } from './upgrade-gate.ts';

const NOT_STARTED: ReadonlySet<string> = new Set(['pending', 'scheduled']);

/**
 * Upgrades scheduled by Echelon that have not started and whose version became blocked, or whose start is in a freeze now.
 * Those of others are never touched.
 */
export function cancellations(context: CancelContext): Cancellation[] {
  const { facts, rules } = context;
  if (!rules.cancelOnBlock && !rules.freezes) return [];
  const own = new Map<string, Stopping>();
  for (const { id, policy } of facts.clusters) own.set(id, policy);
  for (const { id, known } of facts.held) own.set(id, known);
  return facts.policies.flatMap((policy) => {
    const stopping = own.get(policy.clusterId);
    if (stopping === undefined || !mayBeCancelled(policy, context)) return [];
    const closed = verdicts(policy, stopping, context).find(({ ok, fault }) => !ok && fault === undefined);
    return closed === undefined ? [] : [cancellation(policy, closed.reason)];
  });
}

/** What cancellations depend on. */
export interface CancelContext extends Pick<FullContext, 'rules' | 'now'> {
  readonly facts: Pick<FullContext['facts'], 'clusters' | 'held' | 'policies' | 'blockedVersions' | 'freezes'>;
}

/** What may stop a scheduled upgrade. */
type Stopping = Pick<UpgradePolicy, 'blockedVersions' | 'freezes'>;

function verdicts({ version, nextRun }: ScheduledUpgrade, own: Stopping, context: CancelContext): UpgradeVerdict[] {
  const { rules } = context;
  const inFreeze =
    rules.freezes && nextRun !== undefined ? frozen(own.freezes, { start: nextRun, end: nextRun }, context) : undefined;
  return [...(rules.cancelOnBlock ? [blockedGate(own, version, context)] : []), ...(inFreeze ? [inFreeze] : [])];
}

function mayBeCancelled({ ours, state, nextRun }: ScheduledUpgrade, { now }: CancelContext): boolean {
  return ours && NOT_STARTED.has(state) && nextRun !== undefined && nextRun > now;
}

function cancellation({ kind, clusterId, id, version, nodePool }: ScheduledUpgrade, reason: string): Cancellation {
  return {
    action: 'cancel',
    kind,
    clusterId,
    policyId: id,
    version,
    ...defined({ nodePool }),
    reason,
  };
}
