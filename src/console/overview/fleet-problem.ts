import type { Instant } from '../../gates/index.ts';
import type { Fault } from '../../upgrades/index.ts';

/** What needs a human. */
export interface FleetProblem {
  /** The same in every observation while it lasts. */
  readonly id: string;
  readonly where: string;
  /** One sentence, without a full stop. */
  readonly message: string;
  readonly hint: string;
  /** A page with details. */
  readonly href?: string;
  readonly severity: 'error' | 'warning';
  /** When it began; absent when only observations tell. */
  readonly since?: Instant;
}

/** Two faults of one kind at one place are one problem. */
export function faultProblem(where: string, { code, message, hint }: Fault): FleetProblem {
  return { id: `fault ${where} ${code} ${message}`, where, message, hint, severity: 'error' };
}
