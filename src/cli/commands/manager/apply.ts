import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { count, defined, EchelonError, markdownTable, paintedDiff, textTable } from '../../../base/index.ts';
import { type ComparedText, externalDiff } from '../../../clients/external-diff.ts';
import {
  type ApprovedPlan,
  appliedDocument,
  appliedText,
  changesOf,
  type FleetPlan,
  type FleetStatus,
  fleetObstacles,
  fleetPlanDocument,
  type ItemResult,
  isNoteworthy,
  isSettled,
  itemText,
  type ObjectChange,
  type OperatedFleet,
  objectChange,
  objectFile,
  PLAN_TITLES,
  type PlanItem,
  type PlannedFleet,
  placeFailureText,
  planRow,
  planSummaryText,
  type RenderFailure,
  readSavedPlan,
  type SavedPlan,
  savedPlan,
  stateTotals,
  statusListing,
  takeOverNotice,
  watchedStatus,
} from '../../../manager/index.ts';
import { type WritePermits, writePermits } from '../../../runtime/index.ts';

import type { Context } from '../../context.ts';
import { consent, EXIT } from '../../io.ts';
import { isDocument, isForTerminal } from '../../options.ts';
import {
  document,
  documentWriters,
  headed,
  print,
  printListing,
  problemText,
  type Writer,
  type Writers,
  writeObstacle,
} from '../../output/formats.ts';
import { type Colour, line, ownSequence } from '../../output/terminal.ts';
import { watching } from '../../watch.ts';
import { withLease } from './clusters.ts';
import type { ApplyFlags, DiffFlags, PlanFlags, StatusFlags } from './commands.ts';
import { notWithIntegration, type OpenedManager, withManager } from './open.ts';

/** Shows what an apply would do; writes nothing except the plan with `--save`. */
export async function plan(ctx: Context, flags: PlanFlags): Promise<number> {
  return withManager(ctx, flags, { readOnly: true }, async ({ during }) => {
    const fleet = await during((manager) => manager.plan());
    await print(ctx, WRITERS, flags.output, fleet.plan);
    const wrong = reportFleet(ctx, fleet);
    if (flags.save !== undefined) save(ctx, flags.save, fleet);
    if (wrong) return EXIT.failed;
    return flags.detailedExitcode === true && changesOf(fleet.plan).length > 0 ? EXIT.changes : EXIT.ok;
  });
}

/** Prints all errors of the instance, the render and the clusters; returns whether there are any. */
export function reportFleet(ctx: Context, fleet: PlannedFleet): boolean {
  if (fleet.groups.length === 0) ctx.err.write('no managed integrations in scope\n');
  const instance = reportProblems(ctx, fleet, fleet.rendered.failures);
  return reportObstacles(ctx, fleet) || instance;
}

/** Readable by its owner only: it describes the fleet. */
function save(ctx: Context, file: string, fleet: PlannedFleet): void {
  writeFileSync(resolve(ctx.cwd, file), `${JSON.stringify(planNow(ctx, fleet), undefined, 2)}\n`, { mode: 0o600 });
  ctx.err.write(`plan saved to ${file}; apply it with: echelon manager apply ${file}\n`);
}

function planNow({ clock }: Context, { plan: made, access, rollout }: ApprovedPlan): SavedPlan {
  return savedPlan(made, changesOf(made), access, clock.now(), rollout?.version);
}

const COLOURS: Readonly<Partial<Record<PlanItem['action'], Colour>>> = {
  create: 'green',
  update: 'yellow',
  adopt: 'yellow',
  recreate: 'red',
  delete: 'red',
  hold: 'cyan',
  withhold: 'red',
  conflict: 'red',
};

type TableOf = (ctx: Context, rows: string[][], items: readonly PlanItem[]) => string;

