import { byText, count } from '../../base/index.ts';
import { type Instant, parseInstant } from '../../gates/index.ts';
import {
  compareVersionTexts,
  type HistoryEvent,
  historyEventText,
  newestFirst,
  type OrganizationSheet,
  reportDocument,
  type SoakingUpgrade,
  shownHistory,
} from '../../upgrades/index.ts';
import { type Html, html, type Markup, timeInRow, timeWithAge } from '../html.ts';
import {
  type Columns,
  countLine,
  filteredHref,
  filterForm,
  foundRows,
  PAGE_ROWS,
  pageOf,
  pager,
  type Query,
  sortHead,
  valuesIn,
} from '../list.ts';
import { UPGRADES, type View } from '../page.ts';
import { badge, unseenOrganizations } from '../parts.ts';
import type { Choice, SheetRow, UpgradesView } from '../state.ts';
import { clusterPath } from './clusters.ts';

const byCluster = (a: SheetRow, b: SheetRow): number => byText(a.row.cluster, b.row.cluster);

const REPORT_COLUMNS: Columns<SheetRow> = {
  filters: {
    env: ({ sheet }) => [sheet.environment],
    org: ({ sheet }) => [sheet.name, sheet.orgId],
    version: ({ row }) => [row.version],
    sector: ({ row }) => [row.sector],
    workload: ({ row }) => row.workloads,
  },
  text: ({ sheet, row }) =>
    [
      ...[row.cluster, `${sheet.environment}/${sheet.name}`, row.version, row.channel, row.schedule, row.sector],
      ...[...row.mutexes, ...row.workloads, ...row.upgrades.map(({ version }) => version)],
    ].join(' '),
  sorts: {
    cluster: byCluster,
    version: (a, b) => compareVersionTexts(a.row.version, b.row.version) || byCluster(a, b),
    sector: (a, b) => byText(a.row.sector || '~', b.row.sector || '~') || byCluster(a, b),
    soak: (a, b) => a.row.soakDays - b.row.soakDays || byCluster(a, b),
  },
};

export const REPORT_PATH = '/report';

export const report: View<UpgradesView> = {
  path: REPORT_PATH,
  title: 'Upgrade report',
  within: '/clusters',
  filters: Object.keys(REPORT_COLUMNS.filters),
  half: UPGRADES,
  page: (data, query, { now }) => html`${unseenOrganizations(data)}${reportPage(data, query, now)}`,
  json: {
    path: '/report.json',
    kind: 'UpgradeReport',
    body: (data, query) => reportDocument(data === undefined ? [] : foundSheets(data, query)),
  },
};

