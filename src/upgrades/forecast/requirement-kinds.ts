import type { SoakPace } from '../../gates/index.ts';
import { requirementsKey } from '../engine/choose.ts';
import type { PassContext } from '../engine/context.ts';
import type { ServedCluster } from '../engine/facts.ts';
import type { UpgradeGate } from '../engine/gate.ts';
import type { Version } from '../engine/versions.ts';
import type { Seat } from './seat.ts';
import { DIGIT, digitOf } from './verdict-digits.ts';

/** Clusters that require the same of a version. */
export interface Kind {
  readonly seats: readonly Seat<ServedCluster>[];
  readonly needsSector: boolean;
  /** What gates say, for each version that one of them is offered. */
  readonly open: Map<Version, number>;
  /** To how many of them. */
  readonly offered: Map<Version, number>;
  /** How often that changed, and what it is for several versions, as `Situations` numbers it. */
  revision: number;
  readonly required: Map<readonly Version[], number>;
  /** The pass in which a version is judged again. */
  readonly due: Map<Version, number>;
}

/** What gates say to all clusters with the same requirements, and when they may say something else. */
export class RequirementKinds {
  readonly #gates: readonly UpgradeGate[];
  readonly #kindOf = new Map<Seat, Kind>();
  readonly #kinds: readonly Kind[];
  readonly #byWorkload = new Map<string, Kind[]>();

  constructor(seats: readonly Seat<ServedCluster>[], gates: readonly UpgradeGate[]) {
    this.#gates = gates;
    const groups = Map.groupBy(seats, ({ cluster: { policy } }) => requirementsKey(policy));
    this.#kinds = [...groups.values()].map((own) => ({
      seats: own,
      needsSector: Boolean(own[0]?.cluster.policy.sector),
      open: new Map<Version, number>(),
      offered: new Map<Version, number>(),
      due: new Map<Version, number>(),
      ...{ revision: 0, required: new Map() },
    }));
    for (const kind of this.#kinds) {
      for (const seat of kind.seats) this.#kindOf.set(seat, kind);
      for (const workload of new Set(kind.seats[0]?.cluster.policy.workloads))
        this.#byWorkload.set(workload, [...(this.#byWorkload.get(workload) ?? []), kind]);
    }
  }

  /** All of them, or those with a sector. */
  all({ withSector = false } = {}): readonly Kind[] {
    return withSector ? this.#kinds.filter(({ needsSector }) => needsSector) : this.#kinds;
  }

  /** Those whose soak grows with a workload, where they wait for that of a version. */
  soaking(version: Version, workload: string): readonly Kind[] {
    return (this.#byWorkload.get(workload) ?? []).filter(({ open }) => this.#waitsForSoak(open.get(version)));
  }

  #waitsForSoak(open: number | undefined): boolean {
    if (open === undefined) return false;
    let rest = open;
    for (let index = this.#gates.length - 1; index >= 0; index -= 1) {
      if (rest % DIGIT !== 1 && this.#gates[index]?.influences?.includes('soak')) return true;
      rest = Math.floor(rest / DIGIT);
    }
    return false;
  }

  of(seat: Seat): Kind | undefined {
    return this.#kindOf.get(seat);
  }

  /** Judges a version; returns whether the verdicts are others than before. */
  judge(kind: Kind, version: Version, context: PassContext): boolean {
    const [seat] = kind.seats;
    if (seat === undefined) return false;
    const { cluster, member } = seat;
    const subject = { cluster, member, policy: cluster.policy, version };
    let open = 0;
    for (const gate of this.#gates) open = open * DIGIT + digitOf(gate.judge(subject, context as never));
    if (kind.open.get(version) === open) return false;
    kind.open.set(version, open);
    revise(kind);
    return true;
  }

  /** A cluster is offered these versions instead of those; what no cluster of its kind is offered is not judged any more. */
  offer(kind: Kind, versions: readonly Version[], before: readonly Version[]): void {
    const { offered, open, due } = kind;
    for (const version of versions) offered.set(version, (offered.get(version) ?? 0) + 1);
    for (const version of before) {
      const left = (offered.get(version) ?? 0) - 1;
      if (left > 0) offered.set(version, left);
      else {
        for (const each of [offered, open, due]) each.delete(version);
        revise(kind);
      }
    }
  }

  /** The earliest time at which soak can open a gate that was closed when it was judged; infinite when none is, or it does not soak. */
  opensAt(kind: Kind, version: Version, outlook: SoakPace): number {
    const [seat] = kind.seats;
    if (seat === undefined) return Number.POSITIVE_INFINITY;
    const { cluster } = seat;
    let earliest = Number.POSITIVE_INFINITY;
    let open = kind.open.get(version) ?? 0;
    for (const gate of this.#gates.toReversed()) {
      const isOpen = open % DIGIT === 1;
      open = Math.floor(open / DIGIT);
      if (gate.forecastOpening === undefined || isOpen) continue;
      earliest = Math.min(earliest, gate.forecastOpening({ cluster, version }, outlook) ?? earliest);
    }
    return earliest;
  }
}

function revise(kind: Kind): void {
  kind.revision += 1;
  kind.required.clear();
}
