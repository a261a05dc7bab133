import { byText } from '../../../base/index.ts';
import { pass, wait } from '../../../gates/index.ts';
import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { type CandidateGate, type UpgradeVerdict, versionsOnly } from '../upgrade-gate.ts';
import { applicableGates } from '../version-gates.ts';
import { isVersion, minorOf, type Version } from '../versions.ts';

const OPEN = pass('version-gate', 'no agreement is missing');

/** A cluster may move to a minor only after all applicable version gates have an agreement. */
export function versionGateGate(cluster: ServedCluster, version: Version, context: Context): UpgradeVerdict {
  const minor = minorOf(version);
  if (!context.gates.has(minor)) return OPEN;
  const missing = missingGates(cluster, minor, context);
  if (missing.length === 0) return OPEN;
  const waitsOn = missing.join(', ');
  return wait('version-gate', `not agreed for ${minor}: ${waitsOn}`, { waitsOn });
}

/** Labels of a minor's gates that lack an agreement for the cluster, sorted. */
export function missingGates(cluster: ServedCluster, minor: string, { gates, facts }: Context): string[] {
  const agreed = facts.agreements.get(cluster.id);
  const missing: string[] = [];
  for (const { id, label } of applicableGates(cluster, minor, gates)) if (agreed?.has(id) !== true) missing.push(label);
  return missing.length > 1 ? missing.sort(byText) : missing;
}

export const versionGateRow: CandidateGate = {
  name: 'version-gate',
  awaited: 'for the agreement of a user',
  stage: 'consent',
  influences: [],
  byMinor: true,
  concerns: versionsOnly,
  judge: ({ cluster, version }, context) => versionGateGate(cluster, version, context),
  opens: ({ waitsOn = 'the gate' }, version) =>
    `a user agrees to ${waitsOn} for ${isVersion(version) ? minorOf(version) : version}`,
};
