import type { ClusterState, HeldCluster, OrgFacts, ServedCluster } from '../engine/facts.ts';
import type { Ledger } from '../engine/soak.ts';
import { Seat } from './seat.ts';
import type { VersionRanks } from './version-ranks.ts';
import type { WaitingEntries } from './waiting-entries.ts';

/** The clusters of an organization on the virtual clock. */
export class Roster {
  readonly served: readonly Seat<ServedCluster>[];
  readonly held: readonly Seat<HeldCluster>[];
  readonly all: readonly Seat[];
  readonly byId: ReadonlyMap<string, Seat>;
  /** Served ones by mutex. */
  readonly sharers: ReadonlyMap<string, readonly Seat<ServedCluster>[]>;
  readonly #facts: OrgFacts;
  readonly #soakRanks: number;

  constructor(facts: OrgFacts, ranks: VersionRanks, entries: WaitingEntries) {
    this.#facts = facts;
    const { clusters, held } = facts;
    const about = ({ version }: ClusterState) => ({ rank: ranks(version), entries });
    this.served = clusters.map((cluster, place) => new Seat(cluster, place, about(cluster)));
    this.held = held.map((cluster, index) => new Seat(cluster, clusters.length + index, about(cluster)));
    this.all = [...this.served, ...this.held];
    this.byId = new Map(this.all.map((seat) => [seat.cluster.id, seat]));
    this.sharers = sharersOf(this.served);
    const soakDays = [...new Set(clusters.map(({ policy }) => policy.soakDays))].sort((a, b) => a - b);
    const soakRanks = new Map(soakDays.map((days, rank) => [days, rank]));
    for (const seat of this.served) seat.soakRank = soakRanks.get(seat.cluster.policy.soakDays) ?? 0;
    this.#soakRanks = soakRanks.size;
  }

  /** Lower for a cluster that has its turn earlier: by version, then by soak days, then in order of discovery. */
  turnOf({ rank, soakRank, place }: Seat<ServedCluster>): number {
    return (rank * this.#soakRanks + soakRank) * this.served.length + place;
  }

  readonly placeOf = ({ id }: { readonly id: string }): number => this.byId.get(id)?.place ?? 0;

  /** The facts as they are now. */
  facts(ledger: Ledger): OrgFacts {
    return {
      ...this.#facts,
      clusters: this.served.map(({ cluster }) => cluster),
      held: this.held.map(({ cluster }) => cluster),
      policies: this.all.flatMap((seat) => seat.policies ?? []),
      ledger,
    };
  }
}

export function isServed(seat: Seat): seat is Seat<ServedCluster> {
  return 'policy' in seat.cluster;
}

function sharersOf(seats: readonly Seat<ServedCluster>[]): ReadonlyMap<string, readonly Seat<ServedCluster>[]> {
  const sharers = new Map<string, Seat<ServedCluster>[]>();
  for (const seat of seats) {
    for (const mutex of new Set(seat.member.mutexes)) {
      const known = sharers.get(mutex) ?? [];
      sharers.set(mutex, known);
      known.push(seat);
    }
  }
  return sharers;
}
