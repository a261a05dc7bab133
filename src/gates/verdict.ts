import type { Instant } from './instant.ts';

/** The verdict of one gate, with the numbers behind it. `Owner` is whose configuration can be at fault. */
export interface Verdict<Owner extends string = string> {
  /** The name of the row. */
  readonly gate: string;
  readonly ok: boolean;
  readonly reason: string;
  /** The earliest time at which the gate can open; absent when it is open, or when the time is unknown. */
  readonly until?: Instant;
  /** What it waits for, by name: a cluster, a workload, a block. The meaning depends on the gate. */
  readonly waitsOn?: string;
  /** The gate cannot be evaluated: its owner's configuration is invalid. */
  readonly fault?: Owner;
}

export function pass(gate: string, reason: string): Verdict<never> {
  return { gate, ok: true, reason };
}

export function wait(gate: string, reason: string, more: Pick<Verdict, 'until' | 'waitsOn'> = {}): Verdict<never> {
  return { gate, ok: false, reason, ...more };
}

export function broken<Owner extends string>(gate: string, fault: Owner, reason: string): Verdict<Owner> {
  return { gate, ok: false, reason, fault };
}
