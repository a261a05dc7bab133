import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ApprovedPlan, changesOf, type PlannedFleet, type SavedPlan, savedPlan } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { FleetFlags, LeaseFlags } from './flags.ts';
import { withManager } from './open.ts';
import { printPlan, reportObstacles } from './plan-output.ts';
import { reportProblems } from './report.ts';

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

export function planNow({ plan: made, access, rollout }: ApprovedPlan): SavedPlan {
  return savedPlan(made, changesOf(made), access, new Date(), rollout?.version);
}
