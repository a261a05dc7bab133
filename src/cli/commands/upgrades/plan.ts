import { createScheduler, type FleetPlan, type FleetPlanned, fleetPlan, isSkipped } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { progressOn } from '../../output/progress.ts';
import { changesIn, printPlan, reportObstacles } from './plan-output.ts';
import { INTEGRATION, openSources, type SourceFlags } from './sources.ts';

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
  const { concurrency } = flags;
  const sources = await openSources(io, flags, { readOnly, ...(concurrency === undefined ? {} : { concurrency }) });
  const { store, rules, ignoreSts } = sources;
  const scheduler = createScheduler({ integration: INTEGRATION, store, rules, ignoreSts, clock });
  const progress = progressOn(io);
  try {
    const { notes, ...scope } = await sources.load();
    for (const note of notes) io.stderr.write(`warning: ${note}\n`);
    progress.step(`look at ${scope.sites.map(({ name }) => name).join(', ')}`);
    const planned = await scheduler.plan({ ...scope, signal: io.signal });
    progress.end();
    if (planned.organizations.length === 0) io.stderr.write('no organization that is served has a labelled cluster\n');
    noteNewHistories(io, planned, store.name);
    return { planned, plan: fleetPlan(planned) };
  } finally {
    progress.end();
  }
}

/** Somebody who looks in the wrong place should not take it for a fleet that has never soaked. */
function noteNewHistories(io: Io, { organizations }: FleetPlanned, where: string): void {
  const fresh = organizations.filter((outcome) => !isSkipped(outcome) && outcome.stored.version === 'absent');
  if (fresh.length === 0) return;
  const names = fresh.map(({ name }) => name).join(', ');
  io.stderr.write(`note: ${where} has no history of ${names}: nothing has soaked there yet\n`);
}
