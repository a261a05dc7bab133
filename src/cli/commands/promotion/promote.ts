import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { count, defined, EchelonError, paintedDiff, textTable } from '../../../base/index.ts';
import {
  authorText,
  type Delivery,
  type DeliveryRequest,
  type Direction,
  openPromotion,
  type PlanRequest,
  PROMOTION_FILE,
  type Promotion,
  type PromotionPlan,
  promotionDocument,
  promotionMarkdown,
  promotionSummary,
  promotionTable,
  rangeText,
  requestDocument,
  shardLines,
  unifiedDiff,
} from '../../../promotion/index.ts';

import { wavesText } from '../../../rollouts/index.ts';
import type { Context } from '../../context.ts';
import { shortPath } from '../../instance.ts';
import { consent, EXIT } from '../../io.ts';
import { isDocument } from '../../options.ts';
import { document, documentWriters, headed, print, type Writer, type Writers } from '../../output/formats.ts';
import { line } from '../../output/terminal.ts';
import type { InitFlags, MrFlags, PromoteApplyFlags, PromoteFlags } from './commands.ts';
import { promotionPorts } from './ports.ts';

/** Shows what a promotion would change in the working tree. Writes nothing. */
export async function plan(ctx: Context, flags: PromoteFlags, direction: Direction = 'forward'): Promise<number> {
  const planned = await promotionOf(ctx, flags).plan(planRequest(ctx, flags), direction);
  await printPlan(ctx, flags, planned);
  const changes = planned.items.some(({ changed }) => changed);
  return flags.detailedExitcode === true && changes ? EXIT.changes : EXIT.ok;
}

/** Plans, asks for confirmation, and writes exactly the plan into the working tree: all files or none. */
export async function apply(ctx: Context, flags: PromoteApplyFlags, direction: Direction = 'forward'): Promise<number> {
  const promotion = promotionOf(ctx, flags);
  const plan = await promotion.plan(planRequest(ctx, flags), direction);
  if (flags.dryRun === true || !isDocument(flags.output)) await printPlan(ctx, flags, plan);
  if (flags.dryRun === true) {
    ctx.err.write('this is a dry run: nothing was changed\n');
    return EXIT.ok;
  }
  if (!(await promotion.apply(plan, ({ files }) => agreed(ctx, flags, files.length)))) return EXIT.failed;
  await reportApplied(ctx, flags, plan);
  return EXIT.ok;
}

function agreed(ctx: Context, { yes }: PromoteApplyFlags, files: number): Promise<boolean> {
  return consent(ctx, {
    question: `Change ${count(files, 'file')}`,
    yes,
    unattended: {
      message: `${count(files, 'file')} would be changed; no terminal to ask for confirmation`,
      hint: 'pass --yes, or review the plan first with: echelon promote plan',
    },
  });
}

async function reportApplied(ctx: Context, { output }: PromoteApplyFlags, plan: PromotionPlan): Promise<void> {
  const files = plan.files.map(({ file }) => file);
  if (isDocument(output)) {
    const { commit } = plan.version;
    ctx.out.write(await document(output, headed('PromotionResult', { commit, files, items: plan.items })));
  } else if (files.length > 0) {
    ctx.out.write(`\n${line(`Wrote ${count(files.length, 'file')}: ${files.join(', ')}`)}`);
  }
}

/** Creates one branch, one commit and one merge request; does not touch the working tree. */
export async function mr(ctx: Context, flags: MrFlags, direction: Direction = 'forward'): Promise<number> {
  const promotion = promotionOf(ctx, flags);
  const planned = await promotion.planDelivery(planRequest(ctx, flags), deliveryRequest(flags), direction);
  if (flags.dryRun === true || !isDocument(flags.output)) await printPlan(ctx, flags, planned.plan);
  if (flags.dryRun === true) {
    ctx.err.write(`this is a dry run: branch ${planned.branch} and its merge request were not created\n`);
    return EXIT.ok;
  }
  await reportRequest(ctx, flags, planned.plan, await promotion.deliver(planned));
  return EXIT.ok;
}

async function reportRequest(
  ctx: Context,
  flags: MrFlags,
  plan: PromotionPlan,
  delivery: Delivery | undefined,
): Promise<void> {
  if (isDocument(flags.output)) {
    ctx.out.write(await document(flags.output, headed('PromotionRequest', requestDocument(plan, delivery))));
    return;
  }
  if (delivery === undefined) return;
  const { made, delivered, why } = delivery;
  ctx.out.write(
    `\nBranch ${made.branch} at ${made.commit.slice(0, 12)}${made.isNew ? '' : ', unchanged'}${why === undefined ? '' : `; ${why}`}.\n`,
  );
  if (delivered === undefined) return;
  ctx.out.write(line(`Merge request ${delivered.outcome}: ${delivered.request.url}`));
  for (const { url } of delivered.superseded) ctx.out.write(line(`Closed as superseded: ${url}`));
}

