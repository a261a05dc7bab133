import { expect, it } from 'vitest';
import { instantOf } from '../../gates/index.ts';
import type { OrgId } from '../../instance/index.ts';
import type { HistoryEvent } from './history.ts';
import type { OrganizationSheet, ReportRow } from './report.ts';
import { reportMarkdown, reportTable, reportTables } from './report-text.ts';

const row = (cluster: string, version: string): ReportRow => ({
  ...{ id: cluster, uuid: cluster, cluster, version, channel: 'stable', schedule: '* * * * *', sector: '' },
  ...{
    mutexes: [],
    soakDays: 1,
    workloads: ['w'],
    upgrades: [{ version: '4.18.9', soaked: 1, mark: { state: 'ready' } }],
  },
});
const sheet = (name: string, ...rows: readonly ReportRow[]): OrganizationSheet => ({
  ...{ environment: 'live', orgId: name as OrgId, name, inherits: [], rows, held: [], history: [] },
});
const SHEETS = [sheet('b', row('x', '4.18.2')), sheet('a', row('z', '4.18.1'), row('y', '4.18.1'))];

it.each([
  { sort: true, clusters: ['y', 'z', 'x'] },
  { sort: false, clusters: ['x', 'z', 'y'] },
])('the report with sort $sort has the clusters $clusters', ({ sort, clusters }) => {
  const { titles, rows } = reportTable(SHEETS, { wide: false, sort });
  expect(rows.map((cells) => cells[titles.indexOf('CLUSTER')])).toEqual(clusters);
  expect(rows[0]?.[titles.indexOf('SECTOR')]).toBe('-');
});

it.each([
  { wide: false, text: '4.18.9 (1.0)' },
  { wide: true, text: '4.18.9 (1.0 🎉)' },
])('the report that is wide $wide shows a soaking version as $text', ({ wide, text }) => {
  expect(reportTable(SHEETS, { wide, sort: false }).rows[0]?.at(-1)).toBe(text);
});

const change = (organization: string, hour: number): HistoryEvent => ({
  ...{ at: instantOf(hour * 3_600_000), event: 'version-changed', environment: 'live', organization },
  ...{ cluster: `c-${hour}`, uuid: `u-${hour}`, from: '4.18.1', version: '4.18.2' },
});
const withPast = (name: string, ...hours: readonly number[]): OrganizationSheet => ({
  ...sheet(name),
  history: hours.map((hour) => change(name, hour)),
});
const DRAWN = ({ rows }: { readonly rows: readonly (readonly string[])[] }): string =>
  rows.map(([, cluster]) => `${cluster}\n`).join('');

it('the table has the newest events of all organizations in one order, and says how many there are', () => {
  const text = (...sheets: readonly OrganizationSheet[]) => reportTables(sheets, { wide: false, sort: true }, DRAWN);
  expect(text(sheet('a'))).toBe('');
  expect(text(withPast('a', 9, 3), withPast('b', 5))).toBe('\nHistory, newest first:\nc-9\nc-5\nc-3\n');
  const hours = Array.from({ length: 21 }, (_, index) => 40 - index);
  expect(text(withPast('a', ...hours.slice(1)))).toMatch(/^\nHistory, newest first:\n(?:c-\d+\n){20}$/);
  expect(text(withPast('a', ...hours))).toMatch(
    /^\nHistory, newest first \(20 of 21; all: echelon upgrades history\):\n(?:c-\d+\n){20}$/,
  );
});

it('a name in the history is text in Markdown', () => {
  const event = { ...change('a', 1), cluster: 'x\n- <b>@all' };
  expect(reportMarkdown([{ ...sheet('a'), history: [event] }])).toContain('Z: x - &lt;b>@\u200ball changed from');
});
