import type { Row } from './row.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly kernel: string;
}

/** What a run measured, by part. */
export interface Results {
  readonly machine: Machine;
  readonly parts: Readonly<Record<string, PartResult>>;
}

export interface PartResult {
  /** `2026-11-16` */
  readonly date: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

/**
 * The parts of both, a part of the later run for one of the same name. Numbers of two machines do not stand in one table:
 * those of another machine are dropped.
 */
export function mergedResults(earlier: Results | undefined, later: Results): Results {
  if (JSON.stringify(earlier?.machine) !== JSON.stringify(later.machine)) return later;
  return { machine: later.machine, parts: { ...earlier?.parts, ...later.parts } };
}