/** Writes or prints an initial `promotion.yml`. */
export async function init(ctx: Context, flags: InitFlags): Promise<number> {
  const dryRun = flags.dryRun === true;
  const made = await promotionOf(ctx, flags).init({ force: flags.force === true, dryRun });
  ctx.out.write(
    dryRun
      ? made.text
      : `Wrote ${PROMOTION_FILE} with ${count(made.targets, 'target')} of ${count(made.upstreams, 'upstream')}. Review it, then run: echelon promote plan\n`,
  );
  return EXIT.ok;
}

interface WorkspaceFlags {
  readonly data?: string;
  readonly rolloutRecord?: string;
}

function promotionOf(ctx: Context, flags: WorkspaceFlags): Promotion {
  return openPromotion({ folder: instanceFolder(ctx, flags) }, promotionPorts(ctx, flags));
}

function planRequest(ctx: Context, flags: PromoteFlags): PlanRequest {
  const from = (folder: string | undefined): string | undefined =>
    folder === undefined ? undefined : resolve(ctx.cwd, folder);
  const clones = { upstreamClone: from(flags.upstreamClone), schemasClone: from(flags.schemasClone) };
  return { ...flags, ...defined(clones) };
}

function deliveryRequest(flags: MrFlags): DeliveryRequest {
  const { label: labels = [], forge: kind, forgeApi: api } = flags;
  return { ...flags, labels, forge: { ...defined({ kind, api }) } };
}

/** The instance folder: `--data`, ECHELON_DATA, else the current one. A bundle or a server cannot be edited. */
function instanceFolder(ctx: Context, { data }: WorkspaceFlags): string {
  const name = data ?? (ctx.env['ECHELON_DATA'] || '.');
  const folder = resolve(ctx.cwd, name);
  const isUrl = /^https?:\/\//i.test(name);
  if (!isUrl && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new EchelonError({
    code: 'PROMOTION_NEEDS_FOLDER',
    message: isUrl
      ? 'a promotion edits files, but the data is on a server'
      : `a promotion edits files, but ${shortPath(ctx.cwd, name)} is not a folder`,
    hint: 'pass a clone of the data repository with --data',
  });
}

interface ShownPlan {
  readonly plan: PromotionPlan;
  readonly diff: string;
}

const WRITERS: Writers<ShownPlan, PromoteFlags['output']> = {
  table: inTables({ wide: false }),
  wide: inTables({ wide: true }),
  ...documentWriters('PromotionPlan', ({ plan, diff }: ShownPlan) => promotionDocument(plan, diff)),
  markdown: ({ out }, { plan, diff }) => out.write(promotionMarkdown(plan, diff)),
};

/** Prints a plan: data on standard output, warnings on standard error; a page has them in it. */
async function printPlan(ctx: Context, { output }: PromoteFlags, plan: PromotionPlan): Promise<void> {
  await print(ctx, WRITERS, output, { plan, diff: await unifiedDiff(plan.files) });
  if (output !== 'markdown') printNotes(ctx, plan);
}

function inTables({ wide }: { readonly wide: boolean }): Writer<ShownPlan> {
  return ({ out }, { plan, diff }) => {
    const { paint } = out;
    const { titles, rows } = promotionTable(plan, wide);
    out.write(`${textTable(titles, rows, paint, out.style())}\n${promotionSummary(plan)}\n`);
    if (diff !== '') out.write(`\n${paintedDiff(diff, paint)}`);
    for (const range of plan.ranges) {
      const { isRollback, way, about, lines } = rangeText(range, wide);
      const heading = `${isRollback ? `${paint('red', 'ROLLBACK')} ` : ''}${paint('bold', way)}: ${about}`;
      out.write(`\n${[heading, ...lines].map(line).join('')}`);
    }
    if (plan.people.length > 0) out.write(`\n${line(`To notify: ${plan.people.map(authorText).join(', ')}`)}`);
    for (const lines of shardLines(plan, wide)) out.write(`\n${lines.map(line).join('')}`);
    out.write(wavesText(plan.rollout, out.pen()));
  };
}

function printNotes({ err }: Context, { notes }: PromotionPlan): void {
  for (const [index, { at, message, hint, rule }] of notes.entries()) {
    const place = at === undefined ? '' : `${err.paint('bold', at)}: `;
    /** A hint shared by consecutive warnings is printed once, after the last. */
    const isSame = notes[index + 1]?.hint === hint;
    err.line(`${place}${err.paint('yellow', 'warning')}: ${message} [${rule}]`);
    if (!isSame) err.line(`    ${hint}`);
  }
}
