import { applicableGates, gatesByMinor } from '../engine/context.ts';
import type { ClusterState, VersionGate } from '../engine/facts.ts';
import { isVersion, minorOf } from '../engine/versions.ts';
import { GATE_LABELS } from '../policies/fields.ts';

/** `agree` creates an agreement; the others leave the gate closed. */
type GateVerdict =
  | { readonly verdict: 'agree' }
  | { readonly verdict: 'not-allowed' | 'not-supported'; readonly reason: string };

export type JudgedGate = GateVerdict & { readonly gate: VersionGate };

interface GateRules {
  /** Labels of the gates that may be agreed to. */
  readonly allowed: ReadonlySet<string>;
  /** AWS STS roles are maintained elsewhere, so that their gates can be agreed to. */
  readonly stsRolesKept: boolean;
}

type Cluster = Pick<ClusterState, 'version' | 'sts' | 'availableUpgrades'>;

const KNOWN: ReadonlySet<string> = new Set(Object.values(GATE_LABELS));

/** Gates of the minors that a cluster could move to, in OCM order; agreements are not considered. */
export function gatesAhead(cluster: Cluster, gates: readonly VersionGate[]): VersionGate[] {
  const minors = new Set(cluster.availableUpgrades.filter(isVersion).map(minorOf));
  const byMinor = gatesByMinor(gates.map((gate) => (KNOWN.has(gate.label) ? gate : { ...gate, label: UNKNOWN })));
  const ahead = new Set([...minors].flatMap((minor) => applied(cluster, minor, byMinor)));
  return gates.filter(({ id }) => ahead.has(id));
}

/** Stands for every unknown label: such a gate is assumed to apply to all clusters. */
const UNKNOWN = GATE_LABELS.ocp;

function applied(cluster: Cluster, minor: string, byMinor: ReadonlyMap<string, readonly VersionGate[]>): string[] {
  return applicableGates(cluster, minor, byMinor).map(({ id }) => id);
}

/** What to do about a gate without an agreement. */
export function judgeGate(gate: VersionGate, { allowed, stsRolesKept }: GateRules): JudgedGate {
  const { label } = gate;
  if (!KNOWN.has(label)) {
    return { gate, verdict: 'not-supported', reason: `unknown version gate ${label}` };
  }
  if (!allowed.has(label)) {
    return { gate, verdict: 'not-allowed', reason: `neither the cluster nor its organization approves ${label}` };
  }
  if (label === GATE_LABELS.sts && !stsRolesKept) {
    return { gate, verdict: 'not-supported', reason: 'the AWS STS roles must be upgraded first, outside of OCM' };
  }
  return { gate, verdict: 'agree' };
}
