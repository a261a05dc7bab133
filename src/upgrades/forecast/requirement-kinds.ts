import type { SoakPace } from '../../gates/index.ts';
import type { PassContext } from '../engine/context.ts';
import type { ServedCluster } from '../engine/facts.ts';
import { requirementsKey } from '../engine/panel.ts';
import type { UpgradeGate } from '../engine/upgrade-gate.ts';
import { isVersion, type Version } from '../engine/versions.ts';
import type { Seat } from './seat.ts';

/** Clusters that require the same of a version. */
export interface Kind {
  readonly seats: readonly Seat<ServedCluster>[];
  readonly needsSector: boolean;
  /** Which gates are open, for each version that one of them was offered. */
  readonly open: Map<Version, number>;
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
      due: new Map<Version, number>(),
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

  /** Those whose soak grows with a workload, where a version matters to them. */
  soaking(version: string, workload: string): readonly Kind[] {
    return (this.#byWorkload.get(workload) ?? []).filter(({ open }) => open.has(version as Version));
  }

  of(seat: Seat): Kind | undefined {
    return this.#kindOf.get(seat);
  }

  /** Judges a version; returns whether the verdicts are others than before. */
  judge(kind: Kind, version: Version, context: PassContext): boolean {
    const [seat] = kind.seats;
    if (seat === undefined) return false;
    const { cluster, member } = seat;
    let open = 0;
    for (const gate of this.#gates) {
      const verdict = gate.judge({ cluster, member, policy: cluster.policy, version }, context as never);
      open = open * 4 + (verdict.fault === undefined ? Number(verdict.ok) : 2);
    }
    const before = kind.open.get(version);
    kind.open.set(version, open);
    return before !== open;
  }

  /** The earliest time at which soak can open a gate that is closed; infinite when none is, or it does not soak. */
  opensAt(kind: Kind, version: Version, context: PassContext, outlook: SoakPace): number {
    const [seat] = kind.seats;
    if (seat === undefined) return Number.POSITIVE_INFINITY;
    const { cluster, member } = seat;
    let earliest = Number.POSITIVE_INFINITY;
    for (const gate of this.#gates) {
      if (gate.forecastOpening === undefined || !isVersion(version)) continue;
      if (gate.judge({ cluster, member, policy: cluster.policy, version }, context as never).ok) continue;
      earliest = Math.min(earliest, gate.forecastOpening({ cluster, version }, outlook) ?? earliest);
    }
    return earliest;
  }
}
