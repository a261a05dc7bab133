import { memoize } from '../../base/index.ts';
import { GATE_LABELS, KNOWN_VERSION_GATES } from '../policies/version-gate-labels.ts';
import type { ServedCluster, VersionGate } from './facts.ts';
import { minorOf, type Version } from './versions.ts';

/** By the minor that they guard. */
export function gatesByMinor(gates: readonly VersionGate[]): ReadonlyMap<string, readonly VersionGate[]> {
  return Map.groupBy(gates, ({ prefix }) => prefix);
}

/** A minor's gates that need an agreement before the cluster may move to it. */
export function applicableGates(
  cluster: Pick<ServedCluster, 'version' | 'sts'>,
  minor: string,
  gates: ReadonlyMap<string, readonly VersionGate[]>,
): readonly VersionGate[] {
  const ofMinor = gates.get(minor);
  if (ofMinor === undefined || !isBelow(cluster.version, minor)) return [];
  return ofMinor.filter(({ label }) => KNOWN_VERSION_GATES.has(label) && (label !== GATE_LABELS.sts || cluster.sts));
}

function isBelow(version: Version, minor: string): boolean {
  const [major = 0, own = 0] = numbersOf(minorOf(version));
  const [wantedMajor = 0, wanted = 0] = numbersOf(minor);
  return major < wantedMajor || (major === wantedMajor && own < wanted);
}

const numbersOf = memoize(1_000, (minor): readonly number[] => minor.split('.').map(Number));
