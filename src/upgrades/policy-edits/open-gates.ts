import { findBlock, GATE_LABELS } from '../policies/fields.ts';

/** A version gate as OCM describes it. */
interface GateFacts {
  readonly id: string;
  /** `4.19` */
  readonly versionPrefix: string;
  readonly label: string;
  readonly stsOnly: boolean;
}

interface GatedCluster {
  readonly version: string;
  readonly sts: boolean;
}

/** Versions that no pattern blocks. */
export function unblocked(versions: readonly string[], patterns: readonly string[]): readonly string[] {
  return versions.filter((version) => findBlock(patterns, version) === undefined);
}

/** Minors that a cluster may reach next: those of its available upgrades, and the one after its own. */
export function nextMinors(version: string, upgrades: readonly string[]): ReadonlySet<string> {
  const [major = 0, minor = 0] = numbers(version);
  return new Set([`${major}.${minor + 1}`, ...upgrades.map((upgrade) => numbers(upgrade).slice(0, 2).join('.'))]);
}

/** Gates of these minors that apply to the cluster and lack an agreement. */
export function openGates<Gate extends GateFacts>(
  cluster: GatedCluster,
  gates: readonly Gate[],
  minors: ReadonlySet<string>,
  agreed: ReadonlySet<string>,
): readonly Gate[] {
  return gates.filter((gate) => minors.has(gate.versionPrefix) && applies(gate, cluster) && !agreed.has(gate.id));
}

function applies({ versionPrefix, label, stsOnly }: GateFacts, { version, sts }: GatedCluster): boolean {
  if ((stsOnly || label === GATE_LABELS.sts) && !sts) return false;
  const [[major = 0, minor = 0], [ownMajor = 0, ownMinor = 0]] = [numbers(versionPrefix), numbers(version)];
  return major > ownMajor || (major === ownMajor && minor > ownMinor);
}

function numbers(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}
