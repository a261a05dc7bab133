import { count, markdownTable, type Table, textTable } from '../../../base/index.ts';
import { secondText } from '../../../gates/index.ts';
import {
  type ForecastChange,
  forecastCalendar,
  forecastDocument,
  forecastDrawing,
  moveTable,
  upgradeTable,
  waitingTable,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import type { Paint } from '../../output/colour.ts';
import { fitting } from '../../output/fitting.ts';
import { API_VERSION } from '../../output/format.ts';
import { documentWriters, type Writers, writerFor } from '../../output/writers.ts';

export type ForecastFormat = 'table' | 'json' | 'yaml' | 'markdown' | 'ics' | 'svg';

export async function printForecast(
  io: Io,
  shown: ForecastChange,
  format: ForecastFormat,
  paint: Paint,
): Promise<void> {
  await writerFor(WRITERS, format, 'upgrades forecast')(io, shown, paint);
}

const WRITERS: Writers<ForecastChange, ForecastFormat> = {
  table: (io, shown, paint) => io.stdout.write(plainText(shown, paint, fitting(io))),
  ...documentWriters((shown: ForecastChange) => ({
    ...{ apiVersion: API_VERSION, kind: 'UpgradeForecast' },
    ...forecastDocument(shown),
  })),
  markdown: (io, shown) => io.stdout.write(markdownText(shown)),
  ics: (io, { forecast }) => io.stdout.write(forecastCalendar(forecast)),
  svg: (io, { forecast }) => io.stdout.write(forecastDrawing(forecast)),
};

function plainText({ forecast, moves }: ForecastChange, paint: Paint, fit: { readonly width?: number }): string {
  const { from, to, clusters, assumptions } = forecast;
  const [upgrades, waiting] = [upgradeTable(forecast), waitingTable(forecast)];
  const text = ({ titles, rows }: Table): string => textTable(titles, rows, paint, fit);
  const moved = moves === undefined || moves.length === 0 ? 'nothing\n' : text(moveTable(moves));
  return [
    `${paint('bold', `${secondText(from)} to ${secondText(to)}: ${count(clusters.length, 'cluster')}, ${count(upgrades.rows.length, 'upgrade')}`)}\n`,
    upgrades.rows.length === 0 ? '' : `\n${text(upgrades)}`,
    waiting.rows.length === 0 ? '' : `\n${paint('bold', 'Waiting at the end:')}\n${text(waiting)}`,
    moves === undefined ? '' : `\n${paint('bold', 'Changes by the what-if:')}\n${moved}`,
    `\n${paint('bold', 'Assumptions:')}\n${assumptions.map((each) => `- ${each}\n`).join('')}`,
  ].join('');
}

function markdownText({ forecast, moves }: ForecastChange): string {
  const { from, to, assumptions } = forecast;
  const text = ({ titles, rows }: Table): string => markdownTable(titles, rows);
  return [
    `## Upgrades from ${secondText(from)} to ${secondText(to)}\n\n${text(upgradeTable(forecast))}`,
    `### Waiting at the end\n\n${text(waitingTable(forecast))}`,
    ...(moves === undefined ? [] : [`### Changes by the what-if\n\n${text(moveTable(moves))}`]),
    `### Assumptions\n\n${assumptions.map((each) => `- ${each}\n`).join('')}`,
  ].join('\n');
}
