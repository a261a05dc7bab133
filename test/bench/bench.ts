import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenParts } from './chosen-parts.ts';
import { machineHere } from './machine.ts';
import { REPO } from './part.ts';
import { LONG_PARTS, PARTS } from './parts/index.ts';
import { RESULTS_FILE, readResults, writePerformance } from './performance/files.ts';
import { mergedResults, type PartResult, type Results } from './results.ts';
import { isWithin } from './row.ts';
import { benchTable } from './table.ts';

async function measured(name: string, folder: string): Promise<PartResult> {
  const started = performance.now();
  const own = join(folder, name);
  mkdirSync(own);
  const rows = await (PARTS[name] ?? LONG_PARTS[name])?.(own);
  rmSync(own, { recursive: true });
  return {
    date: new Date().toISOString().slice(0, 10),
    seconds: Math.round((performance.now() - started) / 1_000),
    rows: rows ?? [],
  };
}

/**
 * Measures Echelon against stated limits, each as a ratio to a baseline of the same run. Keeps the numbers in `.cache/bench`, and
 * with ECHELON_BENCH_WRITE writes docs/reference/performance.md from them. Gives 1 over a limit.
 */
async function bench(names: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-bench-'));
  try {
    const parts: Record<string, PartResult> = {};
    for (const name of names) parts[name] = await measured(name, folder);
    const results: Results = { machine: machineHere(), parts };
    const rows = Object.values(parts).flatMap((part) => part.rows);
    console.log(benchTable(rows));
    const times = Object.entries(parts).map(([name, { seconds }]) => `${name} ${seconds} s`);
    console.log(`\nmeasured: ${times.join(', ')}`);
    mkdirSync(join(REPO, '.cache/bench'), { recursive: true });
    writeFileSync(join(REPO, '.cache/bench/results.json'), JSON.stringify(results, undefined, 2));
    if ((process.env['ECHELON_BENCH_WRITE'] ?? '') !== '') {
      writePerformance(mergedResults(readResults(RESULTS_FILE), results));
    }
    return rows.every(isWithin) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const known = { usual: Object.keys(PARTS), long: Object.keys(LONG_PARTS) };
const chosen = chosenParts(process.env['ECHELON_BENCH'] ?? '', known);
if ('fault' in chosen) console.error(`error: ${chosen.fault}`);
process.exitCode = 'fault' in chosen ? 2 : await bench(chosen.parts);
