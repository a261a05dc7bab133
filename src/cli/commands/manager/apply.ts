import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { count, defined, EchelonError } from '../../../base/index.ts';
import {
  type ApprovedPlan,
  appliedDocument,
  appliedText,
  changesOf,
  type ItemResult,
  itemText,
  readSavedPlan,
} from '../../../manager/index.ts';
import { type WritePermits, writePermits } from '../../../runtime/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { API_VERSION, document, isDocument, isForTerminal } from '../../output/format.ts';
import { writeObstacle } from '../../output/obstacle.ts';
import type { FleetFlags, LeaseFlags } from './flags.ts';
import { withLease } from './lease.ts';
import { notWithIntegration, type OpenedManager, withManager } from './open.ts';
import { planNow, reportFleet } from './plan.ts';
import { printPlan } from './plan-output.ts';

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

interface Writer extends OpenedManager {
  readonly permits: WritePermits;
}

/** A manager whose writes need the lease, where one is named. */
function withWriter(io: Io, flags: ApplyFlags, act: (writer: Writer) => Promise<number>): Promise<number> {
  const permits = writePermits();
  const options = { readOnly: flags.dryRun === true, permit: permits.current };
  return withManager(io, flags, options, (opened) => act({ ...opened, permits }));
}

async function applyApproved(
  io: Io,
  flags: ApplyFlags,
  { approved, wrong, isEmpty }: { readonly approved: ApprovedPlan } & Pick<Applied, 'wrong' | 'isEmpty'>,
  { during, permits }: Writer,
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
