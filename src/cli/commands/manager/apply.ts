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
import { consent } from '../../consent.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  API_VERSION,
  document,
  documentWriters,
  errorLine,
  type Format,
  isDocument,
  isForTerminal,
  printListing,
  problemText,
  type Writer,
  type Writers,
  writeObstacle,
  writerFor,
} from '../../output/formats.ts';
import { type Colour, fitting, line, ownSequence, type Paint, paintFor } from '../../output/terminal.ts';
import { type WatchFlags, watching } from '../../watch.ts';
import type { LeaseFlags } from './clusters.ts';
import { withLease } from './clusters.ts';
import type { FleetFlags } from './flags.ts';
import { notWithIntegration, type OpenedManager, withManager } from './open.ts';

export interface PlanFlags extends FleetFlags, LeaseFlags {
  readonly save?: string;
  readonly detailedExitcode?: boolean;
}

/** Shows what an apply would do; writes nothing except the plan with `--save`. */
export async function plan(io: Io, flags: PlanFlags): Promise<number> {
  return withManager(io, flags, { readOnly: true }, async ({ during }) => {
    const fleet = await during((manager) => manager.plan());
    await printPlan(io, fleet.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
    const wrong = reportFleet(io, flags, fleet);
    if (flags.save !== undefined) save(io, flags.save, fleet);
    if (wrong) return EXIT.failed;
    return flags.detailedExitcode === true && changesOf(fleet.plan).length > 0 ? EXIT.changes : EXIT.ok;
  });
}

/** Prints all errors of the instance, the render and the clusters; returns whether there are any. */
export function reportFleet(io: Io, flags: FleetFlags, fleet: PlannedFleet): boolean {
  if (fleet.groups.length === 0) io.stderr.write('no managed integrations in scope\n');
  const instance = reportProblems(io, fleet, flags, fleet.rendered.failures);
  return reportObstacles(io, fleet, paintFor(io.stderr, io.env, flags.color)) || instance;
}

/** Readable by its owner only: it describes the fleet. */
function save(io: Io, file: string, fleet: PlannedFleet): void {
  writeFileSync(resolve(io.cwd, file), `${JSON.stringify(planNow(fleet), undefined, 2)}\n`, { mode: 0o600 });
  io.stderr.write(`plan saved to ${file}; apply it with: echelon manager apply ${file}\n`);
}

function planNow({ plan: made, access, rollout }: ApprovedPlan): SavedPlan {
  return savedPlan(made, changesOf(made), access, new Date(), rollout?.version);
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

/** Prints a plan: the actions with their reasons, then a summary. */
async function printPlan(io: Io, plan: FleetPlan, format: Format, paint: Paint): Promise<void> {
  await writerFor(WRITERS, format, 'manager plan')(io, plan, paint);
}

type TableOf = (io: Io, rows: string[][], items: readonly PlanItem[], paint: Paint) => string;

/** The colour only repeats what the words say. */
const forTerminal =
  (format: 'table' | 'wide'): TableOf =>
  (io, rows, items, paint) =>
    textTable(PLAN_TITLES, rows, paint, {
      ...fitting(io, format),
      colour: (row, column) => (column === 0 ? COLOURS[items[row]?.action ?? 'keep'] : undefined),
    });

const WRITERS: Writers<FleetPlan> = {
  table: inTable(isNoteworthy, forTerminal('table')),
  wide: inTable(() => true, forTerminal('wide')),
  ...documentWriters((plan: FleetPlan) => ({ apiVersion: API_VERSION, kind: 'Plan', ...fleetPlanDocument(plan) })),
  name: (io, { items }) => {
    for (const { kind, name } of items.filter(isNoteworthy)) io.stdout.write(line(`${kind.toLowerCase()}/${name}`));
  },
  markdown: inTable(isNoteworthy, (_, rows) => `${markdownTable(PLAN_TITLES, rows)}\n`),
};

function inTable(isShown: (item: PlanItem) => boolean, tableOf: TableOf): Writer<FleetPlan> {
  return (io, plan, paint) => {
    const items = plan.items.filter(isShown);
    if (plan.takeOver !== undefined) io.stdout.write(takeOverNotice(plan.takeOver).map(line).join(''));
    const rows = items.map(planRow);
    if (rows.length > 0) io.stdout.write(tableOf(io, rows, items, paint));
    io.stdout.write(`${paint('bold', planSummaryText(plan))}\n`);
  };
}

/** Reports what prevents the plan from being applied completely on standard error; returns whether there is any. */
function reportObstacles(io: Io, { plan, rollout }: PlannedFleet, paint: Paint): boolean {
  const { failures, breaches, consentHints, conflictHints, notes, any } = fleetObstacles(plan, rollout);
  for (const failure of failures) writeObstacle(io, failure, paint);
  for (const { message, code } of breaches)
    io.stderr.write(errorLine(io, `${paint('red', 'error:')} ${message} [${code}]`));
  for (const hint of consentHints) io.stderr.write(line(`    ${hint}`));
  for (const hint of conflictHints) io.stderr.write(line(`${paint('dim', 'hint:')} ${hint}`));
  for (const note of notes) io.stderr.write(errorLine(io, `note: ${note}`));
  return any;
}

/** Shows what an apply would change, object by object, as a unified diff. Exits 1 when there is a difference, 2 on error. */
export async function diff(io: Io, flags: FleetFlags & LeaseFlags): Promise<number> {
  const fleet = await withManager(io, flags, { readOnly: true }, ({ during }) => during((manager) => manager.plan()));
  const pairs = await Promise.all(changesOf(fleet.plan).map((item) => pairOf(objectChange(item, fleet.live))));
  const external = io.env['KUBECTL_EXTERNAL_DIFF'];
  const output = {
    stdout: (text: string) => io.stdout.write(withColours(text)),
    stderr: (text: string) => io.stderr.write(withColours(text)),
    signal: io.signal,
  };
  if (external) await externalDiff(external, pairs, output);
  else await printDiff(io, pairs, paintFor(io.stdout, io.env, flags.color));
  if (reportFleet(io, flags, fleet)) return EXIT.changes;
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

async function printDiff(io: Io, pairs: readonly ComparedText[], paint: Paint): Promise<void> {
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
    io.stdout.write(paintedDiff(text, paint));
  }
}

/** The operator's program may colour, and nothing else. */
function withColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it matches
  return text.replaceAll(/\u001b\[([\d;]*m)/g, (_, code: string) => ownSequence(code));
}

export interface ApplyFlags extends FleetFlags, LeaseFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Applies what the instance declares, or a saved plan. */
export async function apply(io: Io, file: string | undefined, flags: ApplyFlags): Promise<number> {
  if (file !== undefined && flags.integration !== undefined) throw notWithIntegration('a saved plan');
  return file === undefined ? applyInstance(io, flags) : applySaved(io, file, flags);
}

async function applyInstance(io: Io, flags: ApplyFlags): Promise<number> {
  return withWriter(io, flags, async (opened) => {
    const { during } = opened;
    const fleet = await during((manager) => manager.plan());
    const documents = isDocument(flags.output);
    if (!documents) await printPlan(io, fleet.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
    const wrong = reportFleet(io, flags, fleet);
    if (flags.dryRun === true) {
      if (documents) await printPlan(io, fleet.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
      else io.stderr.write('this is a dry run: nothing was changed\n');
      return wrong ? EXIT.failed : EXIT.ok;
    }
    return applyApproved(io, flags, { approved: fleet, wrong, isEmpty: fleet.groups.length === 0 }, opened);
  });
}

/** A plan is applied exactly as approved or not at all. */
async function applySaved(io: Io, file: string, flags: ApplyFlags): Promise<number> {
  const saved = readSavedPlan(textOf(io, file), file);
  const { environment: environmentName, upstream } = saved.scope;
  const own = { ...flags, ...defined({ environmentName, upstream }) };
  return withWriter(io, own, async (opened) => {
    const approved = await opened.during((manager) => manager.approve(saved, file));
    if (isForTerminal(flags.output)) {
      await printPlan(io, approved.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
    }
    return flags.dryRun === true ? EXIT.ok : applyApproved(io, own, { approved, wrong: false, isEmpty: false }, opened);
  });
}

interface OpenedWriter extends OpenedManager {
  readonly permits: WritePermits;
}

/** A manager whose writes need the lease, where one is named. */
function withWriter(io: Io, flags: ApplyFlags, act: (writer: OpenedWriter) => Promise<number>): Promise<number> {
  const permits = writePermits();
  const options = { readOnly: flags.dryRun === true, permit: permits.current };
  return withManager(io, flags, options, (opened) => act({ ...opened, permits }));
}

async function applyApproved(
  io: Io,
  flags: ApplyFlags,
  { approved, wrong, isEmpty }: { readonly approved: ApprovedPlan } & Pick<Applied, 'wrong' | 'isEmpty'>,
  { during, permits }: OpenedWriter,
): Promise<number> {
  const total = changesOf(approved.plan).length;
  if (!(await agreed(io, flags, total))) return EXIT.failed;
  let done = 0;
  const results = await withLease(io, flags, permits, async (mayWrite) => {
    // Gates may have closed while the user was asked.
    const now =
      flags.lease === undefined
        ? approved
        : await during((manager) => manager.approve(planNow(approved), 'the plan', approved.vault));
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
  const failed = await report(io, flags, { revision: approved.plan.revision, isEmpty, wrong, results });
  return exitOf(io, failed || wrong);
}

function exitOf(io: Io, wrong: boolean): number {
  if (io.signal.aborted) return EXIT.interrupted;
  return wrong ? EXIT.failed : EXIT.ok;
}

function textOf(io: Io, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (thrown) {
    throw new EchelonError({
      code: 'PLAN_INVALID',
      message: `cannot read the plan ${file}: ${(thrown as NodeJS.ErrnoException).code}`,
      hint: 'create one with: echelon manager plan --save FILE',
      cause: thrown,
    });
  }
}

async function agreed(io: Io, { yes }: ApplyFlags, changes: number): Promise<boolean> {
  if (changes === 0) return true;
  return consent(io, {
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
async function report(io: Io, flags: ApplyFlags, { revision, isEmpty, wrong, results }: Applied): Promise<boolean> {
  const paint = paintFor(io.stderr, io.env, flags.color);
  const failed = results.filter(({ outcome }) => outcome !== 'done');
  for (const { item, error } of failed) {
    if (error !== undefined) writeObstacle(io, error, paint, `${itemText(item)}: ${error.message}`);
  }
  if (isDocument(flags.output)) {
    const head = { apiVersion: API_VERSION, kind: 'ApplyResult' };
    io.stdout.write(await document(flags.output, { ...head, ...appliedDocument(revision, results) }));
  } else if (results.length > 0) {
    io.stdout.write(`${appliedText(revision, results)}\n`);
  } else if (!wrong) {
    io.stdout.write(`Nothing to do: ${isEmpty ? 'nothing is declared in' : 'everything matches'} ${revision}.\n`);
  }
  return failed.length > 0;
}

/** Prints problems and render failures on standard error; returns whether any is an error. */
export function reportProblems(
  io: Io,
  { instance, problems }: Pick<OperatedFleet, 'instance' | 'problems'>,
  flags: { readonly color?: boolean },
  failures: readonly RenderFailure[] = [],
): boolean {
  const paint = paintFor(io.stderr, io.env, flags.color);
  for (const problem of problems) io.stderr.write(problemText(instance.snapshot, problem, paint));
  for (const { error } of failures) writeObstacle(io, error, paint);
  return failures.length > 0 || problems.some(({ severity }) => severity === 'error');
}

export type StatusFlags = FleetFlags & WatchFlags;

/** Shows every shard's image and state; with `--watch` until all are settled. Exits 1 if some are not. */
export async function status(io: Io, flags: StatusFlags): Promise<number> {
  const watched = watching(io, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const { seen: fleet, finish } = await withManager(watched.io, flags, { readOnly: true }, ({ during }) =>
    watched.until({
      observe: () => during((manager) => manager.status()),
      viewOf: (seen: FleetStatus, now) => watchedStatus(seen, which, now),
    }),
  );
  await print(io, flags, fleet);
  const wrong = reportProblems(io, fleet, flags, fleet.rendered.failures);
  const failed = fleet.failures.length > 0 || fleet.rolloutFault !== undefined;
  return finish(wrong || failed || !fleet.shards.every(isSettled) ? EXIT.failed : EXIT.ok);
}

async function print(io: Io, flags: StatusFlags, fleet: FleetStatus): Promise<void> {
  const { instance, shards, failures, rolloutFault } = fleet;
  const paint = paintFor(io.stdout, io.env, flags.color);
  const options = { format: flags.output, paint, revision: instance.snapshot.revision.id };
  await printListing(io, statusListing(shards), options);
  const totals = stateTotals(shards);
  if (totals !== undefined && isForTerminal(flags.output)) io.stdout.write(`${paint('bold', totals)}\n`);
  const errors = paintFor(io.stderr, io.env, flags.color);
  for (const failure of failures) writeObstacle(io, failure.error, errors, placeFailureText(failure));
  if (rolloutFault !== undefined) writeObstacle(io, rolloutFault, errors);
}
