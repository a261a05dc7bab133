import { count } from '../../base/index.ts';
import type { Verdict } from '../../gates/index.ts';
import type { ClusterId, SectorSpec } from '../policies/org-spec.ts';

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
  /** What the gate says about it, once it was asked: many clusters wait for the same. */
  verdict?: Verdict<'organization'>;
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
  readonly #places = new Map<ClusterId, readonly Place[]>();
  readonly #acrossSectors: boolean;
  /** Whether all limits are valid, so that there is never a fault. */
  readonly isSound: boolean;

  constructor(sectors: readonly SectorSpec[], members: readonly MutexMember[], acrossSectors: boolean) {
    this.#limits = new Map(
      sectors.flatMap(({ name, maxParallelUpgrades: limit }) => (limit === undefined ? [] : [[name, limit]])),
    );
    this.#acrossSectors = acrossSectors;
    this.isSound = this.#limits.values().every((limit) => parallelLimit(limit, 1) !== undefined);
    for (const { sector, mutexes } of members) {
      if (sector === undefined) continue;
      for (const mutex of new Set(mutexes)) this.#room(sector, mutex).size += 1;
    }
  }

  /** The cluster is being upgraded. */
  take(member: MutexMember): void {
    for (const held of this.#heldBy(member)) {
      holdersOf(held).set(member.id, member);
      held.first ??= member;
      changed(held);
    }
  }

  /** The cluster is not being upgraded any more. */
  release(member: MutexMember): void {
    for (const held of this.#heldBy(member)) {
      holdersOf(held).delete(member.id);
      held.first = held.by.values().next().value;
      changed(held);
    }
  }

  /** Lists the holders of a cluster's mutexes in this order, as if they had taken them in it. */
  reorder(member: MutexMember, order: (member: MutexMember) => number): void {
    for (const held of this.#heldBy(member)) {
      if (held.by.size < 2) continue;
      const sorted = [...held.by].sort(([, a], [, b]) => order(a) - order(b));
      held.own = new Map(sorted);
      held.by = held.own;
      held.first = sorted[0]?.[1];
      changed(held);
    }
  }

  /** Why the cluster cannot be upgraded now, if so. */
  obstacle(member: MutexMember): Obstacle | undefined {
    const { id, sector } = member;
    const places = this.#placesOf(member);
    const limit = sector === undefined ? undefined : this.#limits.get(sector);
    if (sector === undefined || limit === undefined) return heldByAny(id, places);
    const outside = this.#acrossSectors ? heldOutside(sector, places) : undefined;
    return outside ?? atLimit(id, places, { sector, limit });
  }

  /** Mutexes and sector of a cluster stay the same. */
  #placesOf({ id, mutexes, sector }: MutexMember): readonly Place[] {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const places = mutexes.map((mutex): Place => {
      const held = entryOf(this.#holders, mutex, () => ({ by: NOBODY, changes: 0 }));
      return sector === undefined ? { mutex, held } : { mutex, held, room: this.#room(sector, mutex) };
    });
    this.#places.set(id, places);
    return places;
  }

  #room(sector: string, mutex: string): Room {
    const ofSector = entryOf(this.#rooms, sector, () => new Map<string, Room>());
    return entryOf(ofSector, mutex, () => ({ by: NOBODY, changes: 0, size: 0 }));
  }

  #heldBy(member: MutexMember): Held[] {
    return this.#placesOf(member).flatMap(({ held, room }) => (room === undefined ? [held] : [held, room]));
  }
}

/** Where a cluster counts: a mutex, and the same within its sector. */
interface Place {
  readonly mutex: string;
  readonly held: Held;
  readonly room?: Room;
}

function heldByAny(id: ClusterId, places: readonly Place[]): Obstacle | undefined {
  for (const { mutex, held } of places) {
    const holder = held.first;
    if (holder === undefined) continue;
    if (holder.id === id) return ITSELF;
    held.obstacle ??= { reason: `mutex ${mutex} is held by ${holder.name}`, of: holder.name };
    return held.obstacle;
  }
  return undefined;
}

function heldOutside(sector: string, places: readonly Place[]): Obstacle | undefined {
  for (const { mutex, held, room } of places) {
    if (room === undefined || held.by.size === room.by.size) continue;
    if (room.outside?.changes === held.changes) return room.outside.obstacle;
    const of = held.by.values().find((each) => each.sector !== sector)?.name ?? 'another cluster';
    const obstacle = { reason: `mutex ${mutex} is held by ${of}, which is not in sector ${sector}`, of };
    room.outside = { changes: held.changes, obstacle };
    return obstacle;
  }
  return undefined;
}

function atLimit(
  id: ClusterId,
  places: readonly Place[],
  { sector, limit }: Readonly<Record<'sector' | 'limit', string>>,
): Obstacle | undefined {
  if (places.every(({ room }) => room === undefined || room.by.size === 0)) return undefined;
  for (const { mutex, room } of places) {
    if (room === undefined) continue;
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

/** Most mutexes are a cluster's own, and held by nobody. */
const NOBODY: ReadonlyMap<ClusterId, MutexMember> = new Map();

function holdersOf(held: Held): Map<ClusterId, MutexMember> {
  if (held.own === undefined) {
    held.own = new Map();
    held.by = held.own;
  }
  return held.own;
}

function changed(held: Held): void {
  held.obstacle = undefined;
  held.changes += 1;
}

/** Who holds a mutex, in the order in which they took it. */
interface Held {
  by: ReadonlyMap<ClusterId, MutexMember>;
  /** The same, once somebody held it. */
  own?: Map<ClusterId, MutexMember>;
  first?: MutexMember | undefined;
  /** How often it changed hands. */
  changes: number;
  /** For all others, until it changes hands: many wait for the same. */
  obstacle?: Obstacle | undefined;
}

/** A mutex within a sector. */
interface Room extends Held {
  /** How many clusters of the sector have the mutex. */
  size: number;
  /** How many of them may be upgraded at once; undefined for an invalid limit. */
  most?: { readonly of: number | undefined };
  /** For all of its clusters, while another sector holds the mutex, until that changes hands. */
  outside?: { readonly changes: number; readonly obstacle: Obstacle };
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
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

const COUNT = /^\s*[+-]?\d+\s*$/;

/**
 * How many clusters may be upgraded at once, of `clusters` that share a mutex: `N`, or `N%` of them rounded half to even.
 * Never 0. Undefined for a text that is not a valid limit.
 */
export function parallelLimit(text: string, clusters: number): number | undefined {
  const percent = text.endsWith('%');
  const digits = percent ? text.slice(0, -1) : text;
  if (!COUNT.test(digits)) return undefined;
  const value = Number.parseInt(digits, 10);
  const limit = percent ? roundHalfToEven((clusters * value) / 100) : value;
  return limit === 0 ? 1 : limit;
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}
