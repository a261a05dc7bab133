import { count, markdownTable, type Table, textTable } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import type { ForecastChange } from './forecast-document.ts';
import { moveTable, upgradeTable, waitingTable } from './forecast-rows.ts';

/** A forecast for a terminal; tables fit its width, where one is given. */
export function forecastText(
  { forecast, moves }: ForecastChange,
  paint: (colour: 'bold' | 'dim', text: string) => string,
  fit: { readonly width?: number; readonly cell?: (text: string) => string },
): string {
  const { cell = (line: string) => line } = fit;
  const { from, to, clusters, assumptions } = forecast;
  const [upgrades, waiting] = [upgradeTable(forecast), waitingTable(forecast)];
  const text = ({ titles, rows }: Table): string => textTable(titles, rows, paint, fit);
  const moved = moves === undefined || moves.length === 0 ? 'nothing\n' : text(moveTable(moves));
  return [
    `${paint('bold', cell(`${secondText(from)} to ${secondText(to)}: ${count(clusters.length, 'cluster')}, ${count(upgrades.rows.length, 'upgrade')}`))}\n`,
    upgrades.rows.length === 0 ? '' : `\n${text(upgrades)}`,
    waiting.rows.length === 0 ? '' : `\n${paint('bold', 'Waiting at the end:')}\n${text(waiting)}`,
    moves === undefined ? '' : `\n${paint('bold', 'Changes by the what-if:')}\n${moved}`,
    `\n${paint('bold', 'Assumptions:')}\n${assumptions.map((each) => `- ${cell(each)}\n`).join('')}`,
  ].join('');
}

export function forecastMarkdown({ forecast, moves }: ForecastChange): string {
  const { from, to, assumptions } = forecast;
  const text = ({ titles, rows }: Table): string => markdownTable(titles, rows);
  return [
    `## Upgrades from ${secondText(from)} to ${secondText(to)}\n\n${text(upgradeTable(forecast))}`,
    `### Waiting at the end\n\n${text(waitingTable(forecast))}`,
    ...(moves === undefined ? [] : [`### Changes by the what-if\n\n${text(moveTable(moves))}`]),
    `### Assumptions\n\n${assumptions.map((each) => `- ${each}\n`).join('')}`,
  ].join('\n');
}
