import { resolve } from 'node:path';
import { byText, count, EchelonError } from '../../../base/index.ts';
import { createWorlds, loadFleet, simulatedScheduler, type World } from '../../../sim/index.ts';
import { type ClusterPlan, type FleetReport, fleetPlan } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { type Paint, paintFor } from '../../output/colour.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { progressOn } from '../../output/progress.ts';
import { textTable } from '../../output/table.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';

export interface SimulateFlags {
  readonly fleet: string;
  readonly days: number;
  /** Hours between two passes. */
  readonly every: number;
  readonly seed?: number;
  readonly output: Format;
  readonly color?: boolean;
}

/** A cluster that has another version than before. */
interface Upgraded {
  readonly at: string;
  readonly environment: string;
  readonly organization: string;
  readonly cluster: string;
  readonly from: string;
  readonly to: string;
}

interface Told {
  readonly at: string;
  readonly cluster: string;
  readonly summary: string;
  readonly problem: string;
}

interface Timeline {
  readonly from: string;
  readonly to: string;
  readonly clusters: number;
  readonly passes: number;
  readonly upgraded: readonly Upgraded[];
  readonly waiting: readonly (ClusterPlan & { readonly organization: string })[];
  readonly told: readonly Told[];
}

const HOUR_MS = 3_600_000;

