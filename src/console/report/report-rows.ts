import { byText } from '../../base/index.ts';
import { newestFirst, type OrganizationSheet, type ReportRow } from '../../upgrades/index.ts';
import { oncePer } from '../once.ts';
import { inOrder } from '../past.ts';
import { type Columns, foundRows, type Query } from '../query.ts';

/** A cluster in the report, and the organization that it is of. */
export interface SheetRow {
  readonly sheet: OrganizationSheet;
  readonly row: ReportRow;
}

type Sheets = readonly OrganizationSheet[];

export const REPORT_FILTERS = ['env', 'org', 'version', 'sector', 'workload'] as const;

export const sheetRows = oncePer((sheets: Sheets): readonly SheetRow[] =>
  sheets.flatMap((sheet) => sheet.rows.map((row) => ({ sheet, row }))),
);

const byCluster = (a: SheetRow, b: SheetRow): number => byText(a.row.cluster, b.row.cluster);

export const REPORT_COLUMNS: Columns<SheetRow> = {
  filters: {
    env: ({ sheet }) => [sheet.environment],
    org: ({ sheet }) => [sheet.name, sheet.orgId],
    version: ({ row }) => [row.version],
    sector: ({ row }) => [row.sector],
    workload: ({ row }) => row.workloads,
  },
  text: oncePer(({ sheet, row }) =>
    [
      ...[row.cluster, `${sheet.environment}/${sheet.name}`, row.version, row.channel, row.schedule, row.sector],
      ...[...row.mutexes, ...row.workloads, ...row.upgrades.map(({ version }) => version)],
    ].join(' '),
  ),
  sorts: {
    cluster: byCluster,
    version: (a, b) => inOrder(a.row.version, b.row.version) || byCluster(a, b),
    sector: (a, b) => byText(a.row.sector || '~', b.row.sector || '~') || byCluster(a, b),
    soak: (a, b) => a.row.soakDays - b.row.soakDays || byCluster(a, b),
  },
};

export function foundInReport(sheets: Sheets, query: Query): readonly SheetRow[] {
  return foundRows(sheetRows(sheets), query, REPORT_COLUMNS);
}

/** The organizations that a query is about, whatever it says of clusters. */
export function sheetsOf(sheets: Sheets, { filters }: Query): Sheets {
  const tests = (['env', 'org'] as const).flatMap((name) => {
    const wanted = filters.get(name);
    if (wanted === undefined) return [];
    const valuesOf = ({ environment, name: own, orgId }: OrganizationSheet): string[] =>
      name === 'env' ? [environment] : [own, orgId];
    return [(sheet: OrganizationSheet): boolean => valuesOf(sheet).some((value) => wanted.includes(value))];
  });
  return tests.length === 0 ? sheets : sheets.filter((sheet) => tests.every((test) => test(sheet)));
}

/** The same with the clusters that a query finds. */
export function foundSheets(sheets: Sheets, query: Query): Sheets {
  const found = new Set(foundInReport(sheets, query).map(({ row }) => row));
  return sheetsOf(sheets, query).map((sheet) => ({ ...sheet, rows: sheet.rows.filter((row) => found.has(row)) }));
}

export const eventsIn = oncePer((sheets: Sheets) => newestFirst(sheets.flatMap(({ history }) => history)));
