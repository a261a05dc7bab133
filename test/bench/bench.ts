import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LONG_PARTS, PARTS } from './parts/index.ts';
import { isWithin, type Row } from './row.ts';
import { benchTable } from './table.ts';

/** Measures Echelon against stated limits, each as a ratio to a baseline of the same run. Exits 1 over a limit. */
function chosen(only: string): string[] {
  const names = only.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name) && !Object.hasOwn(LONG_PARTS, name));
  if (unknown !== undefined) {
    throw new Error(`ONLY=${unknown}: use ${[...Object.keys(PARTS), ...Object.keys(LONG_PARTS)].join(', ')}`);
  }
  return names.length === 0 ? Object.keys(PARTS) : names;
}

const folder = mkdtempSync(join(tmpdir(), 'echelon-bench-'));
try {
  const rows: Row[] = [];
  for (const name of chosen(process.env['ECHELON_BENCH'] ?? '')) {
    const part = PARTS[name] ?? LONG_PARTS[name];
    const own = join(folder, name);
    mkdirSync(own);
    rows.push(...((await part?.(own)) ?? []));
    rmSync(own, { recursive: true });
  }
  console.log(benchTable(rows));
  process.exitCode = rows.every(isWithin) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
