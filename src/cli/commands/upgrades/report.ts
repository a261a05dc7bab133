import { type Table, textTable } from '../../../base/index.ts';
import type { PlanClock } from '../../../clients/ocm/index.ts';
import { type OrganizationSheet, reportDocument, reportMarkdown, reportTables } from '../../../upgrades/index.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION, type Format } from '../../output/format.ts';
import { documentWriters, type Writer, type Writers, writerFor } from '../../output/writers.ts';
import { openReadOnly, shownWhile } from './plan.ts';
import { reportObstacles } from './plan-output.ts';
import { type SourceFlags, timed } from './ports.ts';

export interface ReportFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
  /** Sort rows by all values; else in turn order. */
  readonly sort?: boolean;
}

/** Prints the fleet report. Writes nothing else. */
export async function report(given: Io, flags: ReportFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const write = writerFor(WRITERS, flags.output, 'upgrades report');
  const service = await openReadOnly(io, flags, clock);
  const { made, sheets } = await shownWhile(io, (calls) => service.report(calls));
  await write(io, { sheets, sort: flags.sort ?? true }, paintFor(io.stdout, io.env, flags.color));
  return reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}

interface Sheets {
  readonly sheets: readonly OrganizationSheet[];
  readonly sort: boolean;
}

const WRITERS: Writers<Sheets> = {
  table: inTable({ wide: false }),
  wide: inTable({ wide: true }),
  ...documentWriters(({ sheets }: Sheets) => ({ apiVersion: API_VERSION, ...reportDocument(sheets) })),
  name: undefined,
  markdown: (io, { sheets }) => io.stdout.write(reportMarkdown(sheets)),
};

function inTable({ wide }: { readonly wide: boolean }): Writer<Sheets> {
  const style = wide ? 'wide' : 'table';
  return (io, { sheets, sort }, paint) => {
    const draw = ({ titles, rows }: Table): string => textTable(titles, rows, paint, fitting(io, style));
    io.stdout.write(reportTables(sheets, { wide, sort }, draw));
  };
}
