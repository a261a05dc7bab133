import type { Table } from '../../base/index.ts';
import type { OrganizationSheet } from './fleet-report.ts';
import { REPORT_COLUMNS, reportCells } from './report-text.ts';

/** All organizations in one table, for a terminal; sorted by all values, or in turn order. */
export function reportTable(
  sheets: readonly OrganizationSheet[],
  { wide, sort }: { readonly wide: boolean; readonly sort: boolean },
): Table {
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
