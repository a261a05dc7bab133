import { defined } from '../../../base/index.ts';
import type { PlanClock } from '../../../clients/ocm/index.ts';
import {
  clusterChanges,
  type MadePlan,
  openUpgrades,
  type PlanCalls,
  serviceLogCount,
  watchedPlan,
} from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { progressOn } from '../../output/progress.ts';
import { line } from '../../output/terminal.ts';
import { type WatchFlags, watching } from '../../watch.ts';
import { printPlan, reportObstacles } from './plan-output.ts';
import { type SourceFlags, timed, upgradesPorts } from './ports.ts';

export interface UpgradesPlanFlags extends SourceFlags, WatchFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what an apply would do, and what every other cluster waits for; with `--watch` until none does. Writes nothing. */
export async function plan(given: Io, flags: UpgradesPlanFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const watched = watching(io, flags);
  const which = flags.output === 'wide' ? 'wide' : 'usual';
  const service = await openReadOnly(watched.io, flags, clock);
  const { seen: made, finish } = await watched.until({
    observe: () => shownWhile(watched.io, (calls) => service.plan(calls)),
    viewOf: (seen: MadePlan, now) => watchedPlan(seen.plan, which, now),
  });
  await printPlan(io, made.plan, flags.output, paintFor(io.stdout, io.env, flags.color));
  const failed = reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color));
  const changes = clusterChanges(made.plan).length + serviceLogCount(made.plan);
  return finish(failed ? EXIT.failed : flags.detailedExitcode === true && changes > 0 ? EXIT.changes : EXIT.ok);
}

/** The service, with a transport that refuses every write. */
export function openReadOnly(io: Io, flags: SourceFlags, clock: PlanClock | undefined) {
  return openUpgrades(flags, upgradesPorts(io, flags, { readOnly: true, ...defined({ clock }) }));
}

/** Shows progress and notes during planning, and warnings afterwards. */
export async function shownWhile<T extends MadePlan | { readonly made: MadePlan }>(
  io: Io,
  ask: (calls: PlanCalls) => Promise<T>,
): Promise<T> {
  const progress = progressOn(io);
  try {
    const answer = await ask({
      signal: io.signal,
      onNote: (note) => io.stderr.write(line(`warning: ${note}`)),
      onStep: progress.step,
    });
    progress.end();
    const { noneServed, newHistories } = 'made' in answer ? answer.made : answer;
    if (noneServed !== undefined) io.stderr.write(line(noneServed));
    if (newHistories !== undefined) io.stderr.write(line(`note: ${newHistories}`));
    return answer;
  } finally {
    progress.end();
  }
}