/** The report of `echelon upgrades report`: soaking versions by cluster, clusters that are not upgraded, and the latest events. */
function reportPage({ report: sheets, sheetRows: rows, sheetChoices }: UpgradesView, query: Query, now: Instant): Html {
  const paged = pageOf(REPORT_PATH, query, foundRows(rows, query, REPORT_COLUMNS));
  const own = sheetsOf(sheets, query);
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Overview</a></nav>
<h1>Upgrade report</h1>
<p class="hint">The days are those that a version has soaked, the least over the workloads of the cluster. What is ready has soaked long enough and passed its sectors.</p>
${filterForm(paged, sheetChoices)}
${countLine(paged.found, `${count(rows.length, 'cluster')} of ${count(sheets.length, 'organization')}`)}
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Upgrade report">
<table class="rows" data-rows>
<caption class="unseen">Clusters, their policies and the versions that soak for them</caption>
<thead><tr>${sortHead(paged, 'cluster', 'Cluster')}${sortHead(paged, 'version', 'Version')}<th scope="col">Channel</th><th scope="col">Schedule</th>${sortHead(paged, 'sector', 'Sector, mutexes')}${sortHead(paged, 'soak', 'Soak days, workloads')}<th scope="col">Soaking upgrades</th></tr></thead>
<tbody>${paged.rows.map((row) => rowOf(row, now))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No cluster matches. <a href="${REPORT_PATH}">Show all</a></p>`}
${pager(paged, 'Pages, below')}
${organizationNotes(own)}${notUpgraded(own)}${historySection(newestFirst(own.flatMap(({ history }) => history)), now)}`;
}

export function sheetChoicesIn(sheets: Sheets, rows: readonly SheetRow[]): Choice[] {
  const of = (name: string): string[] => valuesIn(rows, REPORT_COLUMNS.filters[name] ?? (() => []));
  return [
    { name: 'org', title: 'Organization', values: valuesIn(sheets, ({ name }) => [name]) },
    { name: 'version', title: 'Version', values: of('version').sort(compareVersionTexts) },
    { name: 'sector', title: 'Sector', values: of('sector') },
    { name: 'workload', title: 'Workload', values: of('workload') },
  ];
}

function rowOf({ sheet, row }: SheetRow, now: Instant): Html {
  const { uuid, cluster, version, channel, schedule, sector, mutexes, soakDays, workloads, upgrades } = row;
  const since = row.since === undefined ? undefined : parseInstant(row.since);
  const dated = since === undefined ? '' : html` <small>since ${timeInRow(since, now)}</small>`;
  return html`<tr><th scope="row"><a href="${clusterPath({ ...sheet, uuid })}">${cluster}</a> <small>${nameOf(sheet)}</small></th><td><span class="num">${version}</span>${dated}</td><td>${channel}</td><td>${schedule}</td><td>${sector} <small>${mutexes.join(', ')}</small></td><td>${soakDays} <small>${workloads.join(', ')}</small></td><td>${upgrades.map(upgradeOf)}</td></tr>
`;
}

function upgradeOf({ version, soaked, mark, gate }: SoakingUpgrade): Html {
  const waits = gate === undefined ? '' : `, waits for ${gate}`;
  return html`<div><span class="num">${version}</span>${mark === undefined ? '' : html` ${markBadge(mark)}`} <small>soaked ${soaked} days${waits}</small></div>`;
}

function markBadge(mark: NonNullable<SoakingUpgrade['mark']>): Html {
  if (mark.state === 'late') return badge('bad', `started ${mark.hours.toFixed(1)} h ago`);
  return badge(mark.state === 'started' ? 'wait' : 'good', mark.state);
}

function nameOf({ environment, name }: OrganizationSheet): string {
  return `${environment}/${name}`;
}

function organizationNotes(sheets: readonly OrganizationSheet[]): Markup {
  const notes = sheets.flatMap((sheet) => [
    ...(sheet.stopped === undefined ? [] : [html`${nameOf(sheet)}: nothing is upgraded: ${sheet.stopped}`]),
    ...(sheet.inherits.length === 0
      ? []
      : [html`${nameOf(sheet)} inherits the history of ${sheet.inherits.join(', ')}`]),
  ]);
  return listSection('organizations', 'Organizations', notes);
}

function notUpgraded(sheets: readonly OrganizationSheet[]): Markup {
  const held = sheets.flatMap((sheet) =>
    sheet.held.map(({ cluster, reason }) => html`${cluster} <small>${nameOf(sheet)}</small> ${reason}`),
  );
  return listSection('held', 'Not upgraded', held, filteredHref('/clusters', 'action', 'hold'));
}

/** A list with as many items as a page has rows. */
function listSection(id: string, title: string, items: readonly Html[], all?: string): Markup {
  if (items.length === 0) return '';
  const rest = items.length - PAGE_ROWS;
  const more = all === undefined ? `${rest} more` : html`<a href="${all}">${rest} more</a>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="steps">${items.slice(0, PAGE_ROWS).map((item) => html`<li>${item}</li>`)}</ul>${rest > 0 ? html`<p>${more}</p>` : ''}</section>`;
}

function historySection(events: readonly HistoryEvent[], now: Instant): Markup {
  const { shown } = shownHistory(events);
  if (shown.length === 0) return '';
  const rest = events.length - shown.length;
  return html`<section aria-labelledby="history"><h2 id="history">History, newest first</h2><ul class="steps">${shown.map((event) => html`<li>${timeWithAge(event.at, now)}: ${historyEventText(event)} <small>${event.environment}/${event.organization}</small></li>`)}</ul>${rest > 0 ? html`<p>${rest} more: <code>echelon upgrades history</code>, and by cluster on the <a href="/timeline">timeline</a></p>` : ''}</section>`;
}

type Sheets = readonly OrganizationSheet[];

export function sheetRowsOf(sheets: Sheets): SheetRow[] {
  return sheets.flatMap((sheet) => sheet.rows.map((row) => ({ sheet, row })));
}

/** The organizations that a query is about, whatever it says of clusters. */
function sheetsOf(sheets: Sheets, { filters }: Query): Sheets {
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
function foundSheets({ report: sheets, sheetRows: rows }: UpgradesView, query: Query): Sheets {
  const found = new Set(foundRows(rows, query, REPORT_COLUMNS).map(({ row }) => row));
  return sheetsOf(sheets, query).map((sheet) => ({ ...sheet, rows: sheet.rows.filter((row) => found.has(row)) }));
}
