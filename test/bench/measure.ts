import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface Sample {
  readonly milliseconds: number;
  readonly maxRss: number;
  readonly [key: string]: number;
}

/** How `bin/echelon` starts Node. */
export const AS_STARTED: readonly string[] = ['--max-semi-space-size=4'];

/** One run of a script that prints its own measurement as JSON, with the compile cache that `bin/echelon` uses. */
export function runScript(script: string, args: readonly string[], options: readonly string[] = []): Sample {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../../.cache/node') };
  return JSON.parse(execFileSync(process.execPath, [...options, script, ...args], { encoding: 'utf8', env })) as Sample;
}

/** Wall time of a whole command, its start included. */
export function timeCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const started = performance.now();
  execFileSync(command, args, { stdio: 'ignore', env });
  return performance.now() - started;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export interface Turns {
  /** The median of the ratios of neighbours, not the ratio of medians: a slow moment of the machine falls on both. */
  readonly ratio: number;
  readonly measured: number;
  readonly baseline: number;
}

/** Two measurements taken in turns. */
export function inTurns(rounds: number, measure: () => number, measureBaseline: () => number): Turns {
  const turns = Array.from({ length: rounds }, () => {
    const baseline = measureBaseline();
    return { baseline, measured: measure() };
  });
  return {
    ratio: median(turns.map(({ measured, baseline }) => measured / baseline)),
    measured: median(turns.map(({ measured }) => measured)),
    baseline: median(turns.map(({ baseline }) => baseline)),
  };
}
