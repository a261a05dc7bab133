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
import type { Context } from '../../context.ts';
import { readFile } from '../../instance.ts';
import { EXIT } from '../../io.ts';
import { documentWriters, print, printListing, type Writer, type Writers } from '../../output/formats.ts';
import { openReadOnly, reportObstacles, shownWhile } from './apply.ts';
import type { ExplainFlags, ForecastFlags, HistoryFlags, ReportFlags } from './commands.ts';

/** Shows every candidate of one cluster with the verdict of every gate. Writes nothing. */
export async function explain(ctx: Context, reference: string, flags: ExplainFlags): Promise<number> {
  const service = await openReadOnly(ctx, flags);
  const answer = await shownWhile(ctx, (calls) => service.explain(reference, calls));
  if ('unknown' in answer) {
    reportObstacles(ctx, answer.made.plan);
    throw answer.unknown;
  }
  await print(ctx, EXPLANATION_WRITERS, flags.output, answer.clusters);
  return EXIT.ok;
}

const printText: Writer<readonly ClusterExplanation[]> = ({ out }, found) =>
  out.write(found.map((each) => explanationPage(each, out.paint, out.style())).join('\n'));

const EXPLANATION_WRITERS: Writers<readonly ClusterExplanation[], ExplainFlags['output']> = {
  table: printText,
  wide: printText,
  ...documentWriters('UpgradeExplanation', (clusters: readonly ClusterExplanation[]) => ({ clusters })),
  markdown: (ctx, found) => ctx.out.write(found.map(explanationMarkdown).join('\n')),
};

/** Shows which cluster gets which version when, if nothing else changes. Writes nothing. */
export async function forecast(ctx: Context, flags: ForecastFlags): Promise<number> {
  collectEarly();
  const { days, every, org: organizations } = flags;
  const whatIf = flags.whatIf === undefined ? undefined : whatIfNamed(ctx, flags.whatIf);
  const service = await openReadOnly(ctx, flags);
  const request = { days, every, ...defined({ organizations, whatIf }) };
  const shown = await shownWhile(ctx, (calls) => service.forecast(request, calls));
  await print(ctx, FORECAST_WRITERS, flags.output, shown);
  return reportObstacles(ctx, shown.made.plan) ? EXIT.failed : EXIT.ok;
}

function whatIfNamed(ctx: Context, name: string): NamedText {
  try {
    return { name, content: readFile(resolve(ctx.cwd, name), MAX_WHAT_IF_BYTES) };
  } catch (thrown) {
    throw whatIfInvalid(name, messageOf(thrown));
  }
}

const FORECAST_WRITERS: Writers<ForecastChange, ForecastFlags['output']> = {
  table: ({ out }, shown) => out.write(forecastText(shown, out.paint, out.style())),
  ...documentWriters('UpgradeForecast', forecastDocument),
  markdown: (ctx, shown) => ctx.out.write(forecastMarkdown(shown)),
  ics: (ctx, { forecast }) => ctx.out.write(forecastCalendar(forecast)),
  svg: (ctx, { forecast }) => ctx.out.write(forecastDrawing(forecast)),
};

/** Prints the fleet report. Writes nothing else. */
export async function report(ctx: Context, flags: ReportFlags): Promise<number> {
  const service = await openReadOnly(ctx, flags);
  const { made, sheets } = await shownWhile(ctx, (calls) => service.report(calls));
  await print(ctx, REPORT_WRITERS, flags.output, { sheets, sort: flags.sort });
  return reportObstacles(ctx, made.plan) ? EXIT.failed : EXIT.ok;
}

interface Sheets {
  readonly sheets: readonly OrganizationSheet[];
  readonly sort: boolean;
}

const REPORT_WRITERS: Writers<Sheets, ReportFlags['output']> = {
  table: inTable({ wide: false }),
  wide: inTable({ wide: true }),
  ...documentWriters('UpgradeReport', ({ sheets }: Sheets) => reportDocument(sheets)),
  markdown: (ctx, { sheets }) => ctx.out.write(reportMarkdown(sheets)),
};

function inTable({ wide }: { readonly wide: boolean }): Writer<Sheets> {
  return ({ out }, { sheets, sort }) => {
    const draw = ({ titles, rows }: Table): string => textTable(titles, rows, out.paint, out.style());
    out.write(reportTables(sheets, { wide, sort }, draw));
  };
}

/** Prints what the scheduler observed and scheduled. Writes nothing else. */
export async function history(ctx: Context, cluster: string | undefined, flags: HistoryFlags): Promise<number> {
  const service = await openReadOnly(ctx, flags);
  const { made, rows } = await shownWhile(ctx, (calls) => service.history(cluster, calls));
  await printListing(ctx, flags.output, rows);
  return reportObstacles(ctx, made.plan) ? EXIT.failed : EXIT.ok;
}
