import { type Table, tableOf } from '../../base/index.ts';
import type { OrganizationSheet } from './fleet-report.ts';
import { HISTORY_COLUMNS, newestFirst, shownHistory } from './history-events.ts';
import { REPORT_COLUMNS, reportCells } from './report-text.ts';

interface ReportTableOptions {
  readonly wide: boolean;
  /** Sort rows by all values; else in turn order. */
  readonly sort: boolean;
}

/** All organizations in one table, for a terminal, and below it what happened last. */
export function reportTables(
  sheets: readonly OrganizationSheet[],
  options: ReportTableOptions,
  draw: (table: Table) => string,
): string {
  const { title, shown } = shownHistory(newestFirst(sheets.flatMap(({ history }) => history)));
  const table = draw(reportTable(sheets, options));
  return shown.length === 0 ? table : `${table}\n${title}\n${draw(tableOf(shown, HISTORY_COLUMNS, 'usual'))}`;
}

export function reportTable(sheets: readonly OrganizationSheet[], { wide, sort }: ReportTableOptions): Table {
  const keys = ['ocm', ...REPORT_COLUMNS.map(({ key }) => key)] as const;
  const cells = sheets.flatMap((sheet) => sheet.rows.map((row) => reportCells(sheet, row, wide)));
  const rows = cells.map((row) => keys.map((key) => row[key]));
  const shown = sort ? rows.toSorted(byAllValues) : rows;
  return {
    titles: keys.map((key) => key.toUpperCase()),
    rows: shown.map((row) => row.map((cell) => cell || '-')),
  };
}

function byAllValues(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((value, column) => value !== b[column]);
  if (index === -1) return 0;
  return (a[index] ?? '') < (b[index] ?? '') ? -1 : 1;
}
