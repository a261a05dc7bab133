import { byText } from '../../../base/index.ts';
import type { Context } from '../context.ts';
import type { ServedCluster } from '../facts.ts';
import { pass, type Verdict, wait } from '../verdict.ts';
import { applicableGates } from '../version-gates.ts';
import { minorOf, type Version } from '../versions.ts';

const OPEN = pass('version-gate', 'no gate is missing');

/** A minor may be taken only after all of its gates that concern the cluster are agreed to. */
export function versionGateGate(cluster: ServedCluster, version: Version, context: Context): Verdict {
  const missing = missingGates(cluster, minorOf(version), context);
  if (missing.length === 0) return OPEN;
  const waitsOn = missing.join(', ');
  return wait('version-gate', `not agreed for ${minorOf(version)}: ${waitsOn}`, { waitsOn });
}

/** Labels of the gates of a minor that the cluster would have to agree to first, in an order of their own. */
export function missingGates(cluster: ServedCluster, minor: string, { gates, facts }: Context): string[] {
  const agreed = facts.agreements.get(cluster.id);
  return applicableGates(cluster, minor, gates)
    .filter(({ id }) => !agreed?.has(id))
    .map(({ label }) => label)
    .sort(byText);
}