/** The colour only repeats what the words say. */
const forTerminal: TableOf = ({ out }, rows, items) =>
  textTable(PLAN_TITLES, rows, out.paint, {
    ...out.style(),
    colour: (row, column) => (column === 0 ? COLOURS[items[row]?.action ?? 'keep'] : undefined),
  });

/** A plan: the actions with their reasons, then a summary. */
const WRITERS: Writers<FleetPlan> = {
  table: inTable(isNoteworthy, forTerminal),
  wide: inTable(() => true, forTerminal),
  ...documentWriters('Plan', fleetPlanDocument),
  name: ({ out }, { items }) => {
    for (const { kind, name } of items.filter(isNoteworthy)) out.line(`${kind.toLowerCase()}/${name}`);
  },
  markdown: inTable(isNoteworthy, (_, rows) => `${markdownTable(PLAN_TITLES, rows)}\n`),
};

function inTable(isShown: (item: PlanItem) => boolean, tableOf: TableOf): Writer<FleetPlan> {
  return (ctx, plan) => {
    const items = plan.items.filter(isShown);
    if (plan.takeOver !== undefined) ctx.out.write(takeOverNotice(plan.takeOver).map(line).join(''));
    const rows = items.map(planRow);
    if (rows.length > 0) ctx.out.write(tableOf(ctx, rows, items));
    ctx.out.write(`${ctx.out.paint('bold', planSummaryText(plan))}\n`);
  };
}

/** Reports what prevents the plan from being applied completely on standard error; returns whether there is any. */
function reportObstacles(ctx: Context, { plan, rollout }: PlannedFleet): boolean {
  const { paint } = ctx.err;
  const { failures, breaches, consentHints, conflictHints, notes, any } = fleetObstacles(plan, rollout);
  for (const failure of failures) writeObstacle(ctx, failure);
  for (const { message, code } of breaches) ctx.err.dated(`${paint('red', 'error:')} ${message} [${code}]`);
  for (const hint of consentHints) ctx.err.line(`    ${hint}`);
  for (const hint of conflictHints) ctx.err.line(`${paint('dim', 'hint:')} ${hint}`);
  for (const note of notes) ctx.err.dated(`note: ${note}`);
  return any;
}

/** Shows what an apply would change, object by object, as a unified diff. Exits 1 when there is a difference, 2 on error. */
export async function diff(ctx: Context, flags: DiffFlags): Promise<number> {
  const fleet = await withManager(ctx, flags, { readOnly: true }, ({ during }) => during((manager) => manager.plan()));
  const pairs = await Promise.all(changesOf(fleet.plan).map((item) => pairOf(objectChange(item, fleet.live))));
  const external = ctx.env['KUBECTL_EXTERNAL_DIFF'];
  const output = {
    stdout: (text: string) => ctx.out.write(withColours(text)),
    stderr: (text: string) => ctx.err.write(withColours(text)),
    signal: ctx.signal,
  };
  if (external) await externalDiff(external, pairs, output);
  else await printDiff(ctx, pairs);
  if (reportFleet(ctx, fleet)) return EXIT.changes;
  return pairs.length === 0 ? EXIT.ok : EXIT.failed;
}

async function pairOf({ item, before, after }: ObjectChange): Promise<ComparedText> {
  const named = after ?? before;
  return {
    file: named === undefined ? item.name : objectFile(item.cluster, item.namespace, named),
    before: before === undefined ? '' : await document('yaml', before),
    after: after === undefined ? '' : await document('yaml', after),
  };
}

const CONTEXT_LINES = 3;

async function printDiff({ out }: Context, pairs: readonly ComparedText[]): Promise<void> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  for (const { file, before, after } of pairs) {
    const text = createTwoFilesPatch(
      before === '' ? '/dev/null' : `live/${file}`,
      after === '' ? '/dev/null' : `merged/${file}`,
      before,
      after,
      undefined,
      undefined,
      { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY },
    );
    out.write(paintedDiff(text, out.paint));
  }
}

