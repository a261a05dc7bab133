import { defined } from '../../base/index.ts';
import type { Context } from './context.ts';
import type { ServedCluster } from './facts.ts';
import type { Member } from './members.ts';
import { laggingPool } from './node-pools.ts';
import type { Candidate } from './plan.ts';
import type { Rules } from './rules.ts';
import type {
  CandidateKind,
  ClusterGate,
  ClusterSubject,
  UpgradeGate,
  UpgradeGates,
  UpgradeVerdict,
} from './upgrade-gate.ts';
import { compareVersions, isVersion, type Version } from './versions.ts';

/** The gates of a pass, by what they judge. */
export interface Panel {
  readonly gates: UpgradeGates;
  readonly of: Readonly<Record<CandidateKind, readonly UpgradeGate[]>>;
}

export function panelOf(gates: UpgradeGates, rules: Rules): Panel {
  const concerned = (kind: CandidateKind): readonly UpgradeGate[] =>
    [...gates.values()].filter(({ concerns }) => concerns === undefined || concerns(kind, rules));
  return { gates, of: { version: concerned('version'), text: concerned('text'), 'node-pool': concerned('node-pool') } };
}

/** Every verdict on a cluster, at its turn: mutexes are as earlier clusters left them. */
export interface Examined extends ClusterSubject {
  /** Of the gates that do not depend on the version: those for its versions, and those for its node pools. */
  readonly own: readonly UpgradeVerdict[];
  readonly ofPools: readonly UpgradeVerdict[];
  readonly pool?: Candidate & { readonly nodePool: string };
  /** From the highest version to the lowest; text that is not a version comes last. */
  readonly candidates: readonly Candidate[];
}

/** Evaluates all gates. Every decision and report about the cluster is read from these verdicts. */
export function examine(cluster: ServedCluster, member: Member, context: Context, panel: Panel): Examined {
  const subject = { cluster, member };
  const own = new Map<UpgradeGate, UpgradeVerdict>();
  for (const gate of panel.gates.values()) {
    if (isClusterGate(gate)) own.set(gate, gate.judge(subject, context));
  }
  const candidateOf = (kind: CandidateKind): ((version: Version) => Candidate) => {
    const judge = judgeOf(subject, own, context, panel.of[kind]);
    return (version) => ({ version, verdicts: judge(version) });
  };
  const offers = cluster.availableUpgrades;
  const versions = offers.filter(isVersion);
  const others = versions.length === offers.length ? [] : offers.filter((offer) => !isVersion(offer));
  const candidates = [
    ...versions.sort(highestFirst).map(candidateOf('version')),
    ...others.map((offer) => candidateOf('text')(offer as Version)),
  ];
  const lagging = laggingPool(cluster);
  const pool = lagging && { ...candidateOf('node-pool')(cluster.version), nodePool: lagging.id };
  const ownOf = (kind: CandidateKind): UpgradeVerdict[] => panel.of[kind].flatMap((gate) => own.get(gate) ?? []);
  return { ...subject, own: ownOf('version'), ofPools: ownOf('node-pool'), candidates, ...defined({ pool }) };
}

function isClusterGate(gate: UpgradeGate): gate is ClusterGate {
  return gate.stage !== 'version' && gate.stage !== 'consent';
}

/**
 * Verdicts that do not depend on the version are looked up once per cluster, and not for each of its versions: a fleet has
 * tens of thousands of those.
 */
function judgeOf(
  { cluster, member }: ClusterSubject,
  own: ReadonlyMap<UpgradeGate, UpgradeVerdict>,
  context: Context,
  gates: readonly UpgradeGate[],
): (version: Version) => UpgradeVerdict[] {
  const known = gates.map((gate) => own.get(gate));
  return (version) => {
    const subject = { cluster, member, version };
    return gates.map((gate, index) => known[index] ?? gate.judge(subject, context));
  };
}

function highestFirst(a: Version, b: Version): number {
  return compareVersions(b, a);
}
