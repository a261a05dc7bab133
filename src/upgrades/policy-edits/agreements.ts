import { mapLimited } from '../../base/index.ts';
import { findBlock, GATE_LABELS } from '../policies/fields.ts';
import { complete, type DescribedGate, type Member, type PolicyApi } from './members.ts';

/** Clusters whose agreements are read in parallel. */
const CONCURRENCY = 8;

/** A version gate that applies to a cluster and lacks an agreement. */
export interface ClosedGate {
  readonly cluster: string;
  readonly clusterId: string;
  readonly version: string;
  readonly gate: DescribedGate;
}

/** Gates of clusters: for one minor, or for those that each may reach next. */
export async function gatesBefore(
  api: PolicyApi,
  members: readonly Member[],
  { blocked = [], minor }: { readonly blocked?: readonly string[]; readonly minor?: string },
): Promise<ClosedGate[]> {
  const gates = complete(await api.listVersionGates(minor === undefined ? undefined : [minor]));
  const rows = await mapLimited(members, CONCURRENCY, async ({ name, cluster }): Promise<ClosedGate[]> => {
    if (cluster === undefined) return [];
    const facts = { version: cluster.version.rawId, sts: cluster.sts };
    const upgrades = unblocked(cluster.version.availableUpgrades, blocked);
    const minors = minor === undefined ? nextMinors(facts.version, upgrades) : new Set([minor]);
    if (openGates(facts, gates, minors, new Set()).length === 0) return [];
    const agreements = complete(await api.listGateAgreements(cluster.id));
    const agreed = new Set(agreements.map(({ gateId }) => gateId));
    return openGates(facts, gates, minors, agreed).map((gate) => ({
      ...{ cluster: name, clusterId: cluster.id, version: facts.version, gate },
    }));
  });
  return rows.flat();
}

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
