import { type ToldCluster, type View, workloadsOf } from './upgrade-simulation-view.ts';

interface Look {
  /** What the clock of the scheduler said. */
  readonly at: number;
  /** By cluster, version and workload. */
  readonly healthy: ReadonlySet<string>;
}

interface Stored {
  /** True time. */
  readonly at: number;
  readonly clusters: readonly ToldCluster[];
}

const MOST_STORED = 10;
/** So long must a clock be seen to run before what was observed last, until that is taken for an error. */
const BELIEVED_AFTER_MS = 86_400_000;

/** A clock that is before the last observation. */
interface Late {
  readonly at: number;
  readonly ran: number;
}

/**
 * The most that versions can have soaked, from what schedulers observed. An observation counts once it is stored. Between two of
 * them a cluster earns, up to a cap, what lies between if both saw it healthy on the version; what came late adds nothing. When
 * late ones have gone on for a day, the last of them is the one to count from, and nothing is earned until then.
 */
export class SoakAccounts {
  readonly #cap: number;
  readonly #looks = new Map<string, Look>();
  readonly #late = new Map<string, Late>();
  readonly #recovered: () => void;
  readonly #soak = new Map<string, number>();
  readonly #stored = new Map<string, Stored[]>();

  /** Says when it counts again after a clock that was ahead. */
  constructor(capMilliseconds: number, recovered: () => void = () => undefined) {
    this.#cap = capMilliseconds;
    this.#recovered = recovered;
  }

  stored(orgId: string, view: View, now: number): void {
    const clusters = view.clustersOf(orgId);
    this.#stored.set(orgId, [{ at: now, clusters }, ...(this.#stored.get(orgId) ?? [])].slice(0, MOST_STORED));
    const look: Look = { at: view.seenAt, healthy: new Set(clusters.flatMap(sightings)) };
    const last = this.#looks.get(orgId);
    if (last !== undefined && look.at <= last.at) {
      if (this.#isStillLate(orgId, look.at, last.at)) return;
      this.#looks.set(orgId, look);
      this.#recovered();
      return;
    }
    this.#looks.set(orgId, look);
    this.#late.delete(orgId);
    if (last === undefined) return;
    const earned = Math.min(look.at - last.at, this.#cap);
    for (const sighting of look.healthy) {
      if (!last.healthy.has(sighting)) continue;
      const key = `${orgId} ${sighting.slice(sighting.indexOf(' ') + 1)}`;
      this.#soak.set(key, (this.#soak.get(key) ?? 0) + earned);
    }
  }

  #isStillLate(orgId: string, at: number, last: number): boolean {
    if (at === last) {
      this.#late.delete(orgId);
      return true;
    }
    const before = this.#late.get(orgId);
    const ran = before === undefined || at < before.at ? 0 : before.ran + Math.min(at - before.at, this.#cap);
    if (ran < BELIEVED_AFTER_MS) this.#late.set(orgId, { at, ran });
    else this.#late.delete(orgId);
    return ran < BELIEVED_AFTER_MS;
  }

  /** Milliseconds. */
  soaked(orgId: string, version: string, workload: string): number {
    return this.#soak.get(`${orgId} ${version} ${workload}`) ?? 0;
  }

  /** What the stored history of an organization was made of, at some time since then. */
  seenSince(orgId: string, moment: number): (readonly ToldCluster[])[] {
    const all = this.#stored.get(orgId) ?? [];
    const before = all.findIndex(({ at }) => at < moment);
    return (before === -1 ? all : all.slice(0, before + 1)).map(({ clusters }) => clusters);
  }
}

function sightings(cluster: ToldCluster): string[] {
  const { row } = cluster;
  if (row.state !== 'ready' || row.healthState === 'unhealthy') return [];
  return [...new Set(workloadsOf(cluster))].map((workload) => `${row.externalId} ${row.version.rawId} ${workload}`);
}
