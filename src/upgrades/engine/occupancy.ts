import { count } from '../../base/index.ts';
import type { ClusterId } from '../policies/cluster-key.ts';
import type { SectorSpec } from '../policies/org-spec.ts';
import { parallelLimit } from './limits.ts';

/** A cluster as mutexes see it. */
export interface MutexMember {
  readonly id: ClusterId;
  readonly name: string;
  readonly sector?: string;
  /** Its own id among them. */
  readonly mutexes: readonly string[];
}

/** Why a cluster must wait for another one; a fault when its sector's limit is not valid. */
export interface Obstacle {
  readonly reason: string;
  /** Names of the clusters it waits for. */
  readonly of?: string;
  readonly fault?: true;
}

const ITSELF: Obstacle = { reason: 'the cluster itself is being upgraded' };
/** A reason names at most this many of the clusters that are waited for. */
const MOST_NAMED = 5;

/**
 * Which clusters are being upgraded under which mutex, during one pass. Without a limit a mutex is held by one cluster of
 * the organization; a limit makes it a counter within the sector.
 */
export class Occupancy {
  readonly #limits: ReadonlyMap<string, string>;
  /** By sector, then by mutex. */
  readonly #rooms = new Map<string, Map<string, Room>>();
  readonly #holders = new Map<string, Held>();
  readonly #acrossSectors: boolean;

  constructor(sectors: readonly SectorSpec[], members: readonly MutexMember[], acrossSectors: boolean) {
    this.#limits = new Map(
      sectors.flatMap(({ name, maxParallelUpgrades: limit }) => (limit === undefined ? [] : [[name, limit]])),
    );
    this.#acrossSectors = acrossSectors;
    for (const { sector, mutexes } of members) {
      if (sector === undefined) continue;
      for (const mutex of new Set(mutexes)) this.#room(sector, mutex).size += 1;
    }
  }

  /** The cluster is being upgraded. */
  take(member: MutexMember): void {
    for (const held of this.#heldBy(member)) {
      held.by.set(member.id, member);
      held.first ??= member;
      held.obstacle = undefined;
    }
  }

  /** The cluster is not being upgraded any more. */
  release(member: MutexMember): void {
    for (const held of this.#heldBy(member)) {
      held.by.delete(member.id);
      held.first = held.by.values().next().value;
      held.obstacle = undefined;
    }
  }

  /** Lists the holders of these mutexes in this order, as if they had taken them in it. */
  reorder({ mutexes, sector }: Pick<MutexMember, 'mutexes' | 'sector'>, order: (member: MutexMember) => number): void {
    for (const held of this.#heldBy({ mutexes, ...(sector === undefined ? {} : { sector }) })) {
      if (held.by.size < 2) continue;
      const sorted = [...held.by].sort(([, a], [, b]) => order(a) - order(b));
      held.by.clear();
      for (const [id, member] of sorted) held.by.set(id, member);
      held.first = sorted[0]?.[1];
      held.obstacle = undefined;
    }
  }

  /** Why the cluster cannot be upgraded now, if so. */
  obstacle(member: MutexMember): Obstacle | undefined {
    const { sector, mutexes } = member;
    const limit = sector === undefined ? undefined : this.#limits.get(sector);
    if (sector === undefined || limit === undefined) return this.#heldByAny(member);
    const outside = this.#acrossSectors ? this.#heldOutside(sector, mutexes) : undefined;
    return outside ?? this.#atLimit(member, sector, limit);
  }

  #heldByAny({ id, mutexes }: MutexMember): Obstacle | undefined {
    for (const mutex of mutexes) {
      const held = this.#holders.get(mutex);
      const holder = held?.first;
      if (held === undefined || holder === undefined) continue;
      if (holder.id === id) return ITSELF;
      held.obstacle ??= { reason: `mutex ${mutex} is held by ${holder.name}`, of: holder.name };
      return held.obstacle;
    }
    return undefined;
  }

  #heldOutside(sector: string, mutexes: readonly string[]): Obstacle | undefined {
    for (const mutex of mutexes) {
      const holders = this.#holders.get(mutex)?.by;
      if (holders === undefined || holders.size === this.#runningIn(sector, mutex)) continue;
      const of = holders.values().find((each) => each.sector !== sector)?.name ?? 'another cluster';
      return { reason: `mutex ${mutex} is held by ${of}, which is not in sector ${sector}`, of };
    }
    return undefined;
  }

  #atLimit({ id, mutexes }: MutexMember, sector: string, limit: string): Obstacle | undefined {
    if (mutexes.every((mutex) => this.#runningIn(sector, mutex) === 0)) return undefined;
    for (const mutex of mutexes) {
      const room = this.#room(sector, mutex);
      const { size, by } = room;
      room.most ??= { of: parallelLimit(limit, size) };
      const most = room.most.of;
      if (most === undefined)
        return { reason: `${JSON.stringify(limit)} is not a valid limit for sector ${sector}`, fault: true };
      if (by.size < most) continue;
      if (by.has(id)) return ITSELF;
      room.obstacle ??= limitObstacle({ mutex, sector, limit }, room);
      return room.obstacle;
    }
    return undefined;
  }

  #runningIn(sector: string, mutex: string): number {
    return this.#rooms.get(sector)?.get(mutex)?.by.size ?? 0;
  }

  #room(sector: string, mutex: string): Room {
    const ofSector = entryOf(this.#rooms, sector, () => new Map<string, Room>());
    return entryOf(ofSector, mutex, () => ({ by: new Map(), size: 0 }));
  }

  *#heldBy({ mutexes, sector }: Pick<MutexMember, 'mutexes' | 'sector'>): Iterable<Held> {
    for (const mutex of mutexes) {
      yield entryOf(this.#holders, mutex, () => ({ by: new Map() }));
      if (sector !== undefined) yield this.#room(sector, mutex);
    }
  }
}

/** Who holds a mutex, in the order in which they took it. */
interface Held {
  readonly by: Map<ClusterId, MutexMember>;
  first?: MutexMember | undefined;
  /** For all others, until it changes hands: many wait for the same. */
  obstacle?: Obstacle | undefined;
}

/** A mutex within a sector. */
interface Room extends Held {
  /** How many clusters of the sector have the mutex. */
  size: number;
  /** How many of them may be upgraded at once; undefined for an invalid limit. */
  most?: { readonly of: number | undefined };
}

function limitObstacle(
  { mutex, sector, limit }: Readonly<Record<'mutex' | 'sector' | 'limit', string>>,
  { by, size }: Room,
): Obstacle {
  const of = namesOf(by);
  const upgrades = `${count(by.size, 'upgrade')} under mutex ${mutex} (${of})`;
  return { reason: `sector ${sector} has ${upgrades}, its limit ${limit} of ${size}`, of };
}

function namesOf(running: ReadonlyMap<ClusterId, MutexMember>): string {
  const names = running
    .values()
    .take(MOST_NAMED)
    .map(({ name }) => name);
  const more = running.size - MOST_NAMED;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
