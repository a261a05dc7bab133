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
interface Obstacle {
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
  readonly #sizes = new Map<string, number>();
  readonly #running = new Map<string, Map<ClusterId, MutexMember>>();
  readonly #holders = new Map<string, Map<ClusterId, MutexMember>>();
  readonly #acrossSectors: boolean;

  constructor(sectors: readonly SectorSpec[], members: readonly MutexMember[], acrossSectors: boolean) {
    this.#limits = new Map(
      sectors.flatMap(({ name, maxParallelUpgrades: limit }) => (limit === undefined ? [] : [[name, limit]])),
    );
    this.#acrossSectors = acrossSectors;
    for (const { sector, mutexes } of members) {
      if (sector === undefined) continue;
      for (const mutex of new Set(mutexes)) {
        const key = keyOf(sector, mutex);
        this.#sizes.set(key, (this.#sizes.get(key) ?? 0) + 1);
      }
    }
  }

  /** The cluster is being upgraded. */
  take(member: MutexMember): void {
    for (const mutex of member.mutexes) {
      entryOf(this.#holders, mutex, () => new Map<ClusterId, MutexMember>()).set(member.id, member);
      if (member.sector === undefined) continue;
      entryOf(this.#running, keyOf(member.sector, mutex), () => new Map<ClusterId, MutexMember>()).set(
        member.id,
        member,
      );
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
      const [holder] = this.#holders.get(mutex)?.values() ?? [];
      if (holder?.id === id) return ITSELF;
      if (holder !== undefined) return { reason: `mutex ${mutex} is held by ${holder.name}`, of: holder.name };
    }
    return undefined;
  }

  #heldOutside(sector: string, mutexes: readonly string[]): Obstacle | undefined {
    for (const mutex of mutexes) {
      const holders = this.#holders.get(mutex);
      if (holders === undefined || holders.size === this.#runningIn(sector, mutex)) continue;
      const of = holders.values().find((each) => each.sector !== sector)?.name ?? 'another cluster';
      return { reason: `mutex ${mutex} is held by ${of}, which is not in sector ${sector}`, of };
    }
    return undefined;
  }

  #atLimit({ id, mutexes }: MutexMember, sector: string, limit: string): Obstacle | undefined {
    if (mutexes.every((mutex) => this.#runningIn(sector, mutex) === 0)) return undefined;
    for (const mutex of mutexes) {
      const size = this.#sizes.get(keyOf(sector, mutex)) ?? 0;
      const most = parallelLimit(limit, size);
      if (most === undefined)
        return { reason: `${JSON.stringify(limit)} is not a valid limit for sector ${sector}`, fault: true };
      const running = this.#running.get(keyOf(sector, mutex)) ?? new Map<ClusterId, MutexMember>();
      if (running.size < most) continue;
      if (running.has(id)) return ITSELF;
      const of = namesOf(running);
      const upgrades = `${count(running.size, 'upgrade')} under mutex ${mutex} (${of})`;
      return { reason: `sector ${sector} has ${upgrades}, its limit ${limit} of ${size}`, of };
    }
    return undefined;
  }

  #runningIn(sector: string, mutex: string): number {
    return this.#running.get(keyOf(sector, mutex))?.size ?? 0;
  }
}

function namesOf(running: ReadonlyMap<ClusterId, MutexMember>): string {
  const names = running
    .values()
    .take(MOST_NAMED)
    .map(({ name }) => name);
  const more = running.size - MOST_NAMED;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function keyOf(sector: string, mutex: string): string {
  return JSON.stringify([sector, mutex]);
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
