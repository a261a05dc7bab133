import { EchelonError } from '../../base/index.ts';
import { type ClusterPlan, type FleetReport, fleetPlan } from '../../upgrades/index.ts';
import type { FleetFile } from './fleet/fleet.ts';
import { simulatedScheduler } from './simulated-scheduler.ts';
import { createWorlds, type World } from './world/world.ts';

/** A cluster that has another version than before. */
export interface SimulatedUpgrade {
  readonly at: string;
  readonly environment: string;
  readonly organization: string;
  readonly cluster: string;
  readonly from: string;
  readonly to: string;
}

/** What users were notified of. */
interface SimulatedNotice {
  readonly at: string;
  readonly cluster: string;
  readonly summary: string;
  readonly problem: string;
}

/** What happened to a fleet. */
export interface SimulatedTimeline {
  readonly from: string;
  readonly to: string;
  readonly clusters: number;
  readonly passes: number;
  readonly upgraded: readonly SimulatedUpgrade[];
  readonly waiting: readonly (ClusterPlan & { readonly organization: string })[];
  readonly told: readonly SimulatedNotice[];
}

const HOUR_MS = 3_600_000;

interface SimulationOptions {
  readonly days: number;
  /** Hours between two passes. */
  readonly every: number;
  readonly seed?: number;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

/** Lets a simulated fleet live for some days under the scheduler. */
export async function simulateFleet(
  fleet: FleetFile,
  { days, every, seed = 1, signal, onStep }: SimulationOptions,
): Promise<SimulatedTimeline> {
  const worlds = [...createWorlds(fleet, seed).values()];
  const scheduler = simulatedScheduler(worlds);
  const start = new Date(fleet.start);
  const upgraded: SimulatedUpgrade[] = [];
  const told: SimulatedNotice[] = [];
  let known = versionsOf(worlds);
  let passes = 0;
  let last: FleetReport | undefined;
  for (let hour = 0; hour <= days * 24; hour += every) {
    signal.throwIfAborted();
    const moment = new Date(start.getTime() + hour * HOUR_MS);
    onStep(`day ${Math.floor(hour / 24)} of ${days}`);
    last = await scheduler.pass(moment);
    passes += 1;
    const now = versionsOf(worlds);
    upgraded.push(...changes(known, now, moment));
    known = now;
    told.push(...noticesIn(last, moment));
  }
  if (last === undefined) throw nothingToSimulate(days);
  return {
    from: start.toISOString(),
    to: new Date(start.getTime() + days * 24 * HOUR_MS).toISOString(),
    clusters: known.size,
    passes,
    upgraded,
    waiting: waitingIn(last),
    told,
  };
}

interface Known {
  readonly environment: string;
  readonly organization: string;
  readonly name: string;
  readonly version: string;
}

function versionsOf(worlds: readonly World[]): Map<string, Known> {
  return new Map(
    worlds.flatMap((world) =>
      [...world.state.clusters.all()].map((cluster) => [
        cluster.id,
        {
          environment: world.environment,
          organization: world.state.organizations.get(cluster.organizationId)?.name ?? cluster.organizationId,
          name: cluster.name,
          version: cluster.version,
        },
      ]),
    ),
  );
}

function changes(before: ReadonlyMap<string, Known>, now: ReadonlyMap<string, Known>, at: Date): SimulatedUpgrade[] {
  return [...now].flatMap(([id, { environment, organization, name, version }]) => {
    const from = before.get(id)?.version;
    if (from === undefined || from === version) return [];
    return [{ at: at.toISOString(), environment, organization, cluster: name, from, to: version }];
  });
}

function noticesIn({ organizations }: FleetReport, at: Date): SimulatedNotice[] {
  return organizations.flatMap((report) =>
    report.notices.map(({ cluster, summary, description }) => ({
      at: at.toISOString(),
      cluster: cluster.name,
      summary,
      problem: description.split('\n').find((line) => line.trim() !== '') ?? '',
    })),
  );
}

function waitingIn(report: FleetReport): SimulatedTimeline['waiting'] {
  const outcome = { environments: report.environments, organizations: report.organizations.map((one) => one.outcome) };
  return fleetPlan(outcome).organizations.flatMap(({ name, clusters }) =>
    clusters
      .filter(({ action }) => action === 'wait' || action === 'hold' || action === 'agree-gates')
      .map((cluster) => ({ ...cluster, organization: name })),
  );
}

function nothingToSimulate(days: number): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `--days ${days} is no time`,
    hint: 'simulate at least one day',
  });
}
