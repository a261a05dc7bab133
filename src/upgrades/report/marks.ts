import { type Instant, MICROS } from '../../gates/index.ts';
import type { ExistingPolicy } from '../engine/facts.ts';
import type { Explanation } from '../engine/plan.ts';
import { closedAt, type UpgradeGates } from '../engine/upgrade-gate.ts';

/** How far a version is for a cluster. */
export type Mark =
  | { readonly state: 'scheduled' | 'started' | 'ready' }
  /** Started so many hours ago, and should be over. */
  | { readonly state: 'late'; readonly hours: number };

/** An upgrade that takes longer is late. */
const LATE_AFTER = 6 * MICROS.hour;

export function markOf(
  version: string,
  policy: ExistingPolicy | undefined,
  ready: string | undefined,
  now: Instant,
): Mark | undefined {
  if (policy?.version !== version || policy.nextRun === undefined)
    return version === ready && policy?.version !== version ? { state: 'ready' } : undefined;
  if (policy.nextRun > now) return { state: 'scheduled' };
  const since = now - policy.nextRun;
  return since > LATE_AFTER ? { state: 'late', hours: since / MICROS.hour } : { state: 'started' };
}

/** The highest version that may be taken as far as the version itself goes, whatever the window, mutexes and gates. */
export function readyVersion(explanation: Explanation | undefined, gates: UpgradeGates): string | undefined {
  return explanation?.candidates.find(
    ({ nodePool, verdicts }) => nodePool === undefined && closedAt(gates, verdicts, 'version') === undefined,
  )?.version;
}
