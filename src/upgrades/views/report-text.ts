import { escapeControls, type Table, tableOf } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import { HISTORY_COLUMNS, type HistoryEvent, newestFirst, shownHistory } from './history.ts';
import type { OrganizationSheet, ReportRow, SoakingUpgrade, VersionStatus } from './report.ts';

/** Columns of the report, in order. */
const REPORT_COLUMNS = [
  { key: 'cluster', sortable: true },
  { key: 'version', sortable: true },
  { key: 'since', sortable: true },
  { key: 'channel', sortable: true },
  { key: 'schedule' },
  { key: 'sector', sortable: true },
  { key: 'mutexes', sortable: true },
  { key: 'soak_days', sortable: true },
  { key: 'workload' },
  { key: 'soaking_upgrades' },
] as const;

type ReportColumn = (typeof REPORT_COLUMNS)[number]['key'];
type ReportCells = Readonly<Record<ReportColumn | 'ocm' | 'id', string>>;

/** A row as text. Status symbols are for the page only. */
function reportCells({ name }: OrganizationSheet, row: ReportRow, symbols: boolean): ReportCells {
  return {
    ocm: name,
    id: row.id,
    cluster: row.cluster,
    version: row.version,
    since: row.since ?? '',
    channel: row.channel,
    schedule: row.schedule,
    sector: row.sector,
    mutexes: row.mutexes.join(', '),
    soak_days: String(row.soakDays),
    workload: row.workloads.join(', '),
    soaking_upgrades: row.upgrades.map((upgrade) => upgradeText(upgrade, symbols)).join(', '),
  };
}

function upgradeText({ version, soaked, mark }: SoakingUpgrade, symbols: boolean): string {
  const shown = symbols && mark !== undefined ? ` ${symbolOf(mark)}` : '';
  return `${version} (${decimal(soaked)}${shown})`;
}

/** At least one decimal. */
function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function symbolOf(mark: VersionStatus): string {
  if (mark.state === 'late') return `💫 - started ${mark.hours.toFixed(1)}h ago❗️`;
  return { scheduled: '⏰', started: '💫', ready: '🎉' }[mark.state];
}

const LEGEND = `Numbers in parentheses are the days that a version has soaked, the least over the workloads of the cluster.

- 🎉 has soaked long enough and passed its sectors; it is scheduled at the next slot
- ⏰ is scheduled
- 💫 has started; ❗️ means more than 6 hours ago
`;

/** The report in Markdown: a legend, then a sortable and filterable table per organization. */
export function reportMarkdown(sheets: readonly OrganizationSheet[]): string {
  return [`# Cluster upgrades\n\n${LEGEND}`, ...sheets.map(sheetText)].join('\n');
}

function sheetText(sheet: OrganizationSheet): string {
  const { name, inherits, rows, held, stopped, history } = sheet;
  const table = {
    fields: REPORT_COLUMNS.map((column) => ({ ...column })),
    items: rows.map((row) => reportCells(sheet, row, true)),
    filter: true,
    caption: '',
  };
  return [
    `## ${oneLine(name)}\n`,
    ...(inherits.length === 0 ? [] : [`Inherits the history of ${inherits.map(oneLine).join(', ')}.\n`]),
    ...(stopped === undefined ? [] : [`Nothing is upgraded: ${oneLine(stopped)}\n`]),
    `\`\`\`json:table\n${fenced(JSON.stringify(table, undefined, 2))}\n\`\`\`\n`,
    ...(held.length === 0 ? [] : ['Not upgraded:\n']),
    ...(held.length === 0
      ? []
      : [held.map(({ cluster, reason }) => `- ${oneLine(cluster)}: ${oneLine(reason)}\n`).join('')]),
    ...(history.length === 0 ? [] : [historyText(history)]),
  ].join('\n');
}

function historyText(history: readonly HistoryEvent[]): string {
  const { title, shown } = shownHistory(history);
  const lines = shown.map((event) => `- ${oneLine(`${secondText(event.at)}: ${historyEventText(event)}`)}\n`);
  return `${title}\n\n${lines.join('')}`;
}

/** `a changed from 4.18.1 to 4.18.3` */
export function historyEventText({ event, cluster, from, version, nodePool, startsAt }: HistoryEvent): string {
  const pool = nodePool === undefined ? '' : ` (node pool ${nodePool})`;
  const what =
    event === 'version-changed' || startsAt === undefined
      ? `changed from ${from} to ${version}`
      : `was scheduled for ${version}, to start ${secondText(startsAt)}`;
  return `${cluster}${pool} ${what}`;
}

/** User text must neither end the block nor become markup. */
function fenced(json: string): string {
  return json.replaceAll('`', '\\u0060');
}

function oneLine(text: string): string {
  return escapeControls(text.replaceAll(/\s+/g, ' '))
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b')
    .replaceAll('`', "'");
}

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