/** The operator's program may colour, and nothing else. */
function withColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
  return text.replaceAll(/\u001b\[([\d;]*m)/g, (_, code: string) => ownSequence(code));
}

/** Applies what the instance declares, or a saved plan. */
export async function apply(ctx: Context, file: string | undefined, flags: ApplyFlags): Promise<number> {
  if (file !== undefined && flags.integration !== undefined) throw notWithIntegration('a saved plan');
  return file === undefined ? applyInstance(ctx, flags) : applySaved(ctx, file, flags);
}

async function applyInstance(ctx: Context, flags: ApplyFlags): Promise<number> {
  return withWriter(ctx, flags, async (opened) => {
    const { during } = opened;
    const fleet = await during((manager) => manager.plan());
    const documents = isDocument(flags.output);
    if (!documents) await print(ctx, WRITERS, flags.output, fleet.plan);
    const wrong = reportFleet(ctx, fleet);
    if (flags.dryRun === true) {
      if (documents) await print(ctx, WRITERS, flags.output, fleet.plan);
      else ctx.err.write('this is a dry run: nothing was changed\n');
      return wrong ? EXIT.failed : EXIT.ok;
    }
    return applyApproved(ctx, flags, { approved: fleet, wrong, isEmpty: fleet.groups.length === 0 }, opened);
  });
}

/** A plan is applied exactly as approved or not at all. */
async function applySaved(ctx: Context, file: string, flags: ApplyFlags): Promise<number> {
  const saved = readSavedPlan(textOf(ctx, file), file);
  const { environment: environmentName, upstream } = saved.scope;
  const own = { ...flags, ...defined({ environmentName, upstream }) };
  return withWriter(ctx, own, async (opened) => {
    const approved = await opened.during((manager) => manager.approve(saved, file));
    if (isForTerminal(flags.output)) await print(ctx, WRITERS, flags.output, approved.plan);
    return flags.dryRun === true
      ? EXIT.ok
      : applyApproved(ctx, own, { approved, wrong: false, isEmpty: false }, opened);
  });
}

interface OpenedWriter extends OpenedManager {
  readonly permits: WritePermits;
}

/** A manager whose writes need the lease, where one is named. */
function withWriter(ctx: Context, flags: ApplyFlags, act: (writer: OpenedWriter) => Promise<number>): Promise<number> {
  const permits = writePermits();
  const options = { readOnly: flags.dryRun === true, permit: permits.current };
  return withManager(ctx, flags, options, (opened) => act({ ...opened, permits }));
}

async function applyApproved(
  ctx: Context,
  flags: ApplyFlags,
  { approved, wrong, isEmpty }: { readonly approved: ApprovedPlan } & Pick<Applied, 'wrong' | 'isEmpty'>,
  { during, permits }: OpenedWriter,
): Promise<number> {
  const total = changesOf(approved.plan).length;
  if (!(await agreed(ctx, flags, total))) return EXIT.failed;
  let done = 0;
  const results = await withLease(ctx, flags, permits, async (mayWrite) => {
    // Gates may have closed while the user was asked.
    const now =
      flags.lease === undefined
        ? approved
        : await during((manager) => manager.approve(planNow(ctx, approved), 'the plan', approved.vault));
    return during((manager, step) =>
      manager.apply(now, {
        mayWrite,
        onResult: ({ item }) => {
          done += 1;
          step(`${done}/${total} ${itemText(item)}`);
        },
      }),
    );
  });
  const failed = await report(ctx, flags, { revision: approved.plan.revision, isEmpty, wrong, results });
  return exitOf(ctx, failed || wrong);
}

function exitOf(ctx: Context, wrong: boolean): number {
  if (ctx.signal.aborted) return EXIT.interrupted;
  return wrong ? EXIT.failed : EXIT.ok;
}

