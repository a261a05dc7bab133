import { resolve } from 'node:path';
import { byText, count, defined } from '../../../base/index.ts';
import { loadFleet, type SimulatedTimeline, type SimulatedUpgrade, simulateFleet } from '../../../sim/index.ts';
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

const HOUR_MS = 3_600_000;

/** Runs the scheduler on a simulated fleet for some days, and shows what happened. */
export async function simulate(io: Io, flags: SimulateFlags): Promise<number> {
  const write = writerFor(WRITERS, flags.output, 'upgrades simulate');
  const { days, every, seed } = flags;
  const fleet = await loadFleet(resolve(io.cwd, flags.fleet));
  const progress = progressOn(io);
  const options = { days, every, ...defined({ seed }), signal: io.signal, onStep: progress.step };
  const timeline = await simulateFleet(fleet, options).finally(() => progress.end());
  await write(io, { timeline, days }, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

interface Simulated {
  readonly timeline: SimulatedTimeline;
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
    if (told.length > 0) io.stdout.write(`\n${paint('bold', 'Notices to users:')}\n${noticeTable(told, paint)}`);
  };
}

/** One line per day and upgrade, with the number of clusters. */
function byDay(upgraded: readonly SimulatedUpgrade[], start: string, paint: Paint): string {
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

function eachUpgrade(upgraded: readonly SimulatedUpgrade[], paint: Paint): string {
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
function waitingTable(waiting: SimulatedTimeline['waiting'], wide: boolean, paint: Paint): string {
  const cells = ({
    organization,
    name,
    version,
    action,
    gate,
    reason,
  }: SimulatedTimeline['waiting'][number]): string[] => [gate ?? action, organization, name, version, reason];
  if (wide) return textTable(['GATE', 'ORGANIZATION', 'CLUSTER', 'VERSION', 'WHY'], waiting.map(cells), paint);
  const groups = Map.groupBy(waiting, ({ organization, action, gate }) => `${gate ?? action}\t${organization}`);
  const rows = [...groups.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [[...cells(first).slice(0, 2), String(own.length), first.name, first.reason]];
  });
  return textTable(['GATE', 'ORGANIZATION', 'CLUSTERS', 'EXAMPLE', 'WHY'], rows, paint);
}

function noticeTable(told: SimulatedTimeline['told'], paint: Paint): string {
  const rows = [...Map.groupBy(told, ({ problem }) => problem)].map(([problem, own]) => [
    short([...new Set(own.map(({ cluster }) => cluster))].sort(byText)),
    problem,
  ]);
  return textTable(['CLUSTERS', 'PROBLEM'], rows, paint);
}
