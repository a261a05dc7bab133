import { type Instant, MICROS } from '../../gates/index.ts';
import type { Explanation } from '../engine/choose.ts';
import type { ScheduledUpgrade } from '../engine/facts.ts';
import { closedAt, type UpgradeGates } from '../engine/gate.ts';

/** The status of a version for a cluster. */
export type VersionStatus =
  | { readonly state: 'scheduled' | 'started' | 'ready' }
  /** Started so many hours ago; it should have finished. */
  | { readonly state: 'late'; readonly hours: number };

/** An upgrade that takes longer is late. */
const LATE_AFTER = 6 * MICROS.hour;

export function versionStatus(
  version: string,
  policy: ScheduledUpgrade | undefined,
  ready: string | undefined,
  now: Instant,
): VersionStatus | undefined {
  if (policy?.version !== version || policy.nextRun === undefined)
    return version === ready && policy?.version !== version ? { state: 'ready' } : undefined;
  if (policy.nextRun > now) return { state: 'scheduled' };
  const since = now - policy.nextRun;
  return since > LATE_AFTER ? { state: 'late', hours: since / MICROS.hour } : { state: 'started' };
}

/** The highest version that is open by itself, regardless of window, mutexes and version gates. */
export function readyVersion(explanation: Explanation | undefined, gates: UpgradeGates): string | undefined {
  return explanation?.candidates.find(
    ({ nodePool, verdicts }) => nodePool === undefined && closedAt(gates, verdicts, 'version') === undefined,
  )?.version;
}
