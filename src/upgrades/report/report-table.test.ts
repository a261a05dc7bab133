import { expect, it } from 'vitest';
import type { OrgId } from '../../instance/index.ts';
import type { OrganizationSheet, ReportRow } from './fleet-report.ts';
import { reportTable } from './report-table.ts';

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
  ...{ environment: 'live', orgId: name as OrgId, name, inherits: [], rows, held: [] },
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
