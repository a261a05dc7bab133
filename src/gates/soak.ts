/** How long a version has run under a workload, and where. */
export interface Soak {
  /**
   * Microseconds, summed over reporters: whole, so that sums do not depend on their order. Exact up to 100,000 days, a
   * thousand clusters for a hundred days; beyond, to a few microseconds.
   */
  readonly micros: number;
  /** In join order: ids, or names under the rules of the existing scheduler and in its histories. */
  readonly reporting: ReadonlySet<string>;
}

/** By version, then by workload. */
export type SoakSums = ReadonlyMap<string, ReadonlyMap<string, Soak>>;

/** Sums that can be asked for one version and workload at a time. */
export interface SoakReadings {
  get(version: string): { get(workload: string): Pick<Soak, 'micros'> | undefined } | undefined;
}

/** Microseconds that a version has soaked under a workload. */
export function soakOf({ versions }: { readonly versions: SoakReadings }, version: string, workload: string): number {
  return versions.get(version)?.get(workload)?.micros ?? 0;
}
