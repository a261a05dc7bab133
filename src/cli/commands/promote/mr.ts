import { type Delivery, type Direction, type PromotionPlan, requestDocument } from '../../../promotion/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { API_VERSION, document, isDocument } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { planPrinter } from './output.ts';
import { deliveryRequest, type MrFlags, planRequest, promotionOf } from './promote-flags.ts';

/** Creates one branch, one commit and one merge request; does not touch the working tree. */
export async function mr(io: Io, flags: MrFlags, direction: Direction = 'forward'): Promise<number> {
  const print = planPrinter(io, flags, 'promote mr');
  const promotion = promotionOf(io, flags);
  const planned = await promotion.planDelivery(planRequest(io, flags), deliveryRequest(flags), direction);
  if (flags.dryRun === true || !isDocument(flags.output)) await print(planned.plan);
  if (flags.dryRun === true) {
    io.stderr.write(`this is a dry run: branch ${planned.branch} and its merge request were not created\n`);
    return EXIT.ok;
  }
  await report(io, flags, planned.plan, await promotion.deliver(planned));
  return EXIT.ok;
}

async function report(io: Io, flags: MrFlags, plan: PromotionPlan, delivery: Delivery | undefined): Promise<void> {
  if (isDocument(flags.output)) {
    const head = { apiVersion: API_VERSION, kind: 'PromotionRequest' };
    io.stdout.write(await document(flags.output, { ...head, ...requestDocument(plan, delivery) }));
    return;
  }
  if (delivery === undefined) return;
  const { made, delivered, why } = delivery;
  io.stdout.write(
    `\nBranch ${made.branch} at ${made.commit.slice(0, 12)}${made.isNew ? '' : ', unchanged'}${why === undefined ? '' : `; ${why}`}.\n`,
  );
  if (delivered === undefined) return;
  io.stdout.write(line(`Merge request ${delivered.outcome}: ${delivered.request.url}`));
  for (const { url } of delivered.superseded) io.stdout.write(line(`Closed as superseded: ${url}`));
}
