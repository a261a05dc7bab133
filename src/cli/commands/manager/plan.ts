import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changesOf, savedPlan } from '../../../manager/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { type FleetFlags, type FleetView, viewFleet } from './fleet.ts';
import { hasChanges, printPlan, reportObstacles } from './plan-output.ts';
import { reportProblems } from './report.ts';

export interface PlanFlags extends FleetFlags {
  readonly save?: string;
  readonly detailedExitcode?: boolean;
}

/** Shows what an apply would do; nothing is written anywhere, but the plan with `--save`. */
export async function plan(io: Io, flags: PlanFlags): Promise<number> {
  const view = await viewFleet(io, flags, true);
  try {
    await printPlan(io, view.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
    const wrong = reportView(io, flags, view);
    if (flags.save !== undefined) save(io, flags.save, view);
    if (wrong) return EXIT.failed;
    return flags.detailedExitcode === true && hasChanges(view.plan) ? EXIT.changes : EXIT.ok;
  } finally {
    view.clusters.close();
  }
}

/** Everything that is wrong with the instance, the rendering and the clusters; whether anything is. */
export function reportView(io: Io, flags: FleetFlags, { context, rendered, plan: made }: FleetView): boolean {
  if (context.groups.length === 0) io.stderr.write('no integration is managed here\n');
  const instance = reportProblems(io, context, flags, rendered.failures);
  return reportObstacles(io, made, paintFor(io.stderr, io.env, flags.color)) || instance;
}

/** Only its owner may read it: it says how a fleet is built. */
function save(io: Io, file: string, { plan: made, access }: FleetView): void {
  const saved = savedPlan(made, changesOf(made), access, new Date());
  writeFileSync(resolve(io.cwd, file), `${JSON.stringify(saved, undefined, 2)}\n`, { mode: 0o600 });
  io.stderr.write(`saved in ${file}; carry it out with echelon manager apply ${file}\n`);
}
