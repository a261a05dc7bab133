import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPO } from '../part.ts';
import type { Results } from '../results.ts';
import { chartsOf } from './curves.ts';
import { drawn } from './draw.ts';
import { performancePage } from './page.ts';

/** The numbers that the page is written from. */
export const RESULTS_FILE = 'docs/reference/performance.json';

const CHARTS = 'docs/images';

/** Every file that is written from the numbers, by its path in the repository. */
export function performanceFiles(results: Results): ReadonlyMap<string, string> {
  const charts = Object.entries(results.parts).flatMap(([name, { rows }]) => chartsOf(name, rows));
  return new Map([
    ['docs/reference/performance.md', performancePage(results)],
    ...charts.map((chart) => [`${CHARTS}/${chart.name}.svg`, drawn(chart)] as const),
  ]);
}

export function readResults(file: string): Results | undefined {
  try {
    return JSON.parse(readFileSync(join(REPO, file), 'utf8')) as Results;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The charts that there are. */
export function chartFiles(): string[] {
  return readdirSync(join(REPO, CHARTS))
    .filter((name) => name.endsWith('.svg'))
    .map((name) => `${CHARTS}/${name}`);
}

/** Writes the numbers, and the page and charts from them; removes charts of curves that are no longer measured. */
export function writePerformance(results: Results): void {
  const files = performanceFiles(results);
  for (const path of chartFiles()) if (!files.has(path)) rmSync(join(REPO, path));
  writeFileSync(join(REPO, RESULTS_FILE), `${JSON.stringify(results, undefined, 2)}\n`);
  for (const [path, text] of files) writeFileSync(join(REPO, path), text);
}

if (import.meta.main) {
  const results = readResults(RESULTS_FILE);
  if (results === undefined) throw new Error(`${RESULTS_FILE} does not exist: run make bench WRITE=1`);
  writePerformance(results);
}
