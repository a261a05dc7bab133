import { count, EchelonError } from '../../../base/index.ts';
import { replaceFiles } from '../../../clients/files/index.ts';
import type { PromotionPlan } from '../../../promotion/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { API_VERSION, document, isDocument } from '../../output/format.ts';
import { type PromoteFlags, planFor } from './make.ts';
import { planPrinter } from './output.ts';
import { requireClean } from './require-clean.ts';
import { instanceFolder, openWorkingTree } from './workspace.ts';

export interface PromoteApplyFlags extends PromoteFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Plans, asks, and writes exactly what was shown into the working tree: all files or none. */
export async function apply(io: Io, flags: PromoteApplyFlags): Promise<number> {
  const print = planPrinter(io, flags, 'promote apply');
  const folder = instanceFolder(io, flags);
  const { workspace, config } = await openWorkingTree(io, folder);
  const plan = await planFor(io, flags, workspace, config);
  return applyPlan(io, flags, folder, plan, print);
}

export async function applyPlan(
  io: Io,
  flags: PromoteApplyFlags,
  folder: string,
  plan: PromotionPlan,
  print: (plan: PromotionPlan) => Promise<void>,
): Promise<number> {
  if (flags.dryRun === true || !isDocument(flags.output)) await print(plan);
  if (flags.dryRun === true) {
    io.stderr.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  requireDigests(plan);
  await requireClean(folder, plan.files);
  if (!(await agreed(io, flags, plan))) return EXIT.failed;
  replaceFiles(folder, plan.files);
  await report(io, flags, plan);
  return EXIT.ok;
}

/** A tag without its digest would be half a promotion. */
export function requireDigests({ pending }: PromotionPlan): void {
  if (pending.length === 0) return;
  throw new EchelonError({
    code: 'PROMOTION_DIGEST_UNKNOWN',
    message: `the digest of the new image is not known, and ${pending.join(', ')} cannot change without it. Nothing is promoted`,
    hint: 'use --check-image to ask the registry, name it with --digest, or leave these out with --except',
  });
}

async function agreed(io: Io, { yes }: PromoteApplyFlags, { files }: PromotionPlan): Promise<boolean> {
  if (files.length === 0) return true;
  return consent(io, {
    question: `Change ${count(files.length, 'file')}`,
    yes,
    unattended: {
      message: `${count(files.length, 'file')} would be changed, and nobody is here to ask`,
      hint: 'use --yes, or look at it first with echelon promote plan',
    },
  });
}

async function report(io: Io, flags: PromoteApplyFlags, plan: PromotionPlan): Promise<void> {
  const files = plan.files.map(({ file }) => file);
  if (isDocument(flags.output)) {
    const result = {
      apiVersion: API_VERSION,
      kind: 'PromotionResult',
      commit: plan.version.commit,
      files,
      items: plan.items,
    };
    io.stdout.write(await document(flags.output, result));
  } else if (files.length > 0) {
    io.stdout.write(`\nWrote ${count(files.length, 'file')}: ${files.join(', ')}\n`);
  }
}