function textOf(ctx: Context, file: string): string {
  try {
    return readFileSync(resolve(ctx.cwd, file), 'utf8');
  } catch (thrown) {
    throw new EchelonError({
      code: 'PLAN_INVALID',
      message: `cannot read the plan ${file}: ${(thrown as NodeJS.ErrnoException).code}`,
      hint: 'create one with: echelon manager plan --save FILE',
      cause: thrown,
    });
  }
}

async function agreed(ctx: Context, { yes }: ApplyFlags, changes: number): Promise<boolean> {
  if (changes === 0) return true;
  return consent(ctx, {
    question: `Apply ${count(changes, 'change')}`,
    yes,
    unattended: {
      message: `${count(changes, 'change')} would be applied; no terminal to ask for confirmation`,
      hint: 'pass --yes, or save the plan, review it and apply the file',
    },
  });
}

interface Applied {
  readonly revision: string;
  /** Nothing is declared in scope. */
  readonly isEmpty: boolean;
  /** Whether planning reported errors. */
  readonly wrong: boolean;
  readonly results: readonly ItemResult[];
}

/** Prints the results; returns whether anything failed. */
async function report(
  ctx: Context,
  flags: ApplyFlags,
  { revision, isEmpty, wrong, results }: Applied,
): Promise<boolean> {
  const failed = results.filter(({ outcome }) => outcome !== 'done');
  for (const { item, error } of failed) {
    if (error !== undefined) writeObstacle(ctx, error, `${itemText(item)}: ${error.message}`);
  }
  if (isDocument(flags.output)) {
    ctx.out.write(await document(flags.output, headed('ApplyResult', appliedDocument(revision, results))));
  } else if (results.length > 0) {
    ctx.out.write(`${appliedText(revision, results)}\n`);
  } else if (!wrong) {
    ctx.out.write(`Nothing to do: ${isEmpty ? 'nothing is declared in' : 'everything matches'} ${revision}.\n`);
  }
  return failed.length > 0;
}

/** Prints problems and render failures on standard error; returns whether any is an error. */
export function reportProblems(
  ctx: Context,
  { instance, problems }: Pick<OperatedFleet, 'instance' | 'problems'>,
  failures: readonly RenderFailure[] = [],
): boolean {
  for (const problem of problems) ctx.err.write(problemText(instance.snapshot, problem, ctx.err.paint));
  for (const { error } of failures) writeObstacle(ctx, error);
  return failures.length > 0 || problems.some(({ severity }) => severity === 'error');
}

/** Shows every shard's image and state; with `--watch` until all are settled. Exits 1 if some are not. */
export async function status(ctx: Context, flags: StatusFlags): Promise<number> {
  const watched = watching(ctx, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const { seen: fleet, finish } = await withManager(watched.ctx, flags, { readOnly: true }, ({ during }) =>
    watched.until({
      observe: () => during((manager) => manager.status()),
      viewOf: (seen: FleetStatus, now) => watchedStatus(seen, which, now),
    }),
  );
  await printStatus(ctx, flags, fleet);
  const wrong = reportProblems(ctx, fleet, fleet.rendered.failures);
  const failed = fleet.failures.length > 0 || fleet.rolloutFault !== undefined;
  return finish(wrong || failed || !fleet.shards.every(isSettled) ? EXIT.failed : EXIT.ok);
}

async function printStatus(ctx: Context, flags: StatusFlags, fleet: FleetStatus): Promise<void> {
  const { instance, shards, failures, rolloutFault } = fleet;
  await printListing(ctx, flags.output, statusListing(shards), instance.snapshot.revision.id);
  const totals = stateTotals(shards);
  if (totals !== undefined && isForTerminal(flags.output)) ctx.out.write(`${ctx.out.paint('bold', totals)}\n`);
  for (const failure of failures) writeObstacle(ctx, failure.error, placeFailureText(failure));
  if (rolloutFault !== undefined) writeObstacle(ctx, rolloutFault);
}
