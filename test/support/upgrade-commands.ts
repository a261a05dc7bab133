import type { RunUpgradesFlags } from '../../src/cli/commands/run/commands.ts';
import { runUpgrades as runScheduler } from '../../src/cli/commands/run/run.ts';
import * as commands from '../../src/cli/commands/upgrades/apply.ts';
import type * as options from '../../src/cli/commands/upgrades/commands.ts';
import * as ports from '../../src/cli/commands/upgrades/ports.ts';
import { clockOf } from '../../src/cli/commands/upgrades/simulated-clock.ts';
import * as views from '../../src/cli/commands/upgrades/views.ts';
import { type CommandClock, type Context, contextOf } from '../../src/cli/context.ts';
import type { Io } from '../../src/cli/io.ts';

/** Flags of a command line that does not give them all; those with a default are then absent. */
type Given<Flags extends { readonly output: unknown }> = Partial<Flags> & Pick<Flags, 'output'>;
export type UpgradesPlanFlags = Given<options.UpgradesPlanFlags>;
export type UpgradesApplyFlags = Given<options.UpgradesApplyFlags> & Pick<UpgradesPlanFlags, 'detailedExitcode'>;
export type ExplainFlags = Given<options.ExplainFlags>;
export type ForecastFlags = Given<options.ForecastFlags>;
export type ReportFlags = Given<options.ReportFlags>;
type HistoryFlags = Given<options.HistoryFlags>;
export type SourceFlags = Partial<ports.SourceFlags>;

const color = true;

/** Commands of upgrades with the clock of a test; each runs as its definition runs it. */
export function plan(io: Io, flags: UpgradesPlanFlags, clock?: CommandClock): Promise<number> {
  return commands.plan(contextOf(io, flags, clock), { color, policies: 'labels', interval: 60, ...flags });
}

export function apply(io: Io, flags: UpgradesApplyFlags, clock?: CommandClock): Promise<number> {
  return commands.apply(contextOf(io, flags, clock), { color, ...flags });
}

export function explain(io: Io, cluster: string, flags: ExplainFlags, clock?: CommandClock): Promise<number> {
  return views.explain(contextOf(io, flags, clock), cluster, { color, policies: 'labels', ...flags });
}

export function forecast(io: Io, flags: ForecastFlags, clock?: CommandClock): Promise<number> {
  const usual = { color, policies: 'labels', days: 90, every: 10 } as const;
  return views.forecast(contextOf(io, flags, clock), { ...usual, ...flags });
}

export function report(io: Io, flags: ReportFlags, clock?: CommandClock): Promise<number> {
  return views.report(contextOf(io, flags, clock), { color, policies: 'labels', sort: true, ...flags });
}

export function history(io: Io, cluster: string | undefined, flags: HistoryFlags, clock?: CommandClock) {
  return views.history(contextOf(io, flags, clock), cluster, { color, policies: 'labels', ...flags });
}

export function runUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  return runScheduler(contextOf(io, {}, clockOf(io.env)), flags);
}

export function upgradesPorts(
  io: Io | Context,
  ...rest: Parameters<typeof ports.upgradesPorts> extends [unknown, ...infer Rest] ? Rest : never
) {
  return ports.upgradesPorts(contextOf(io), ...rest);
}
