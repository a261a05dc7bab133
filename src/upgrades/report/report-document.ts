import type { OrganizationSheet } from './fleet-report.ts';
import { historyItem } from './history-events.ts';

/** The report for programs; times are text. */
export function reportDocument(sheets: readonly OrganizationSheet[]): object {
  const organizations = sheets.map(({ history, ...sheet }) => ({ ...sheet, history: history.map(historyItem) }));
  return { kind: 'UpgradeReport', organizations };
}
