import { defined } from '../../base/index.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import type { Context } from './context.ts';
import type { ScheduledUpgrade } from './facts.ts';
import { blockedGate } from './gates/blocked.ts';
import type { Cancellation } from './plan.ts';

const NOT_STARTED: ReadonlySet<string> = new Set(['pending', 'scheduled']);

/** Upgrades scheduled by Echelon that have not started and whose version became blocked. Those of others are never touched. */
export function cancellations(context: Context): Cancellation[] {
  const { facts, rules } = context;
  if (!rules.cancelOnBlock) return [];
  const blocks = new Map<string, Pick<UpgradePolicy, 'blockedVersions'>>();
  for (const { id, policy } of facts.clusters) blocks.set(id, policy);
  for (const { id, known } of facts.held) blocks.set(id, known);
  return facts.policies.flatMap((policy) => {
    const own = blocks.get(policy.clusterId);
    if (own === undefined || !mayBeCancelled(policy, context)) return [];
    const verdict = blockedGate(own, policy.version, context);
    return verdict.ok || verdict.fault !== undefined ? [] : [cancellation(policy, verdict.reason)];
  });
}

function mayBeCancelled({ ours, state, nextRun }: ScheduledUpgrade, { now }: Context): boolean {
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
