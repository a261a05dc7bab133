import { resolve } from 'node:path';
import { count, defined, type Table, textTable } from '../../../base/index.ts';
import { loadFleet, type SimulatedTimeline, simulateFleet, timelineTables } from '../../../sim/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { progressOn } from '../../output/progress.ts';
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
    const { upgraded, waiting, notices } = timelineTables(timeline, wide);
    const draw = ({ titles, rows }: Table): string =>
      textTable(titles, rows, paint, fitting(io, wide ? 'wide' : 'table'));
    const heading = `${count(timeline.clusters, 'cluster')}, ${days} days, ${timeline.passes} passes`;
    io.stdout.write(`${paint('bold', heading)}\n\n${draw(upgraded)}`);
    if (waiting.rows.length > 0) io.stdout.write(`\n${paint('bold', 'Waiting at the end:')}\n${draw(waiting)}`);
    if (notices.rows.length > 0) io.stdout.write(`\n${paint('bold', 'Notices to users:')}\n${draw(notices)}`);
  };
}
