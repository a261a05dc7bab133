import { broken, pass, type Verdict } from '../verdict.ts';
import { isVersion } from '../versions.ts';

const OFFERED = pass('available', 'OCM offers it');

/** Only what OCM offers is a candidate; what it offers must be a version. */
export function availableGate(candidate: string): Verdict {
  return isVersion(candidate)
    ? OFFERED
    : broken('available', 'cluster', `OCM offers ${JSON.stringify(candidate)}, which is no semantic version`);
}
