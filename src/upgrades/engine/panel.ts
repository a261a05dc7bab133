import type { Context } from './context.ts';
import type {
  CandidateKind,
  ClusterGate,
  ClusterSubject,
  Requirements,
  UpgradeGate,
  UpgradeGates,
  UpgradeVerdict,
} from './upgrade-gate.ts';
import type { Version } from './versions.ts';

/** Undefined for a gate that judges each cluster by itself. */
type SharedVerdicts = readonly (UpgradeVerdict | undefined)[];

/** The gates of one pass. What a gate says about many clusters at once is asked once: a fleet has few different policies. */
export class Panel {
  readonly gates: UpgradeGates;
  readonly #context: Context;
  readonly #of: Readonly<Record<CandidateKind, readonly UpgradeGate[]>>;
  readonly #shared = new Map<string, Map<Version, SharedVerdicts>>();
  #hasFault = false;

  constructor(gates: UpgradeGates, context: Context) {
    const all = [...gates.values()];
    const of = (kind: CandidateKind): readonly UpgradeGate[] =>
      all.filter(({ concerns }) => concerns === undefined || concerns(kind, context.rules));
    this.gates = gates;
    this.#context = context;
    this.#of = { version: of('version'), text: of('text'), 'node-pool': of('node-pool') };
  }

  /** Whether a gate could not be evaluated, for any cluster so far. */
  get hasFault(): boolean {
    return this.#hasFault;
  }

  /** In the order in which verdicts are listed. */
  of(kind: CandidateKind): readonly UpgradeGate[] {
    return this.#of[kind];
  }

  /** The verdicts that do not depend on the version. */
  ofCluster(subject: ClusterSubject): ReadonlyMap<UpgradeGate, UpgradeVerdict> {
    const own = new Map<UpgradeGate, UpgradeVerdict>();
    for (const gate of this.gates.values()) {
      if (isClusterGate(gate)) own.set(gate, this.#noted(gate.judge(subject, this.#context)));
    }
    return own;
  }

  /** How versions of one kind are judged for a cluster, given its own verdicts. */
  judgeOf(
    kind: CandidateKind,
    { cluster, member }: ClusterSubject,
    own: ReadonlyMap<UpgradeGate, UpgradeVerdict>,
  ): (version: Version) => readonly UpgradeVerdict[] {
    const { policy } = cluster;
    const gates = this.#of[kind];
    const known = gates.map((gate) => own.get(gate));
    const shared = this.#sharedBy(kind, policy);
    return (version) => {
      const subject = { cluster, member, policy, version };
      const ask = (gate: UpgradeGate): UpgradeVerdict => this.#noted(gate.judge(subject, this.#context));
      const given = shared.get(version) ?? gates.map((gate) => (isShared(gate) ? ask(gate) : undefined));
      shared.set(version, given);
      return gates.map((gate, index) => known[index] ?? given[index] ?? ask(gate));
    };
  }

  #sharedBy(kind: CandidateKind, policy: Requirements): Map<Version, SharedVerdicts> {
    const key = `${kind} ${requirementsKey(policy)}`;
    const shared = this.#shared.get(key) ?? new Map<Version, SharedVerdicts>();
    this.#shared.set(key, shared);
    return shared;
  }

  #noted(verdict: UpgradeVerdict): UpgradeVerdict {
    if (verdict.fault !== undefined) this.#hasFault = true;
    return verdict;
  }
}

const KEYS = new WeakMap<Requirements, string>();

/** Equal for policies that require the same of a version. */
export function requirementsKey(policy: Requirements): string {
  const known = KEYS.get(policy);
  if (known !== undefined) return known;
  const { soakDays, workloads, sector, blockedVersions } = policy;
  const key = JSON.stringify([soakDays, workloads, sector, blockedVersions]);
  KEYS.set(policy, key);
  return key;
}

function isClusterGate(gate: UpgradeGate): gate is ClusterGate {
  return gate.stage !== 'version' && gate.stage !== 'consent';
}

function isShared(gate: UpgradeGate): boolean {
  return 'shared' in gate && gate.shared === true;
}
