import type { Member } from '../engine/facts.ts';
import {
  type Behind,
  floorsOver,
  type LowestInSector,
  type SectorFloor,
  type SectorMember,
} from '../engine/sectors.ts';
import type { Minima } from '../engine/soak.ts';
import type { Version } from '../engine/versions.ts';
import type { SectorSpec } from '../policies/org-spec.ts';
import { Lowest } from './lowest.ts';
import type { Seat } from './seat.ts';

interface Level {
  readonly perWorkload: Map<string, Lowest<Seat, Behind>>;
  unknown?: Lowest<Seat, Behind>;
}

/** Who is furthest behind in each sector, on the virtual clock. */
export class SectorLevels {
  readonly #dependencies: ReadonlyMap<string, readonly string[]>;
  readonly #levels = new Map<string, Level>();
  /** Of those that count in their sector. */
  readonly #places = new Map<Seat, number>();
  readonly #floors = new Map<number, SectorFloor>();

  constructor(
    sectors: readonly SectorSpec[],
    members: readonly (Member & SectorMember)[],
    seats: ReadonlyMap<string, Seat>,
    pass: number,
  ) {
    this.#dependencies = new Map(sectors.map(({ name, dependencies }) => [name, dependencies]));
    for (const [place, { id }] of members.entries()) {
      const seat = seats.get(id);
      if (seat !== undefined) this.#places.set(seat, place);
    }
    for (const seat of this.#places.keys()) this.moved(seat, pass);
  }

  /** Another version; returns whether a sector's lowest version is another one. */
  moved(seat: Seat, pass: number): boolean {
    this.#floors.clear();
    const place = this.#places.get(seat);
    const { sector, workloads } = seat.member;
    if (place === undefined || sector === undefined) return false;
    const level: Level = this.#levels.get(sector) ?? { perWorkload: new Map() };
    this.#levels.set(sector, level);
    const lowest = (): Lowest<Seat, Behind> => new Lowest(this.#places.size, behindOf);
    if (workloads === undefined) {
      level.unknown ??= lowest();
      return level.unknown.changed(seat, place, pass);
    }
    let isMoved = false;
    for (const workload of workloads) {
      const known = level.perWorkload.get(workload) ?? lowest();
      level.perWorkload.set(workload, known);
      isMoved = known.changed(seat, place, pass) || isMoved;
    }
    return isMoved;
  }

  /** What `sectorFloors` gives in a pass. */
  floorAt(pass: number): SectorFloor {
    const known = this.#floors.get(pass) ?? floorsOver(this.#dependencies, (sector) => this.#lowestIn(sector, pass));
    this.#floors.set(pass, known);
    return known;
  }

  #lowestIn(sector: string, pass: number): LowestInSector | undefined {
    const level = this.#levels.get(sector);
    if (level === undefined) return undefined;
    return {
      perWorkload: { get: (workload) => level.perWorkload.get(workload)?.at(pass) },
      unknown: level.unknown?.at(pass),
    };
  }
}

function behindOf({ member: { name, version, sector = '' } }: Seat): Behind {
  return { name, sector, version };
}

/** The lowest versions of all clusters that count, on the virtual clock. */
export class MinimaLevels {
  readonly #all: Lowest<Seat, Version>;
  readonly #perWorkload = new Map<string, Lowest<Seat, Version>>();
  readonly #count: number;
  #now: Minima | undefined;
  #before: Minima | undefined;
  #since: number;

  /** `stored` is what counts without clusters. */
  constructor(seats: readonly Seat[], stored: Minima | undefined, pass: number) {
    this.#count = seats.length;
    this.#all = this.#lowest();
    this.#since = pass;
    for (const seat of seats) this.#change(seat, pass);
    this.#now = seats.length === 0 ? stored : this.#minima(pass);
  }

  /** At a pass: any from the one before its last change on. */
  at(pass: number): Minima | undefined {
    return pass < this.#since ? this.#before : this.#now;
  }

  /** Another version; returns whether one of the minima is another one. */
  moved(seat: Seat, pass: number): boolean {
    if (!this.#change(seat, pass)) return false;
    if (this.#since !== pass) this.#before = this.#now;
    this.#since = pass;
    this.#now = this.#minima(pass);
    return true;
  }

  #change(seat: Seat, pass: number): boolean {
    let isMoved = differs(this.#all, seat, pass);
    for (const workload of seat.known.workloads ?? []) {
      const lowest = this.#perWorkload.get(workload) ?? this.#lowest();
      this.#perWorkload.set(workload, lowest);
      isMoved = differs(lowest, seat, pass) || isMoved;
    }
    return isMoved;
  }

  #lowest(): Lowest<Seat, Version> {
    return new Lowest(this.#count, ({ cluster: { version } }) => version);
  }

  #minima(pass: number): Minima | undefined {
    const all = this.#all.at(pass);
    const perWorkload = [...this.#perWorkload].flatMap(([workload, lowest]): [string, Version][] => {
      const version = lowest.at(pass);
      return version === undefined ? [] : [[workload, version]];
    });
    return all === undefined ? undefined : { all, perWorkload: new Map(perWorkload) };
  }
}

function differs(lowest: Lowest<Seat, Version>, seat: Seat, pass: number): boolean {
  const before = lowest.at(pass);
  lowest.changed(seat, seat.place, pass);
  return lowest.at(pass) !== before;
}
