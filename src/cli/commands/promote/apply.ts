import { count } from '../../../base/index.ts';
import type { Direction, PromotionPlan } from '../../../promotion/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { API_VERSION, document, isDocument } from '../../output/format.ts';
import { line } from '../../output/terminal.ts';
import { planPrinter } from './output.ts';
import { type PromoteApplyFlags, planRequest, promotionOf } from './promote-flags.ts';

/** Plans, asks for confirmation, and writes exactly the plan into the working tree: all files or none. */
export async function apply(io: Io, flags: PromoteApplyFlags, direction: Direction = 'forward'): Promise<number> {
  const print = planPrinter(io, flags, direction === 'forward' ? 'promote apply' : 'promote rollback apply');
  const promotion = promotionOf(io, flags);
  const plan = await promotion.plan(planRequest(io, flags), direction);
  if (flags.dryRun === true || !isDocument(flags.output)) await print(plan);
  if (flags.dryRun === true) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  if (!(await promotion.apply(plan, ({ files }) => agreed(io, flags, files.length)))) return EXIT.failed;
  await report(io, flags, plan);
  return EXIT.ok;
}

function agreed(io: Io, { yes }: PromoteApplyFlags, files: number): Promise<boolean> {
  return consent(io, {
    question: `Change ${count(files, 'file')}`,
    yes,
    unattended: {
      message: `${count(files, 'file')} would be changed; no terminal to ask for confirmation`,
      hint: 'pass --yes, or review the plan first with: echelon promote plan',
    },
  });
}

async function report(io: Io, { output }: PromoteApplyFlags, plan: PromotionPlan): Promise<void> {
  const files = plan.files.map(({ file }) => file);
  if (isDocument(output)) {
    const { commit } = plan.version;
    const result = { apiVersion: API_VERSION, kind: 'PromotionResult', commit, files, items: plan.items };
    io.stdout.write(await document(output, result));
  } else if (files.length > 0) {
    io.stdout.write(`\n${line(`Wrote ${count(files.length, 'file')}: ${files.join(', ')}`)}`);
  }
}
