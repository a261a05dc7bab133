import { textTable } from '../../src/base/index.ts';
import { isWithin, type Limit, type Row } from './row.ts';

const TITLES = ['', 'WHAT', 'ECHELON', 'PEER', 'RATIO', 'LIMIT'];

/** All rows, aligned; those over their limit say so. */
export function benchTable(rows: readonly Row[]): string {
  return textTable(TITLES, rows.map(cellsOf), (_, text) => text);
}

function cellsOf(row: Row): string[] {
  const { what, echelon, peer, ratio, limit } = row;
  return [
    isWithin(row) ? 'ok' : 'OVER',
    what,
    echelon,
    peer === undefined ? '-' : `${peer.name}: ${peer.measured}`,
    ratio === undefined ? '-' : ratio.toPrecision(3),
    limit === undefined ? '-' : limitText(limit),
  ];
}

export function limitText(limit: Limit): string {
  return 'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`;
}
