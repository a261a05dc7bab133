import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changesOf, type PlannedFleet, savedPlan } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { FleetFlags } from './flags.ts';
import { withManager } from './open.ts';
import { printPlan, reportObstacles } from './plan-output.ts';
import { reportProblems } from './report.ts';

export interface PlanFlags extends FleetFlags {
  readonly save?: string;
  readonly detailedExitcode?: boolean;
}

/** Shows what an apply would do; nothing is written anywhere, but the plan with `--save`. */
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

/** Everything that is wrong with the instance, the rendering and the clusters; whether anything is. */
export function reportFleet(io: Io, flags: FleetFlags, fleet: PlannedFleet): boolean {
  if (fleet.groups.length === 0) io.stderr.write('no integration is managed here\n');
  const instance = reportProblems(io, fleet, flags, fleet.rendered.failures);
  return reportObstacles(io, fleet.plan, paintFor(io.stderr, io.env, flags.color)) || instance;
}

/** Only its owner may read it: it says how a fleet is built. */
function save(io: Io, file: string, { plan: made, access }: PlannedFleet): void {
  const saved = savedPlan(made, changesOf(made), access, new Date());
  writeFileSync(resolve(io.cwd, file), `${JSON.stringify(saved, undefined, 2)}\n`, { mode: 0o600 });
  io.stderr.write(`saved in ${file}; carry it out with echelon manager apply ${file}\n`);
}
