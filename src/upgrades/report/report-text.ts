import { escapeControls } from '../../base/index.ts';
import { secondText } from '../../gates/index.ts';
import type { OrganizationSheet, ReportRow, SoakingUpgrade } from './fleet-report.ts';
import { type HistoryEvent, shownHistory } from './history-events.ts';
import type { VersionStatus } from './version-status.ts';

/** Columns of the report, in order. */
export const REPORT_COLUMNS = [
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
export type ReportCells = Readonly<Record<ReportColumn | 'ocm' | 'id', string>>;

/** A row as text. Status symbols are for the page only. */
export function reportCells({ name }: OrganizationSheet, row: ReportRow, symbols: boolean): ReportCells {
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
