import type { Instant } from '../../gates/index.ts';

/** In the order in which verdicts are listed. */
export const GATES = [
  'available',
  'blocked',
  'inherited-floor',
  'sector',
  'soak',
  'version-gate',
  'schedule',
  'mutex',
  'busy',
  'health',
] as const;
export type GateName = (typeof GATES)[number];

/** What one gate says, with the numbers that made it say so. */
export interface Verdict {
  readonly gate: GateName;
  readonly ok: boolean;
  readonly reason: string;
  /** The earliest time at which the gate can open; absent when it is open, or when nobody knows. */
  readonly until?: Instant;
  /** Whom or what it waits for, by name: a cluster, a workload, a block. What that means is up to the gate. */
  readonly waitsOn?: string;
  /** The gate could not be read, because of what the cluster or its organization configured. */
  readonly fault?: 'cluster' | 'organization';
}

export function pass(gate: GateName, reason: string): Verdict {
  return { gate, ok: true, reason };
}

export function wait(gate: GateName, reason: string, more: Pick<Verdict, 'until' | 'waitsOn'> = {}): Verdict {
  return { gate, ok: false, reason, ...more };
}

export function broken(gate: GateName, fault: 'cluster' | 'organization', reason: string): Verdict {
  return { gate, ok: false, reason, fault };
}
