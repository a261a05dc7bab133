import { broken, pass } from '../../../gates/index.ts';
import type { SharedGate, UpgradeVerdict } from '../upgrade-gate.ts';
import { isVersion } from '../versions.ts';

const OFFERED = pass('available', 'OCM offers it');

/** Only what OCM offers is a candidate, and it must be a valid version. */
export function availableGate(candidate: string): UpgradeVerdict {
  return isVersion(candidate)
    ? OFFERED
    : broken('available', 'cluster', `OCM offers ${JSON.stringify(candidate)}, which is not a semantic version`);
}

/** What a cluster waits for when OCM offers it nothing. */
export const NOTHING_OFFERED = 'available';

export const availableRow: SharedGate = {
  name: 'available',
  awaited: 'for a valid version',
  stage: 'version',
  influences: [],
  shared: true,
  concerns: (kind) => kind !== 'node-pool',
  judge: ({ version }) => availableGate(version),
  opens: () => 'OCM offers a valid version instead',
};
