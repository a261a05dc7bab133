import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { count, defined, EchelonError } from '../../../base/index.ts';
import {
  changesOf,
  executePlan,
  type FleetPlan,
  type ItemResult,
  observe,
  type PlanItem,
  placeOf,
  readSavedPlan,
  type SavedPlan,
  staleItems,
  targetsOf,
} from '../../../manager/index.ts';
import { consent } from '../../consent.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { API_VERSION, document, isDocument, isForTerminal } from '../../output/format.ts';
import { progressOn } from '../../output/progress.ts';
import { type Clusters, openClusters } from './clusters.ts';
import { type FleetFlags, viewFleet } from './fleet.ts';
import { reportView } from './plan.ts';
import { obstacleText, printPlan } from './plan-output.ts';

export interface ApplyFlags extends FleetFlags {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Brings the clusters to what the instance declares, or carries out a saved plan. */
export async function apply(io: Io, file: string | undefined, flags: ApplyFlags): Promise<number> {
  return file === undefined ? applyInstance(io, flags) : applySaved(io, file, flags);
}

async function applyInstance(io: Io, flags: ApplyFlags): Promise<number> {
  const view = await viewFleet(io, flags, flags.dryRun === true);
  try {
    const documents = isDocument(flags.output);
    if (!documents) await printPlan(io, view.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
    const wrong = reportView(io, flags, view);
    if (flags.dryRun === true) {
      if (documents) await printPlan(io, view.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
      else io.stderr.write('this is a dry run: nothing was changed\n');
      return wrong ? EXIT.failed : EXIT.ok;
    }
    if (!(await agreed(io, flags, changesOf(view.plan)))) return EXIT.failed;
    const results = await carryOut(io, view.plan, view.clusters, flags);
    const failed = await report(io, flags, { revision: view.plan.revision, wrong, results });
    return exitOf(io, failed || wrong);
  } finally {
    view.clusters.close();
  }
}

/** A plan is carried out as it was approved, or not at all. */
async function applySaved(io: Io, file: string, flags: ApplyFlags): Promise<number> {
  const saved = readSavedPlan(textOf(io, file), file);
  const clusters = await openClusters(io, flags, saved.clusters, { readOnly: flags.dryRun === true });
  try {
    const live = await observe(targetsOf(saved), clusters.connect, io.signal);
    const [failure] = live.flatMap(({ failures }) => failures);
    if (failure !== undefined) throw failure.error;
    refuseStale(file, saved, staleItems(saved, live));
    const plan: FleetPlan = { ...saved, failures: [], breaches: [], blind: [] };
    if (isForTerminal(flags.output)) {
      await printPlan(io, plan, flags.output, paintFor(io.stdout, io.env, flags.color));
    }
    if (flags.dryRun === true) return EXIT.ok;
    if (!(await agreed(io, flags, saved.items))) return EXIT.failed;
    const results = await carryOut(io, plan, clusters, flags);
    return exitOf(io, await report(io, flags, { revision: saved.revision, wrong: false, results }));
  } finally {
    clusters.close();
  }
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
      message: `the plan ${file} cannot be read: ${(thrown as NodeJS.ErrnoException).code}`,
      hint: 'make one with echelon manager plan --save FILE',
      cause: thrown,
    });
  }
}

const NAMED = 5;

function refuseStale(file: string, { created }: SavedPlan, stale: readonly PlanItem[]): void {
  if (stale.length === 0) return;
  const names = stale.slice(0, NAMED).map((item) => `${placeOf(item)} ${item.kind} ${item.name}`);
  const more = stale.length - names.length;
  throw new EchelonError({
    code: 'PLAN_STALE',
    message: `${file} was made at ${created}; since then these changed: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Nothing was applied`,
    hint: 'make a new plan with echelon manager plan --save FILE, and look at it again',
  });
}

async function agreed(io: Io, { yes }: ApplyFlags, changes: readonly PlanItem[]): Promise<boolean> {
  if (changes.length === 0) return true;
  return consent(io, {
    question: `Apply ${count(changes.length, 'change')}`,
    yes,
    unattended: {
      message: `${count(changes.length, 'change')} would be applied, and nobody is here to ask`,
      hint: 'use --yes, or look at the plan first and apply it from its file',
    },
  });
}

async function carryOut(io: Io, plan: FleetPlan, clusters: Clusters, flags: ApplyFlags): Promise<ItemResult[]> {
  const progress = progressOn(io);
  const total = changesOf(plan).length;
  let done = 0;
  try {
    return await executePlan(plan, {
      connect: clusters.connect,
      signal: io.signal,
      sleep: (milliseconds) => sleepFor(milliseconds),
      ...defined({ concurrency: flags.concurrency }),
      onResult: ({ item }) => {
        done += 1;
        progress.step(`${done}/${total} ${item.action} ${placeOf(item)} ${item.kind} ${item.name}`);
      },
    });
  } finally {
    progress.end();
  }
}

interface Applied {
  readonly revision: string;
  /** Something was in the way before anything was tried. */
  readonly wrong: boolean;
  readonly results: readonly ItemResult[];
}

/** What was done and what was not; whether anything failed. */
async function report(io: Io, flags: ApplyFlags, { revision, wrong, results }: Applied): Promise<boolean> {
  const paint = paintFor(io.stderr, io.env, flags.color);
  const failed = results.filter(({ outcome }) => outcome !== 'done');
  for (const result of failed) io.stderr.write(failedText(result, paint));
  const done = results.length - failed.length;
  const skipped = failed.filter(({ outcome }) => outcome === 'skipped').length;
  const rest = failed.length === 0 ? '' : `, ${failed.length - skipped} failed, ${skipped} not tried`;
  if (isDocument(flags.output)) {
    io.stdout.write(await document(flags.output, resultDocument(revision, results)));
  } else if (results.length > 0) {
    io.stdout.write(`Applied ${revision}: ${count(done, 'object')} written${rest}.\n`);
  } else if (!wrong) {
    io.stdout.write(`Nothing to do: everything is as ${revision} declares it.\n`);
  }
  return failed.length > 0;
}

function failedText({ item, error }: ItemResult, paint: Paint): string {
  const name = `${item.action} ${placeOf(item)} ${item.kind} ${item.name}`;
  return error === undefined ? '' : obstacleText(`${name}: ${error.message}`, error, paint);
}

function resultDocument(revision: string, results: readonly ItemResult[]): object {
  return {
    apiVersion: API_VERSION,
    kind: 'ApplyResult',
    revision,
    items: results.map(({ item: { action, cluster, namespace, kind, name }, outcome, error }) => ({
      action,
      cluster,
      namespace,
      kind,
      name,
      outcome,
      ...(error === undefined ? {} : { code: error.code, message: error.message }),
    })),
  };
}
