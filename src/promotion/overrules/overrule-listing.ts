import { type Column, type ListedRows, listedRows } from '../../base/index.ts';
import type { WrittenOverrule } from './new-overrule.ts';

const COLUMNS: readonly Column<WrittenOverrule>[] = [
  { title: 'TRACK', cell: ({ track }) => track },
  { title: 'ACTION', cell: ({ action }) => action },
  { title: 'IMAGE', cell: ({ image }) => image ?? 'every image' },
  { title: 'DIGEST', cell: ({ digest }) => digest ?? '', wide: true },
  { title: 'UNTIL', cell: ({ until }) => until ?? '' },
  { title: 'REASON', cell: ({ reason }) => reason },
];

export function overruleListing(rows: readonly WrittenOverrule[]): ListedRows {
  const kind = { kind: 'Overrule', noun: 'overrule' };
  return listedRows({ ...kind, rows, columns: COLUMNS, name: ({ track }) => track, item: (overrule) => overrule });
}
