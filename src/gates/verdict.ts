import type { Instant } from './instant.ts';

/** What one gate says, with the numbers that made it say so. `Owner` is whose configuration can be at fault. */
export interface Verdict<Owner extends string = string> {
  /** The name of its row. */
  readonly gate: string;
  readonly ok: boolean;
  readonly reason: string;
  /** The earliest time at which the gate can open; absent when it is open, or when nobody knows. */
  readonly until?: Instant;
  /** Whom or what it waits for, by name: a cluster, a workload, a block. What that means is up to the gate. */
  readonly waitsOn?: string;
  /** The gate could not be read, because of what its owner configured. */
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
