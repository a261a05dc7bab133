import type { Soak, SoakSums } from './soak.ts';

interface Entry {
  micros: number;
  reporting: Set<string>;
}

/** Sums on top of a history, which is not changed; entries without additions are shared with it. */
export class Tally {
  readonly #before: SoakSums;
  readonly #touched = new Map<string, Map<string, Entry>>();

  constructor(before: SoakSums) {
    this.#before = before;
  }

  /** The entry to add to; it exists from now on. */
  entry(version: string, workload: string): Entry {
    const workloads = this.#touched.get(version) ?? new Map<string, Entry>();
    this.#touched.set(version, workloads);
    const known = workloads.get(workload);
    if (known !== undefined) return known;
    const before = this.#before.get(version)?.get(workload);
    const entry = { micros: before?.micros ?? 0, reporting: new Set(before?.reporting) };
    workloads.set(workload, entry);
    return entry;
  }

  result(): SoakSums {
    const versions = new Map<string, ReadonlyMap<string, Soak>>(this.#before);
    for (const [version, workloads] of this.#touched) {
      versions.set(version, new Map<string, Soak>([...(versions.get(version) ?? []), ...workloads]));
    }
    return versions;
  }
}
