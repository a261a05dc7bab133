import { defined } from '../../../base/index.ts';
import {
  createScheduler,
  type FleetPlan,
  type FleetPlanned,
  fleetPlan,
  isSkipped,
  type Rules,
} from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { progressOn } from '../../output/progress.ts';
import { changesIn, printPlan, reportObstacles } from './plan-output.ts';
import { nobodyServed, purposeOf } from './policy-purpose.ts';
import { openSources, type SourceFlags } from './sources.ts';

export interface UpgradesPlanFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
  readonly detailedExitcode?: boolean;
}

export interface PlanClock {
  now(): Date;
}

const SYSTEM: PlanClock = { now: () => new Date() };

/** A plan of the whole fleet, as data and as what can be carried out. */
export interface MadePlan {
  readonly planned: FleetPlanned;
  readonly plan: FleetPlan;
}

/** Shows what an apply would do, and for every other cluster what it waits for. Nothing is written anywhere. */
export async function plan(io: Io, flags: UpgradesPlanFlags, clock: PlanClock = SYSTEM): Promise<number> {
  const made = await makePlan(io, flags, { readOnly: true, clock });
  await printPlan(io, made.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
  if (reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color))) return EXIT.failed;
  return flags.detailedExitcode === true && changesIn(made.plan).length > 0 ? EXIT.changes : EXIT.ok;
}

/** Looks at everything and decides. Read-only, no request that would change something is ever sent. */
export async function makePlan(
  io: Io,
  flags: SourceFlags,
  { readOnly, clock = SYSTEM }: { readonly readOnly: boolean; readonly clock?: PlanClock },
): Promise<MadePlan> {
  const planner = await openPlanner(io, flags, { readOnly, clock });
  const progress = progressOn(io);
  try {
    const { planned, fresh } = await planner.plan({
      signal: io.signal,
      onNote: (note) => io.stderr.write(`warning: ${note}\n`),
      onStep: progress.step,
    });
    progress.end();
    if (planned.organizations.length === 0) io.stderr.write(`${nobodyServed(flags)}\n`);
    if (fresh !== undefined) io.stderr.write(`note: ${fresh}\n`);
    return { planned, plan: fleetPlan(planned) };
  } finally {
    progress.end();
  }
}

export interface PlannerCalls {
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
  readonly onStep?: (step: string) => void;
}

/** Plans as often as it is asked to; connections and what saves calls last from plan to plan. */
export interface Planner {
  readonly rules: Rules;
  plan(calls: PlannerCalls): Promise<{ readonly planned: FleetPlanned; readonly fresh: string | undefined }>;
}

export async function openPlanner(
  io: Io,
  flags: SourceFlags,
  { readOnly, clock = SYSTEM }: { readonly readOnly: boolean; readonly clock?: PlanClock },
): Promise<Planner> {
  const { concurrency } = flags;
  const purpose = purposeOf(flags);
  const connection = { readOnly, ...defined({ concurrency }) };
  const sources = await openSources(io, flags, connection, purpose);
  const { store, rules, ignoreSts } = sources;
  const scheduler = createScheduler({ integration: purpose.integration, store, rules, ignoreSts, clock });
  return {
    rules,
    plan: async ({ signal, onNote, onStep }) => {
      const { notes, ...scope } = await sources.load();
      for (const note of notes) onNote(note);
      onStep?.(`look at ${scope.sites.map(({ name }) => name).join(', ')}`);
      const planned = await scheduler.plan({ ...scope, signal });
      return { planned, fresh: newHistories(planned, store.name) };
    },
  };
}

/** Somebody who looks in the wrong place should not take it for a fleet that has never soaked. */
function newHistories({ organizations }: FleetPlanned, where: string): string | undefined {
  const fresh = organizations.filter((outcome) => !isSkipped(outcome) && outcome.stored.version === 'absent');
  if (fresh.length === 0) return undefined;
  const names = fresh.map(({ name }) => name).join(', ');
  return `${where} has no history of ${names}: nothing has soaked there yet`;
}
