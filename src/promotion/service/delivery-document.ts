import { defined } from '../../base/index.ts';
import type { PromotionPlan } from '../plan/make-plan.ts';
import type { Delivery } from './delivery.ts';

/** Machine-readable; without a delivery nothing was to be delivered. */
export function requestDocument(plan: PromotionPlan, delivery: Delivery | undefined): object {
  return {
    commit: plan.version.commit,
    items: plan.items,
    files: plan.files.map(({ file }) => file),
    ...(delivery === undefined ? {} : deliveryDocument(delivery)),
  };
}

function deliveryDocument({ made, delivered, why }: Delivery): object {
  return {
    branch: made.branch,
    head: made.commit,
    ...defined({ reason: why }),
    ...(delivered === undefined
      ? {}
      : {
          mergeRequest: { url: delivered.request.url, outcome: delivered.outcome },
          superseded: delivered.superseded.map(({ url }) => url),
        }),
  };
}
