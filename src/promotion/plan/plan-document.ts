import { defined } from '../../base/index.ts';
import type { PromotionPlan } from './make-plan.ts';

/** Machine-readable; file contents are represented by the diff. */
export function promotionDocument(plan: PromotionPlan, diff: string): object {
  return {
    upstream: plan.upstream,
    commit: plan.version.commit,
    ...defined({ digest: plan.version.digest }),
    scope: plan.scope,
    rollback: plan.isRollback,
    items: plan.items,
    files: plan.files.map(({ file }) => file),
    pending: plan.pending,
    ranges: plan.ranges,
    people: plan.people,
    shards: plan.shards,
    ...defined({ rollout: plan.rollout }),
    notes: plan.notes,
    diff,
  };
}