/** Lets a simulated fleet live for some days under the scheduler, and tells what happened. */
export async function simulate(io: Io, flags: SimulateFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'upgrades simulate');
  const timeline = await live(io, flags);
  await write(io, { timeline, days: flags.days }, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

async function live(io: Io, flags: SimulateFlags): Promise<Timeline> {
  const fleet = await loadFleet(resolve(io.cwd, flags.fleet));
  const worlds = [...createWorlds(fleet, flags.seed ?? 1).values()];
  const scheduler = simulatedScheduler(worlds);
  const start = new Date(fleet.start);
  const progress = progressOn(io);
  const upgraded: Upgraded[] = [];
  const told: Told[] = [];
  let known = versionsOf(worlds);
  let passes = 0;
  let last: FleetReport | undefined;
  try {
    for (let hour = 0; hour <= flags.days * 24; hour += flags.every) {
      io.signal.throwIfAborted();
      const moment = new Date(start.getTime() + hour * HOUR_MS);
      progress.step(`day ${Math.floor(hour / 24)} of ${flags.days}`);
      last = await scheduler.pass(moment);
      passes += 1;
      const now = versionsOf(worlds);
      upgraded.push(...changes(known, now, moment));
      known = now;
      told.push(...toldIn(last, moment));
    }
  } finally {
    progress.end();
  }
  if (last === undefined) throw nothingToSimulate(flags.days);
  return {
    from: start.toISOString(),
    to: new Date(start.getTime() + flags.days * 24 * HOUR_MS).toISOString(),
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

function changes(before: ReadonlyMap<string, Known>, now: ReadonlyMap<string, Known>, at: Date): Upgraded[] {
  return [...now].flatMap(([id, { environment, organization, name, version }]) => {
    const from = before.get(id)?.version;
    if (from === undefined || from === version) return [];
    return [{ at: at.toISOString(), environment, organization, cluster: name, from, to: version }];
  });
}

function toldIn({ organizations }: FleetReport, at: Date): Told[] {
  return organizations.flatMap((report) =>
    report.told.map(({ cluster, summary, description }) => ({
      at: at.toISOString(),
      cluster: cluster.name,
      summary,
      problem: description.split('\n').find((line) => line.trim() !== '') ?? '',
    })),
  );
}

function waitingIn(report: FleetReport): Timeline['waiting'] {
  const outcome = { environments: report.environments, organizations: report.organizations.map((one) => one.outcome) };
  return fleetPlan(outcome).organizations.flatMap(({ name, clusters }) =>
    clusters
      .filter(({ action }) => action === 'wait' || action === 'hold' || action === 'agree-gates')
      .map((cluster) => ({ ...cluster, organization: name })),
  );
}

interface Simulated {
  readonly timeline: Timeline;
  readonly days: number;
}

const WRITERS: Writers<Simulated> = {
  table: inText({ wide: false }),
  wide: inText({ wide: true }),
  ...documentWriters(({ timeline }: Simulated) => ({ apiVersion: API_VERSION, kind: 'Timeline', ...timeline })),
  name: undefined,
  markdown: undefined,
};

function inText({ wide }: { readonly wide: boolean }): Writer<Simulated> {
  return (io, { timeline, days }, paint) => {
    const { upgraded, waiting, told, clusters, passes } = timeline;
    io.stdout.write(`${paint('bold', `${count(clusters, 'cluster')}, ${days} days, ${passes} passes`)}\n\n`);
    io.stdout.write(wide ? eachUpgrade(upgraded, paint) : byDay(upgraded, timeline.from, paint));
    if (waiting.length > 0)
      io.stdout.write(`\n${paint('bold', 'Waiting at the end:')}\n${waitingTable(waiting, wide, paint)}`);
    if (told.length > 0) io.stdout.write(`\n${paint('bold', 'Told to users:')}\n${toldTable(told, paint)}`);
  };
}

/** One line a day and upgrade, with how many clusters took it. */
function byDay(upgraded: readonly Upgraded[], start: string, paint: Paint): string {
  const groups = Map.groupBy(upgraded, ({ at, organization, from, to }) =>
    [at.slice(0, 10), organization, from, to].join('\t'),
  );
  const rows = [...groups].map(([key, own]) => {
    const [date = '', organization = '', from, to] = key.split('\t');
    const day = Math.round((Date.parse(date) - Date.parse(start.slice(0, 10))) / (24 * HOUR_MS));
    const names = own.map(({ cluster }) => cluster).sort(byText);
    return [String(day), date, organization, `${from} → ${to}`, short(names)];
  });
  return textTable(['DAY', 'DATE', 'ORGANIZATION', 'UPGRADE', 'CLUSTERS'], rows, paint);
}

const NAMED = 3;

function short(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ');
}

function eachUpgrade(upgraded: readonly Upgraded[], paint: Paint): string {
  const rows = upgraded.map(({ at, environment, organization, cluster, from, to }) => [
    at.slice(0, 16).replace('T', ' '),
    environment,
    organization,
    cluster,
    `${from} → ${to}`,
  ]);
  return textTable(['SEEN', 'ENVIRONMENT', 'ORGANIZATION', 'CLUSTER', 'UPGRADE'], rows, paint);
}

/** The reasons, each with one cluster as an example; all clusters with `-o wide`. */
function waitingTable(waiting: Timeline['waiting'], wide: boolean, paint: Paint): string {
  const cells = ({ organization, name, version, action, gate, reason }: Timeline['waiting'][number]): string[] => [
    gate ?? action,
    organization,
    name,
    version,
    reason,
  ];
  if (wide) return textTable(['GATE', 'ORGANIZATION', 'CLUSTER', 'VERSION', 'WHY'], waiting.map(cells), paint);
  const groups = Map.groupBy(waiting, ({ organization, action, gate }) => `${gate ?? action}\t${organization}`);
  const rows = [...groups.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [[...cells(first).slice(0, 2), String(own.length), first.name, first.reason]];
  });
  return textTable(['GATE', 'ORGANIZATION', 'CLUSTERS', 'FOR INSTANCE', 'WHY'], rows, paint);
}

function toldTable(told: readonly Told[], paint: Paint): string {
  const rows = [...Map.groupBy(told, ({ problem }) => problem)].map(([problem, own]) => [
    short([...new Set(own.map(({ cluster }) => cluster))].sort(byText)),
    problem,
  ]);
  return textTable(['CLUSTERS', 'PROBLEM'], rows, paint);
}

function nothingToSimulate(days: number): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `--days ${days} is no time`,
    hint: 'simulate at least one day',
  });
}
