import type { ServedCluster } from '../engine/facts.ts';
import type { Rules } from '../engine/rules.ts';
import type { Ledger } from '../engine/soak.ts';
import { SoakMeter } from './soak-meter.ts';

interface Metered {
  readonly meter: SoakMeter;
  /** Names of those that ever reported; only under the rules of the existing scheduler. */
  readonly reporting?: Set<string>;
}

/** How the soak of an organization's clusters grows on the virtual clock. */
export class SoakMeters {
  /** Workloads that its history knows: those of others are not inherited. */
  readonly workloads: ReadonlySet<string>;
  readonly #byVersion = new Map<string, Map<string, Metered>>();
  readonly #observedOnly: boolean;
  readonly #perPass: number;
  readonly #since: number;
  readonly #twins: ReadonlySet<ServedCluster['id']>;

  /** From the history after a pass that was not late. */
  constructor(
    { versions }: Pick<Ledger, 'versions'>,
    clusters: readonly ServedCluster[],
    { rules, every, pass }: { readonly rules: Rules; readonly every: number; readonly pass: number },
  ) {
    this.#observedOnly = rules.observedSoakOnly;
    this.#perPass = rules.observedSoakOnly ? Math.min(every, rules.maxCreditedInterval) : every;
    this.#since = pass;
    this.#twins = rules.observedSoakOnly ? twinsIn(clusters) : new Set();
    this.workloads = new Set([...versions.values()].flatMap((ofVersion) => [...ofVersion.keys()]));
    for (const [version, ofVersion] of versions) {
      for (const [workload, { micros, reporting }] of ofVersion) this.#add(version, workload, micros, reporting);
    }
    for (const cluster of clusters) {
      for (const [workload, counts] of this.#sharesOf(cluster))
        this.#at(cluster.version, workload).meter.start(counts.earning, counts.present);
    }
  }

  microsAt(pass: number, version: string, workload: string): number {
    return this.#find(version, workload)?.microsAt(pass) ?? 0;
  }

  presentAt(pass: number, version: string, workload: string): number {
    return this.#find(version, workload)?.presentAt(pass) ?? 0;
  }

  sightedAt(pass: number, version: string, workload: string): number {
    return this.#observedOnly ? (this.#find(version, workload)?.earningAt(pass) ?? 0) : 0;
  }

  earning(version: string, workload: string): number {
    return this.#find(version, workload)?.earningAt(Number.POSITIVE_INFINITY) ?? 0;
  }

  /** A pass sees the cluster on another version than the one before. */
  move(cluster: ServedCluster, from: string, pass: number): void {
    for (const [workload, { earning, present }] of this.#sharesOf(cluster)) {
      this.#at(from, workload).meter.leave(pass, { earning, present });
      const { meter, reporting } = this.#at(cluster.version, workload);
      const isNew = reporting?.has(cluster.name) === false;
      reporting?.add(cluster.name);
      const credited = reporting === undefined ? 0 : earning - (isNew ? 1 : 0);
      meter.join(pass, { earning, present, credited });
    }
  }

  /** By workload, how often it earns, and whether it counts; nothing for an unhealthy one. */
  #sharesOf({ id, healthFault, policy: { workloads } }: ServedCluster) {
    const shares = new Map<string, { earning: number; present: 1 }>();
    if (healthFault !== undefined) return shares;
    for (const workload of workloads) {
      const before = shares.get(workload)?.earning;
      const earning = this.#observedOnly ? Number(!this.#twins.has(id)) : (before ?? 0) + 1;
      shares.set(workload, { earning, present: 1 });
    }
    return shares;
  }

  #find(version: string, workload: string): SoakMeter | undefined {
    return this.#byVersion.get(version)?.get(workload)?.meter;
  }

  #at(version: string, workload: string): Metered {
    return this.#byVersion.get(version)?.get(workload) ?? this.#add(version, workload, 0, new Set());
  }

  #add(version: string, workload: string, micros: number, reporting: ReadonlySet<string>): Metered {
    const ofVersion = this.#byVersion.get(version) ?? new Map<string, Metered>();
    this.#byVersion.set(version, ofVersion);
    const meter = new SoakMeter(micros, this.#since, this.#perPass);
    const metered = this.#observedOnly ? { meter } : { meter, reporting: new Set(reporting) };
    ofVersion.set(workload, metered);
    return metered;
  }
}

/** Of several healthy clusters with one UUID only the first earns. */
function twinsIn(clusters: readonly ServedCluster[]): Set<ServedCluster['id']> {
  const [seen, twins] = [new Set<string>(), new Set<ServedCluster['id']>()];
  for (const { id, uuid, healthFault } of clusters) {
    if (healthFault !== undefined) continue;
    if (seen.has(uuid)) twins.add(id);
    seen.add(uuid);
  }
  return twins;
}
