import { resolve } from 'node:path';
import { defined, messageOf, type Table, textTable } from '../../../base/index.ts';
import { collectEarly } from '../../../clients/process/index.ts';
import {
  type ClusterExplanation,
  explanationMarkdown,
  explanationPage,
  type ForecastChange,
  forecastCalendar,
  forecastDocument,
  forecastDrawing,
  forecastMarkdown,
  forecastText,
  MAX_WHAT_IF_BYTES,
  type NamedText,
  type OrganizationSheet,
  reportDocument,
  reportMarkdown,
  reportTables,
  whatIfInvalid,
} from '../../../upgrades/index.ts';
import { readFile } from '../../instance.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  API_VERSION,
  documentWriters,
  type Format,
  printListing,
  type Writer,
  type Writers,
  writerFor,
} from '../../output/formats.ts';
import { fitting, type Paint, paintFor } from '../../output/terminal.ts';
import { openReadOnly, reportObstacles, shownWhile } from './apply.ts';
import { type SourceFlags, timed } from './ports.ts';
import type { PlanClock } from './simulated-clock.ts';

export interface ExplainFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
}

/** Shows every candidate of one cluster with the verdict of every gate. Writes nothing. */
export async function explain(given: Io, reference: string, flags: ExplainFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const write = writerFor(EXPLANATION_WRITERS, flags.output, 'upgrades explain');
  const service = await openReadOnly(io, flags, clock);
  const answer = await shownWhile(io, (calls) => service.explain(reference, calls));
  if ('unknown' in answer) {
    reportObstacles(io, answer.made.plan, paintFor(io.stderr, io.env, flags.color));
    throw answer.unknown;
  }
  await write(io, answer.clusters, paintFor(io.stdout, io.env, flags.color));
  return EXIT.ok;
}

const printText =
  (format: 'table' | 'wide'): Writer<readonly ClusterExplanation[]> =>
  (io, found, paint) =>
    io.stdout.write(found.map((each) => explanationPage(each, paint, fitting(io, format))).join('\n'));

const EXPLANATION_WRITERS: Writers<readonly ClusterExplanation[]> = {
  table: printText('table'),
  wide: printText('wide'),
  ...documentWriters((clusters: readonly ClusterExplanation[]) => ({
    apiVersion: API_VERSION,
    kind: 'UpgradeExplanation',
    clusters,
  })),
  name: undefined,
  markdown: (io, found) => io.stdout.write(found.map(explanationMarkdown).join('\n')),
};

export interface ForecastFlags extends SourceFlags {
  readonly output: ForecastFormat;
  readonly days: number;
  readonly every: number;
  readonly org?: readonly string[];
  readonly whatIf?: string;
  readonly color?: boolean;
}

/** Shows which cluster gets which version when, if nothing else changes. Writes nothing. */
export async function forecast(given: Io, flags: ForecastFlags, clock?: PlanClock): Promise<number> {
  collectEarly();
  const io = timed(given, clock);
  const { days, every, org: organizations } = flags;
  const whatIf = flags.whatIf === undefined ? undefined : whatIfNamed(io, flags.whatIf);
  const service = await openReadOnly(io, flags, clock);
  const request = { days, every, ...defined({ organizations, whatIf }) };
  const shown = await shownWhile(io, (calls) => service.forecast(request, calls));
  await printForecast(io, shown, flags.output, paintFor(io.stdout, io.env, flags.color));
  return reportObstacles(io, shown.made.plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}

function whatIfNamed(io: Io, name: string): NamedText {
  try {
    return { name, content: readFile(resolve(io.cwd, name), MAX_WHAT_IF_BYTES) };
  } catch (thrown) {
    throw whatIfInvalid(name, messageOf(thrown));
  }
}

type ForecastFormat = 'table' | 'json' | 'yaml' | 'markdown' | 'ics' | 'svg';

async function printForecast(io: Io, shown: ForecastChange, format: ForecastFormat, paint: Paint): Promise<void> {
  await writerFor(FORECAST_WRITERS, format, 'upgrades forecast')(io, shown, paint);
}

const FORECAST_WRITERS: Writers<ForecastChange, ForecastFormat> = {
  table: (io, shown, paint) => io.stdout.write(forecastText(shown, paint, fitting(io))),
  ...documentWriters((shown: ForecastChange) => ({
    ...{ apiVersion: API_VERSION, kind: 'UpgradeForecast' },
    ...forecastDocument(shown),
  })),
  markdown: (io, shown) => io.stdout.write(forecastMarkdown(shown)),
  ics: (io, { forecast }) => io.stdout.write(forecastCalendar(forecast)),
  svg: (io, { forecast }) => io.stdout.write(forecastDrawing(forecast)),
};

export interface ReportFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
  /** Sort rows by all values; else in turn order. */
  readonly sort?: boolean;
}

/** Prints the fleet report. Writes nothing else. */
export async function report(given: Io, flags: ReportFlags, clock?: PlanClock): Promise<number> {
  const io = timed(given, clock);
  const write = writerFor(REPORT_WRITERS, flags.output, 'upgrades report');
  const service = await openReadOnly(io, flags, clock);
  const { made, sheets } = await shownWhile(io, (calls) => service.report(calls));
  await write(io, { sheets, sort: flags.sort ?? true }, paintFor(io.stdout, io.env, flags.color));
  return reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}

interface Sheets {
  readonly sheets: readonly OrganizationSheet[];
  readonly sort: boolean;
}

const REPORT_WRITERS: Writers<Sheets> = {
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

export interface HistoryFlags extends SourceFlags {
  readonly output: Format;
  readonly color?: boolean;
}

/** Prints what the scheduler observed and scheduled. Writes nothing else. */
export async function history(given: Io, cluster: string | undefined, flags: HistoryFlags, clock?: PlanClock) {
  const io = timed(given, clock);
  const service = await openReadOnly(io, flags, clock);
  const { made, rows } = await shownWhile(io, (calls) => service.history(cluster, calls));
  await printListing(io, rows, { format: flags.output, paint: paintFor(io.stdout, io.env, flags.color) });
  return reportObstacles(io, made.plan, paintFor(io.stderr, io.env, flags.color)) ? EXIT.failed : EXIT.ok;
}
