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
import { consent } from '../../consent.ts';
import { shortPath } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  API_VERSION,
  document,
  documentWriters,
  type Format,
  isDocument,
  type Writer,
  type Writers,
  writerFor,
} from '../../output/formats.ts';
import { fitting, line, type Paint, paintFor, penFor } from '../../output/terminal.ts';
import { promotionPorts } from './ports.ts';

/** Shows what a promotion would change in the working tree. Writes nothing. */
export async function plan(io: Io, flags: PromoteFlags, direction: Direction = 'forward'): Promise<number> {
  const print = planPrinter(io, flags, direction === 'forward' ? 'promote plan' : 'promote rollback plan');
  const planned = await promotionOf(io, flags).plan(planRequest(io, flags), direction);
  await print(planned);
  const changes = planned.items.some(({ changed }) => changed);
  return flags.detailedExitcode === true && changes ? EXIT.changes : EXIT.ok;
}

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
  await reportApplied(io, flags, plan);
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

async function reportApplied(io: Io, { output }: PromoteApplyFlags, plan: PromotionPlan): Promise<void> {
  const files = plan.files.map(({ file }) => file);
  if (isDocument(output)) {
    const { commit } = plan.version;
    const result = { apiVersion: API_VERSION, kind: 'PromotionResult', commit, files, items: plan.items };
    io.stdout.write(await document(output, result));
  } else if (files.length > 0) {
    io.stdout.write(`\n${line(`Wrote ${count(files.length, 'file')}: ${files.join(', ')}`)}`);
  }
}

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
  await reportRequest(io, flags, planned.plan, await promotion.deliver(planned));
  return EXIT.ok;
}

async function reportRequest(
  io: Io,
  flags: MrFlags,
  plan: PromotionPlan,
  delivery: Delivery | undefined,
): Promise<void> {
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

export interface InitFlags extends WorkspaceFlags {
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** Writes or prints an initial `promotion.yml`. */
export async function init(io: Io, flags: InitFlags): Promise<number> {
  const dryRun = flags.dryRun === true;
  const made = await promotionOf(io, flags).init({ force: flags.force === true, dryRun });
  io.stdout.write(
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

/** The flags of a plan are its request; folders are relative to the current directory. */
export interface PromoteFlags extends PlanRequest, WorkspaceFlags {
  readonly output: Format;
  readonly color?: boolean;
  readonly detailedExitcode?: boolean;
}

export interface PromoteApplyFlags extends PromoteFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export interface MrFlags extends PromoteFlags, Omit<DeliveryRequest, 'labels' | 'forge'> {
  readonly label?: readonly string[];
  readonly forge?: 'gitlab' | 'github';
  readonly forgeApi?: string;
  readonly dryRun?: boolean;
}

function promotionOf(io: Io, flags: WorkspaceFlags): Promotion {
  return openPromotion({ folder: instanceFolder(io, flags) }, promotionPorts(io, flags));
}

function planRequest(io: Io, flags: PromoteFlags): PlanRequest {
  const from = (folder: string | undefined): string | undefined =>
    folder === undefined ? undefined : resolve(io.cwd, folder);
  const clones = { upstreamClone: from(flags.upstreamClone), schemasClone: from(flags.schemasClone) };
  return { ...flags, ...defined(clones) };
}

function deliveryRequest(flags: MrFlags): DeliveryRequest {
  const { label: labels = [], forge: kind, forgeApi: api } = flags;
  return { ...flags, labels, forge: { ...defined({ kind, api }) } };
}

/** The instance folder: `--data`, ECHELON_DATA, else the current one. A bundle or a server cannot be edited. */
function instanceFolder(io: Io, { data }: WorkspaceFlags): string {
  const name = data ?? (io.env['ECHELON_DATA'] || '.');
  const folder = resolve(io.cwd, name);
  const isUrl = /^https?:\/\//i.test(name);
  if (!isUrl && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new EchelonError({
    code: 'PROMOTION_NEEDS_FOLDER',
    message: isUrl
      ? 'a promotion edits files, but the data is on a server'
      : `a promotion edits files, but ${shortPath(io.cwd, name)} is not a folder`,
    hint: 'pass a clone of the data repository with --data',
  });
}

interface ShownPlan {
  readonly plan: PromotionPlan;
  readonly diff: string;
  /** Paint for standard error. */
  readonly notesPaint: Paint;
}

const DOCUMENTS = documentWriters(({ plan, diff }: ShownPlan) => ({
  apiVersion: API_VERSION,
  kind: 'PromotionPlan',
  ...promotionDocument(plan, diff),
}));
const WRITERS: Writers<ShownPlan> = {
  table: noted(inTables({ wide: false })),
  wide: noted(inTables({ wide: true })),
  json: noted(DOCUMENTS.json),
  yaml: noted(DOCUMENTS.yaml),
  name: undefined,
  markdown: (io, { plan, diff }) => io.stdout.write(promotionMarkdown(plan, diff)),
};

/** Prints a plan: data on standard output, warnings on standard error. Rejects an unsupported format immediately. */
function planPrinter(io: Io, flags: PromoteFlags, command: string): (plan: PromotionPlan) => Promise<void> {
  const write = writerFor(WRITERS, flags.output, command);
  return async (plan) => {
    const notesPaint = paintFor(io.stderr, io.env, flags.color);
    const shown = { plan, diff: await unifiedDiff(plan.files), notesPaint };
    await write(io, shown, paintFor(io.stdout, io.env, flags.color));
  };
}

function inTables({ wide }: { readonly wide: boolean }): Writer<ShownPlan> {
  return (io, { plan, diff }, paint) => printTables(io, plan, diff, { wide, paint });
}

function noted(writer: Writer<ShownPlan>): Writer<ShownPlan> {
  return async (io, shown, paint) => {
    await writer(io, shown, paint);
    printNotes(io, shown.plan, shown.notesPaint);
  };
}

interface TableStyle {
  readonly wide: boolean;
  readonly paint: Paint;
}

function printTables(io: Io, plan: PromotionPlan, diff: string, { wide, paint }: TableStyle): void {
  const { titles, rows } = promotionTable(plan, wide);
  io.stdout.write(
    `${textTable(titles, rows, paint, fitting(io, wide ? 'wide' : 'table'))}\n${promotionSummary(plan)}\n`,
  );
  if (diff !== '') io.stdout.write(`\n${paintedDiff(diff, paint)}`);
  for (const range of plan.ranges) {
    const { isRollback, way, about, lines } = rangeText(range, wide);
    const heading = `${isRollback ? `${paint('red', 'ROLLBACK')} ` : ''}${paint('bold', way)}: ${about}`;
    io.stdout.write(`\n${[heading, ...lines].map(line).join('')}`);
  }
  if (plan.people.length > 0) io.stdout.write(`\n${line(`To notify: ${plan.people.map(authorText).join(', ')}`)}`);
  for (const lines of shardLines(plan, wide)) io.stdout.write(`\n${lines.map(line).join('')}`);
  io.stdout.write(wavesText(plan.rollout, penFor(io, paint, wide ? 'wide' : 'table')));
}

function printNotes(io: Io, { notes }: PromotionPlan, paint: Paint): void {
  for (const [index, { at, message, hint, rule }] of notes.entries()) {
    const place = at === undefined ? '' : `${paint('bold', at)}: `;
    /** A hint shared by consecutive warnings is printed once, after the last. */
    const isSame = notes[index + 1]?.hint === hint;
    io.stderr.write(line(`${place}${paint('yellow', 'warning')}: ${message} [${rule}]`));
    if (!isSame) io.stderr.write(line(`    ${hint}`));
  }
}
